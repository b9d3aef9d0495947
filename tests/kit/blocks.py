"""Blocks of every kind, as they stand in a text."""

from __future__ import annotations

BLOCKS = {
    "valid": '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```\n',
    "fixed": '```json\n{"tool": "create_file", "path": "a.txt", "content": "a = 1\nb = 2",}\n```\n',
    "failed": '```json\n{"tool": "write_file", "path": "/etc/x", "content": "x"}\n```\n',
    "truncated": '```json\n{"tool": "write_file", "path": "a.txt", "con',
    "example": '```json\n{"name": "demo", "version": "1.0.0"}\n```\n',
    "two": '```json\n{"tool": "delete_file", "path": "a"}\n```\n\nand\n\n~~~json\n{"tool": "delete_file", "path": "b"}\n~~~\n',
}
