"""Splits streamed text into prose and blocks: finds fences, follows the JSON inside, and decides whether it is a tool call.

May import: values, dialects.
May not: know a schema, a provider, a clock; wait.
"""
