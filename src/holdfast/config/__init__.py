"""What people set and demand: settings, requirements, and the files they are written in."""
