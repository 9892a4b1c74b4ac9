"""What is declared in Rust is what users read."""

from package import generate

OWN_MEANING = {
    "always_valid": "weight",
    "always_valid_change": "weight",
}
"""Parameters of a standard name that weigh something else: periods, and not rows."""


def test_the_snapshot_is_what_was_built() -> None:
    """Else run ``tests/python/package/generate.py``."""
    assert generate.declarations() == generate.snapshot()


def test_standard_parameters_have_one_wording() -> None:
    standard = generate.declarations()["standard"]
    seen = set()
    for path in generate.sources():
        for function, parameter, _, text in generate.entries(path.read_text(encoding="utf-8")):
            if parameter not in standard or OWN_MEANING.get(function) == parameter:
                continue
            seen.add(parameter)
            assert text.startswith(standard[parameter].rstrip(".")), (function, parameter)
    assert seen == set(standard)


def test_the_fuzzer_calls_every_expression() -> None:
    names = [name for name, _, _ in generate.declarations()["expressions"]]
    assert sorted(generate.names_in_fuzzer()) == sorted(names)
