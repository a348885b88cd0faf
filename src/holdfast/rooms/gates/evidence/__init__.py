"""Evidence: which tools a command ran, and what their output says."""
