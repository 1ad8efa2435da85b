"""The named methods by which a step of a proof is checked; each is independent of any theorem."""
