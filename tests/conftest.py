from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from tests.kit.breadth import WHOLE, Running, of_each_test
from tests.kit.proof import OUTSIDE, Cases, Proof
from tests.kit.recordings import Recording, recorded

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.kit.browser import Pages

EXAMPLES = int(os.environ.get("EXAMPLES", "20"))
"""How many documents each property is tried on; more under `make prove` and `make more`."""

settings.register_profile(
    "default",
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),  # there a run can be repeated; everywhere else each run draws anew
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("default")

os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)  # which has no certificates
"""All that is tested talks to loopback, without TLS. A client that reads the system's certificates takes 30 ms to make, and one
that finds none half a millisecond: the tests and the programs that they start make thousands.
"""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So a shell starts what it runs in the background, and every program that a test starts would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

CORPORA = Path(os.environ.get("CORPORA") or Path(__file__).resolve().parents[2] / "shared" / "corpora")
"""The folder of third-party test data, which is not part of the project: the variable CORPORA, or beside the checkout."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more than cores: many tests wait, for servers and for browsers."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect the tests without the garbage collector, and keep it from them afterwards: their modules, some eight hundred
    thousand objects, are garbage never, and to look through them takes half a second each time.
    """
    gc.disable()
    try:
        if "PYTEST_XDIST_WORKER" in os.environ and session.config.args == session.config.getini("testpaths"):
            worker, count = os.environ["PYTEST_XDIST_WORKER"], os.environ["PYTEST_XDIST_WORKER_COUNT"]
            _imported_in_turns(session.config, int(worker.removeprefix("gw")), int(count))
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _imported_in_turns(config: pytest.Config, worker: int, count: int) -> None:
    """Import the tests from another one on than the other workers do. In a new checkout no module is compiled yet, and in one
    order each worker would compile all of them, at the same time as the others; so it finds what another has compiled.
    """
    files = sorted((config.rootpath / "tests").rglob("test_*.py"))
    left_out = {config.rootpath / name for name in config.getoption("ignore") or ()}
    for file in files[len(files) * worker // count :] + files[: len(files) * worker // count]:
        if file not in left_out:
            with suppress(Exception, pytest.skip.Exception):  # who collects it will tell
                import_module(".".join(file.relative_to(config.rootpath).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that fails leaves open what it would have closed. It is closed here, without a warning: the interpreter keeps it
    with the error until the next test begins, and that one would fail for it.
    """
    before = item.session.testsfailed
    Running.marked = any(item.get_closest_marker(name) is not None for name in ("more", "some"))
    done = yield
    if item.session.testsfailed > before:
        for name in ("last_exc", "last_type", "last_value", "last_traceback"):
            if hasattr(sys, name):
                delattr(sys, name)
        hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gc.collect()
        finally:
            sys.unraisablehook = hook
    return done


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What hypothesis draws for is part of `make more`. What needs third-party data is left out where there is none. Of what is
    broad, so much is tried as its mark says, unless a case is asked for by name.

    Where several processes share the tests, the files come as if shuffled: those that wait for servers stand together in their
    rooms, and no core has anything to do while all processes wait.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("more")
    named = config.option.keyword or any("[" in argument for argument in config.args)
    if not WHOLE and not named:
        marks = ((item, item.get_closest_marker("some")) for item in items)
        broad = [(item, mark.args[0]) for item, mark in marks if mark is not None and mark.args]
        chosen = of_each_test([(item.nodeid.partition("[")[0], most, _values(item)) for item, most in broad])
        _leave_out(config, items, [item for at, (item, _) in enumerate(broad) if at not in chosen])
    if not CORPORA.is_dir():
        _leave_out(config, items, [item for item in items if OUTSIDE in getattr(item, "fixturenames", ())])
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: crc32(item.nodeid.partition("::")[0].encode()))


def _values(item: pytest.Item) -> dict[str, int]:
    """The value of each parameter: the cases of a test share the objects."""
    return {name: id(value) for name, value in item.callspec.params.items()} if hasattr(item, "callspec") else {}


def _leave_out(config: pytest.Config, items: list[pytest.Item], out: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=out)
    left = set(out)
    items[:] = [item for item in items if item not in left]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say so when tests were left out."""
    if not CORPORA.is_dir():
        terminalreporter.write_line(f"left out: the tests over third-party data (CORPORA names its folder; no {CORPORA})")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Browser]:
    """The browser of a module's tests, which run in its loop; each has contexts of its own. To start one takes a second."""
    from tests.kit.browser import browser  # deferred: `make lowest` has no driver

    async with browser() as started:
        yield started


@pytest.fixture(scope="module")
def pages(chromium: Browser) -> Pages:
    """The pages of that browser, which are used again."""
    from tests.kit.browser import Pages  # deferred as well

    return Pages(chromium)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of third-party data: a test that asks for it is collected only where the folder is."""
    return CORPORA


@pytest.fixture(scope="session")
def recordings(corpora: Path) -> list[Recording]:
    """Every recording whose protocol is known."""
    return recorded(corpora)


def pytest_configure(config: pytest.Config) -> None:
    """`make prove` writes its page from what ran."""
    page = os.environ.get("PROVE")
    if page:
        config.pluginmanager.register(Proof(Path(page)), "proof")


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Runs pytest with no plugins but its own and those that a test names: to load all that are installed takes a second."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


@pytest.fixture
def cases(record_property: Callable[[str, object], None]) -> Cases:
    """Says how many cases a test has tried, on top of those that it has said already."""
    return lambda count: record_property("cases", count)
