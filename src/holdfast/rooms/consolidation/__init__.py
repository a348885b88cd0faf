"""Dreams: what is used together is linked; links that are not used again fade."""
