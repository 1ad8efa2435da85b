"""Theorems anyone can run, certificates anyone can re-check, and the formal proofs."""
