"""What the user said: whose words a turn is, the goal, rules, and what lifts them."""
