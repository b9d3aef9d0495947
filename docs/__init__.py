"""Pages that are printed from the code: `python -m docs` writes them, and a test compares them."""
