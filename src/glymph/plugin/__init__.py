"""What Claude Code needs to work with Glymph, and how it is put there and taken away."""
