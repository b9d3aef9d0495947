"""The port of the demo. `python -m demo_server.port 8765` says whether it is free, and needs nothing that is installed."""

from __future__ import annotations

import argparse
import socket
import sys


def number(text: str) -> int:
    """Return the number of a port. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"a port must be a number from 0 to 65535, got {text!r}")
    return int(text)


def listen(port: int) -> socket.socket | None:
    """Return a socket that listens at a port, or at any free one for 0; None when the port is taken."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(2048)  # who comes before the app is up waits, and is not refused
    except OSError:
        listening.close()
        return None
    return listening


def taken(port: int) -> str:
    """Return what to tell whoever asked for a port that is taken."""
    return (
        f"port {port} is taken; name another: `make demo PORT={port % 65_535 + 1}`, or `python -m demo_server "
        f"--port {port % 65_535 + 1}`; 0 stands for any free one"
    )


def main() -> int:
    """Say whether the port is free; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m demo_server.port", description="Whether the demo can have a port.")
    parser.add_argument("port", type=number)
    port = parser.parse_args().port
    listening = listen(port)
    if listening is None:
        print(taken(port), file=sys.stderr)
        return 2
    listening.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
