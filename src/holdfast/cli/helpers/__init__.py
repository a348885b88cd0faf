"""What commands share: where they are run, how people name things, how things read."""
