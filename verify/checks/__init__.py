"""What a correct implementation must satisfy beyond its values."""
