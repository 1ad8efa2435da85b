"""Figures: descriptions computed from the mathematics, and their drawing as SVG."""
