"""Broken replies and spoilt lessons with what was meant, and a score of them. Authored without knowledge of the fixes."""
