"""What Glymph does, one verb per file: services join the pure core to a store."""
