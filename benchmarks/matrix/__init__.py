"""The matrix: the guard and its peers on the conformance corpus, and the page with what came of it."""
