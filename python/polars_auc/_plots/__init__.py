"""Charts of frames."""
