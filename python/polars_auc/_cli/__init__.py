"""What all commands share: arguments, files, SQL, streams and refusals."""
