"""The service over HTTP, met as clients meet it."""
