"""The cursors that read bodies: one file for each grammar."""
