"""Every function once, as an expression, with the walkers that evaluate it."""
