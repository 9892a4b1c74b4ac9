"""The number of random cases of the tests."""

import os

from hypothesis import settings

# A quarter of the cases keeps the run short; `pytest --hypothesis-profile=all` runs all of them.
settings.register_profile("few", max_examples=5, deadline=None)
settings.register_profile("some", max_examples=25, deadline=None)
settings.register_profile("all", max_examples=100, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile("some")


def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than cores: some tests wait for processes or files."""
    return (os.cpu_count() or 1) + 1
