"""The fuzz targets: each has a corpus."""

import re
from pathlib import Path

FUZZ = Path(__file__).parents[2] / "fuzz"
TARGETS = FUZZ / "fuzz_targets"


def test_every_target_is_run_and_has_a_small_corpus() -> None:
    in_rust = re.findall(r'^name = "(\w+)"\npath', (FUZZ / "Cargo.toml").read_text("utf-8"), re.MULTILINE)
    in_python = [path.stem for path in TARGETS.glob("*.py") if path.stem != "words"]
    assert sorted(in_rust) == sorted(path.stem for path in TARGETS.glob("*.rs") if path.stem != "plugin")
    assert sorted(in_rust + in_python) == sorted(path.name for path in (FUZZ / "corpus").iterdir())
    assert {path.stem for path in (FUZZ / "words").iterdir()} == set(in_python)
    for folder in (FUZZ / "corpus").iterdir():
        sizes = [path.stat().st_size for path in folder.iterdir()]
        assert sum(size > 0 for size in sizes) > 3, folder
        assert max(sizes) <= 4096, folder
        assert len(sizes) <= 100, folder
