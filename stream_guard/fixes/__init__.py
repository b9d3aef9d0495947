"""A broken body, read leniently and turned into valid calls without a model.

May import: values, schema, toolset.
May not: know streams, fences or correctors.

Rule: every change to a body is recorded as an `AutoFix`, by a rule of the catalogue.
"""
