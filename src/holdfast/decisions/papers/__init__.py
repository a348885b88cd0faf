"""The papers of the decisions room: notes, tracker, trajectory, healing, levels of recovery."""
