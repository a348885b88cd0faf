"""What an agent may not do to the gates themselves."""
