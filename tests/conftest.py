from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("EXAMPLES", "1000"))
"""How many documents each property is tried on; more under `make fuzz`."""

settings.register_profile("default", max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("default")

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"
"""Third-party test data, which stands beside the checkout where there is any."""


@pytest.fixture(scope="session")
def corpora() -> Path:
    if not CORPORA.is_dir():
        pytest.skip("the corpora are not beside this checkout")
    return CORPORA
