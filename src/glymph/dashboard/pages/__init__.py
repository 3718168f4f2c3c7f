"""The pages of the dashboard, one a file; each has a constant `PAGE`."""
