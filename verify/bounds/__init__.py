"""Certified suprema, extrema, roots and minimax constants over all real numbers."""
