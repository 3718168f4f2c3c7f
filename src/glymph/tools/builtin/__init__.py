"""The tools that come with Glymph, one a file: a new file with a constant TOOL is a new tool."""
