"""Floating-point formats as data: bits, exact values, ulp, neighbours and correct rounding."""
