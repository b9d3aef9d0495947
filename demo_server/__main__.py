"""Serve the demo."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

from .app import create_app
from .manners import log_as_lines, named
from .port import listen, number, taken
from .settings import Settings

_SETTINGS: Final = "STREAM_GUARD_DEMO"
_APP: Final = "demo_server.__main__:app"
_DATA: Final = Path(".demo")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = _options(arguments)
    if sys.platform == "win32":
        print("The demo keeps its files with calls that Windows does not have; run it in WSL.", file=sys.stderr)
        return 2
    settings = {
        "folder": str(options.data.absolute()),
        "redis": options.redis,
        "private": options.private_models,
        "hosts": [*Settings(Path()).hosts, *options.host],
        "pace": options.pace,
        "drain": options.drain,
        "verbose": options.verbose,
    }
    os.environ[_SETTINGS] = json.dumps(settings)  # where each worker finds them
    listening = listen(options.port)
    if listening is None:
        print(taken(options.port), file=sys.stderr)
        return 2
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    print(f"The demo is at {address} (Ctrl-C ends it). Chats and files are in {settings['folder']}", flush=True)
    if options.open and (sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        threading.Timer(0.8, webbrowser.open, (address,)).start()
    settled: dict[str, Any] = {"factory": True, "log_level": "warning", "access_log": False}
    settled["timeout_graceful_shutdown"] = int(options.drain) + 2
    if options.workers == 1:
        uvicorn.Server(uvicorn.Config(_APP, **settled)).run(sockets=[listening])
    else:
        port = listening.getsockname()[1]
        listening.close()  # the workers' parent opens it for them
        uvicorn.run(_APP, host="127.0.0.1", port=port, workers=options.workers, **settled)
    return 0


def app() -> Starlette:
    """The app of one worker."""
    given = json.loads(os.environ[_SETTINGS])
    log_as_lines(logging.DEBUG if given.pop("verbose") else logging.INFO)
    given |= {"folder": Path(given["folder"]), "hosts": tuple(given["hosts"])}
    return create_app(Settings(**given))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m demo_server", description="A guarded chat, on a page of its own.")
    parser.add_argument("--port", type=number, default=8765, help="where to listen; 0 for any free port (8765)")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument("--data", type=Path, metavar="DIR", default=_DATA, help=f"where chats and files are kept ({_DATA})")
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="a further name that it answers to")
    parser.add_argument(
        "--private-models", action="store_true", help="a model that is given on the page may be on this machine or its network"
    )
    parser.add_argument("--redis", metavar="URL", help="keep streams in Redis or Valkey, for several workers")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="how many processes; several need --redis (1)")
    parser.add_argument(
        "--pace", type=float, default=160, metavar="N", help="the script's characters a second; 0: at once (160)"
    )
    parser.add_argument("--verbose", action="store_true", help="log each request, also those that read, and went well")
    parser.add_argument("--drain", type=float, default=10, metavar="S", help="seconds that streams may go on at the end (10)")
    options = parser.parse_args(arguments)
    options.host = [f"[{host}]" if host.count(":") > 1 and host[0] != "[" else host for host in options.host]
    for host in options.host:
        if named(host) is None or named(host) != named(f"{host}:1"):
            parser.error(f"--host must be a name or an address without a port, got {host!r}")
    if options.workers < 1 or options.pace < 0 or options.drain < 0:
        parser.error("--workers is 1 or more, --pace and --drain are 0 or more")
    if options.workers > 1 and not options.redis:
        parser.error("several workers need --redis: what one keeps in its memory is not there for another")
    return options


if __name__ == "__main__":
    sys.exit(main())
