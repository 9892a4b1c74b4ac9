"""Results of R and Python packages for the same data, record by record.

The function in ``goldens.CHECKS`` checks a record, or ``NOT_HERE`` has the reason for not comparing it. A
record of any other function fails. A field without a comparison also needs a reason.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from goldens import CHECKS, comparisons
from goldens.not_compared import PAGE, NotCompared
from goldens.rows import Answers, Apart, Record, number_of_resamples, weight_of

SHIPPED = Path(__file__).parents[2] / "goldens"
FOLDERS = [SHIPPED, *(Path(folder) for folder in [os.environ.get("POLARS_AUC_GOLDENS")] if folder)]
KINDS = (
    *("auc", "ks", "roc_points", "pr", "edge", "weighted", "pauc"),
    *("coords_all", "coords_at", "coords_best", "optimal_cutpoints"),
    *("delong", "clustered", "boot_auc", "boot_curve"),
    *("smooth",),
    *("mwu", "rank_exact", "brunner_munzel", "kruskal"),
    *("roc_test", "boot_test", "venkatraman", "segments", "cv", "p_adjust", "power"),
    "multiclass",
)

NOT_HERE = {
    "Hmisc::rcorr.cens": "ties in the score are treated by an option of its own",
    "scipy.stats.ttest_ind": "a test of means",
    "scipy.stats.f_oneway": "a test of means",
    "scipy.stats.combine_pvalues": "one p-value from many",
    "coin::median_test": "a test of medians",
    "coin::oneway_test": "a test of means",
    "sklearn.metrics accuracy/log_loss": "accuracy and log loss of several classes",
    "boot_test pROC::cov": "a covariance by bootstrap",
    "pROC::ci.coords": "of thresholds that are equally good it takes one at random",
}

P_VALUE = re.compile(r"(^|_)p(_|$)")
ADJUSTED = set(comparisons.ADJUSTMENTS)
RESAMPLE_FIELDS = ("mc_se", "mean_of_40_short_runs")


def convention(record: Record) -> str | None:
    """Return the reason why a record of a checked function does not apply."""
    function, arguments = record["function"], record["arguments"]
    if record.get("error") is not None or "returned" in (record["result"] or {}):
        return "the package refuses this input"
    if arguments.get("direction") == "auto":
        return "a direction picked from the data"
    single_class = str(arguments.get("subcase", "")).startswith("single_class")
    if function == "sklearn.metrics.roc_curve" and single_class:
        return "half a curve, with NaN; ours is null"
    if function.endswith("average_precision_score") and arguments.get("subcase") == "single_class_neg":
        return "0 without positives; ours is null"
    return None


def records() -> Iterator[tuple[Path, Record]]:
    for folder in FOLDERS:
        for path in sorted((folder / "values").glob("*.json")):
            result = json.loads(path.read_text())
            if result["kind"] in KINDS:
                for record in result["records"]:
                    yield folder, record


@functools.cache
def table(folder: Path, case: str) -> pl.DataFrame | None:
    """Read a case's rows, from another folder if this one lacks them."""
    paths = [place / "data" / f"{case}.parquet" for place in (folder, *FOLDERS)]
    return next((pl.read_parquet(path) for path in paths if path.exists()), None)


def close(got: Any, expected: Any, tolerance: Record, name: str) -> bool:
    if isinstance(expected, list):
        return len(got) == len(expected) and all(
            close(*pair, tolerance, name) for pair in zip(got, expected, strict=True)
        )
    if isinstance(expected, dict) and "den" in expected:
        return bool(got == expected["num"] / expected["den"])
    if isinstance(expected, dict):
        return expected.keys() <= got.keys() and all(
            close(got[key], value, tolerance, key) for key, value in expected.items()
        )
    if isinstance(expected, str) and expected not in ("nan", "inf", "-inf"):
        return bool(got == expected)
    if expected is None or expected == "nan":
        return got is None or math.isnan(got)
    expected = float(expected)
    if got is None or math.isinf(expected):
        return bool(got == expected)
    # The tolerance of a p-value is relative, and some records have one only for interval limits. 1e-9 is the
    # tolerance of all others.
    is_p = P_VALUE.search(name) is not None or name in ADJUSTED
    absolute = tolerance.get("abs_p", 0.0) if is_p else tolerance.get("abs", 0.0)
    if name in ("conf_int", "estimate"):
        absolute = max(absolute, tolerance.get("abs_conf_int", 0.0))
    return bool(abs(got - expected) <= max(absolute, tolerance.get("rel", 1e-9) * abs(expected)))


