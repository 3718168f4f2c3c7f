"""The weights of Glymph's reader; `glymph.reader.local_reader` checks and runs them."""
