"""Recovery: levels of context, the full checkpoint, state files brought back."""
