"""Shared modules of all commands: arguments, files, SQL, streams and refusals."""
