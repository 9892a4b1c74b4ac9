"""The declarations in Rust and the documentation agree."""

from package import generate
from polars_auc import _native

COLUMNS = {"label", "score", "score_a", "score_b"}
"""Parameters with a shared entry in functions on frames."""


def test_the_snapshot_is_what_was_built() -> None:
    """Test the snapshot; ``tests/python/package/generate.py`` rewrites it."""
    assert generate.declarations() == generate.snapshot()


def test_signatures_and_docstrings_are_those_that_are_declared() -> None:
    """Test signatures and docstrings; ``tests/python/package/generate.py`` rewrites them."""
    modules = sorted(generate.PACKAGE.glob("_expressions/*.py"))
    assert len(modules) > 10
    for path in modules:
        assert generate.rewritten(path) == path.read_text(encoding="utf-8"), path.name


def test_the_reference_has_the_docstrings() -> None:
    """Test the reference; ``tests/python/package/generate.py`` rewrites it."""
    assert len(generate.pages()) > 18
    for path, text in generate.pages().items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_standard_parameters_have_one_wording() -> None:
    """Test also functions without a declared statistic."""
    standard = generate.declarations()["standard"]
    declared = _native.declarations()["functions"]
    seen = set()
    for path in generate.sources():
        for function, parameter, _, text in generate.entries(path.read_text(encoding="utf-8")):
            if function in declared or parameter not in standard.keys() - COLUMNS:
                continue
            seen.add(parameter)
            assert text.startswith(standard[parameter].rstrip(".")), (function, parameter)
    assert seen >= {"alternative", "cluster", "count", "level", "margin", "null", "state", "weight"}


def test_the_fuzzer_calls_every_expression() -> None:
    names = [name for name, _, _ in generate.declarations()["expressions"]]
    assert sorted(generate.names_in_fuzzer()) == sorted(names)
