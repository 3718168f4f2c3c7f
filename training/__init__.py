"""Train the reader: data, base, network, training, export and calibration."""
