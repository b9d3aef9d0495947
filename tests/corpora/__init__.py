"""Broken replies and spoilt lessons with what was meant, and a score of them. Written without reading the code of the fixes."""
