"""Building and checking a release; see `release.build`."""
