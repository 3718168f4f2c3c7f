"""One module per engine; its name is the URL scheme it serves."""
