"""The shell reader: which simple commands a shell text runs."""
