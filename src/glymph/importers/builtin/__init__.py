"""The kinds of sources that Glymph reads, one a file."""
