"""Programs that show how Glymph is used; run them from a clone."""
