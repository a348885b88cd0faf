"""What differs between systems, and what the hook does without the big modules."""
