"""How many random cases the tests take."""

import os

from hypothesis import settings

# One in four, so that a newcomer waits for minutes only; `pytest --hypothesis-profile=all` takes all of them.
settings.register_profile("few", max_examples=5, deadline=None)
settings.register_profile("some", max_examples=25, deadline=None)
settings.register_profile("all", max_examples=100, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile("some")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: some tests wait for a process that they start, or for a file."""
    return (os.cpu_count() or 1) + 1
