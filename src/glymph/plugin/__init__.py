"""Installs Glymph in Claude Code, and takes it away again."""
