"""Every float of a format against a certified oracle."""
