"""What was said and done before, found again."""
