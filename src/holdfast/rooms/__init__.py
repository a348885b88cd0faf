"""The rooms: one idea each, with its rules, its queries, its projection and its handlers."""
