"""Installation: what `holdfast init` writes into a project, how it is removed, and the doctor."""