def near(got: Any, expected: Any, errors: list[float], step: float = 0.0) -> bool:
    """Compare random results within five Monte Carlo errors of the difference.

    Discrete results may differ by one more ``step``.
    """
    got, expected = (value if isinstance(value, list) else [value] for value in (got, expected))
    return all(
        abs(ours - theirs) <= max(5 * error + step, 1e-9 * abs(theirs))
        for ours, theirs, error in zip(got, expected, errors, strict=True)
    )


def monte_carlo_errors(record: Record, result: Answers) -> dict[str, list[float]]:
    """Return the Monte Carlo error of our number minus theirs, by field; empty for deterministic fields."""
    answers = record["result"]
    if isinstance(answers.get("mc_se"), list):
        n_resamples = record["arguments"]["boot.n"]
        ours = number_of_resamples(record)
        scale = math.sqrt(1 + n_resamples / ours)
        errors = iter(answers["mc_se"])
        sizes = {name: len(value) if isinstance(value, list) else 1 for name, value in result.items()}
        scaled = {name: [scale * next(errors) for _ in range(size)] for name, size in sizes.items()}
        assert next(errors, None) is None
        return scaled
    if "mc_se_sd" in answers:
        return {"bootstrap_sd": [answers["mc_se_sd"]], "percentile_95": answers["mc_se_percentiles"]}
    return {}


def check(folder: Path, record: Record) -> tuple[str | None, list[str]]:
    """Compare the record, or skip it with the reason; fields may be skipped with a reason."""
    weighted = weight_of(record) is not None and record["kind"] != "multiclass"
    kind = "weighted" if weighted else record["kind"]
    names = (f"{kind} {record['function']}", record["function"])
    reason = next((NOT_HERE[name] for name in names if name in NOT_HERE), None) or convention(record)
    if reason is not None:
        return reason, []
    case = record["arguments"].get("data_case")
    frame = table(folder, case or record["case"])
    if case is not None and frame is None:
        return "its data set is in the other folder", []
    compare = next(CHECKS[name] for name in names if name in CHECKS)
    got = compare(pl.DataFrame() if frame is None else frame, record)
    if isinstance(got, Apart):
        return got, []
    answers = record["result"] if isinstance(record["result"], dict) else {"rows": record["result"]}
    result = {name: value for name, value in answers.items() if not name.startswith(RESAMPLE_FIELDS)}
    errors = monte_carlo_errors(record, result) if record["tolerance"]["type"] == "monte_carlo" else {}
    apart = []
    for name, expected in result.items():
        assert name in got, f"{record['id']}: nothing is said of {name}"
        if isinstance(got[name], Apart):
            apart.append(f"{name}: {got[name]}")
        elif name in errors:
            same = near(got[name], expected, errors[name], got.get("step", 0.0))
            assert same, (record["id"], name, got[name], expected)
        else:
            same = close(got[name], expected, record["tolerance"], name)
            assert same, (record["id"], name, got[name], expected)
    assert len(apart) < len(result), f"{record['id']}: nothing is compared"
    return None, apart


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_goldens(folder: Path) -> None:
    reasons: Counter[str] = Counter()
    fields: Counter[str] = Counter()
    failures = []
    for place, record in records():
        if place == folder:
            try:
                reason, apart = check(folder, record)
            except Exception as failure:
                # A failing record must not hide other failures.
                failures.append(f"{record['id']} ({record['function']}): {type(failure).__name__}: {failure}")
                continue
            reasons[reason or "agrees"] += 1
            fields.update(apart)
    print("\n".join(f"{count:5} {reason}" for reason, count in reasons.most_common()))
    print("fields not compared, in records that agree")
    print("\n".join(f"{count:5} {reason}" for reason, count in fields.most_common()))
    assert not failures, f"{len(failures)} records fail:\n" + "\n".join(failures)
    assert reasons["agrees"] >= 600, "the goldens are there, and most of them apply"


def not_compared() -> NotCompared:
    found = NotCompared()
    for folder, record in records():
        found.add(record["function"], *check(folder, record))
    return found


def test_the_page_lists_what_is_not_compared() -> None:
    found, written = not_compared(), PAGE.read_text(encoding="utf-8")
    write = "write the page anew: PYTHONPATH=tests/python python -m goldens.not_compared"
    assert len(FOLDERS) == 1 or written == found.page(), write
    for reason in (*found.answers, *found.fields):
        assert f"| {reason} |" in written


def test_a_failing_record_names_itself_and_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = [(place, record) for place, record in records() if place == SHIPPED]
    changed = [it for it in shipped if it[1]["function"] == "sklearn.metrics.roc_auc_score"][:2]
    assert len(changed) == 2
    for _, record in changed:
        record["result"] = {"nothing of ours": 0.5}
    monkeypatch.setitem(globals(), "records", lambda: iter(shipped))
    with pytest.raises(AssertionError, match="2 records fail") as failed:
        test_goldens(SHIPPED)
    assert all(record["id"] in str(failed.value) for _, record in changed)
