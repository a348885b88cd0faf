"""The way out: pause, forget, purge, export, import."""
