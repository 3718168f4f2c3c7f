"""The ways in: command line, MCP, demo. Only these read files, the environment and the terminal."""
