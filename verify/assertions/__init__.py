"""What somebody's own tests assert of an implementation, with pytest or without: accuracy, budgets, right values."""
