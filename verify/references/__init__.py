"""Reference values: any number of certain digits, or correctly rounded into a format."""
