"""What a sentence claims, read without a model: words, names, amounts, yes and no."""
