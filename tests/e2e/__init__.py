"""The real agents against a scripted model."""
