"""citestream."""
