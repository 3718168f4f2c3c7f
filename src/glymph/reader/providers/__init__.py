"""The readers that a spec can name, one file each."""
