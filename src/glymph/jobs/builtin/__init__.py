"""The jobs that come with Glymph, one a file: a new job is a new file with a `JOB`."""
