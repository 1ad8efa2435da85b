"""The sections of a report: each step computes one, as plain data ready for JSON."""
