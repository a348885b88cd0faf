"""Gates: what a team demands before an edit, a commit, a stop; with proof, and nobody trapped."""
