"""The door for agents that ask: tools over stdio, by the official SDK."""
