"""Toolsets that come with the guard."""
