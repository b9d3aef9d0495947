"""A signal ends a command in order, wherever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PLACES = {
    "code": "sends()",
    "a finalizer": "held = Held(); del held",
    "a finalizer that the garbage collector runs": "held = Held(); held.itself = held; del held; gc.collect()",
    "a callback of a weak reference": "held = set(); reference = weakref.ref(held, sends); del held",
    "a callback of the garbage collector": "gc.callbacks.append(sends); gc.collect()",
    "a generator that is thrown away": "waiting = waits(); next(waiting); del waiting",
    "a finalizer of a thread": "thread = threading.Thread(target=lambda: Held()); thread.start(); thread.join()",
    "two finalizers, one after the other": "held = Held(); del held; held = Held(); del held",
}
"""Where a signal comes. Python drops what a handler raises there, but for the first, and goes on."""

PROGRAM = """
import gc, signal, sys, threading, time, weakref
from stream_guard.command.signals import in_order_on_sigterm
sign, sent = signal.Signals(int(sys.argv[1])), 0

def sends(*_):
    global sent
    sent += 1
    if sent < 3:
        signal.raise_signal(sign)

class Held:
    __del__ = sends

def waits():
    try:
        yield
    finally:
        sends()

def works():
    PLACE
    for _ in range(3_000):
        time.sleep(0.01)

with in_order_on_sigterm():
    try:
        works()
    finally:
        print("released", sent > 0)
print("ran to its end")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("place", PLACES)
def test_a_signal_ends_a_command_wherever_it_comes(place: str, sign: signal.Signals) -> None:
    program = PROGRAM.replace("PLACE", PLACES[place])
    ended = subprocess.run(
        [sys.executable, "-c", program, str(int(sign))], check=False, capture_output=True, text=True, timeout=300
    )
    assert ended.stdout == "released True\n"
    if sign is signal.SIGTERM:
        assert (ended.returncode, ended.stderr) == (143, "")
    else:
        assert ended.returncode in (130, -sign)
        assert ended.stderr.endswith("KeyboardInterrupt\n")
        assert "ignored" not in ended.stderr
