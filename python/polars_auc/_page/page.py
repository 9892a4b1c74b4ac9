"""A report as a self-contained page that needs no network."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from polars_auc._frames.groupings import EVERY, GROUPING, group_names
from polars_auc._page.answers import few_rows, findings, prevalence_error
from polars_auc._page.charts import MAX_CURVES, charts
from polars_auc._page.details import Details
from polars_auc._page.document import await_libraries, document
from polars_auc._page.text import differing, is_exact
from polars_auc._plots.forest import has_few_rows
from polars_auc._plots.names import SCORE, key_text, plain_texts, score_text, visible
from polars_auc._plots.numbers import aligned, cell, number_format, places_of
from polars_auc._report.columns import CALIBRATION, CHANGES, DELTAS, OVERALL_COLUMNS, STABILITY
from polars_auc._report.options import ReportOptions

# Largest number of groups in the lists of undefined AUCs and of shifted scores.
_LISTED = 50

# Widths in em: a letter, a bold letter, the padding of a cell; and the longest unbroken part of a name
# on paper, in letters.
_LETTER, _BOLD, _SPACE, _NAME = 0.65, 0.74, 0.9, 24

_OVERALL = (
    "n",
    "n_pos",
    "prevalence",
    "auc",
    "auc_min",
    "auc_max",
    "lower",
    "upper",
    "se",
    "ks",
    "gini",
    "gini_lower",
    "gini_upper",
)
_FOLDS = ("cv_auc", "cv_lower", "cv_upper", "cv_se", "n_folds", "n_undefined")
_CALIBRATION = tuple(name for name in CALIBRATION if name != "calibration_p_value")
_USERS = ("user_auc", "user_lower", "user_upper", "user_se", "n_users", "n_users_undefined")
_BANDS = ("highest", "lowest", "n", "n_pos", "rate", "gain", "cum_fpr", "lift", "cum_lift", "ks")
_CALIBRATED_BANDS = ("mean_score", "expected_positives")
_SAMPLES = {
    "n_pos": "reference_n",
    "n_neg": "n",
    "pos_share": "reference_share",
    "neg_share": "share",
}
_POINTS = ("rule", "threshold", "tpr", "fpr", "precision", "accuracy", "tp", "fp", "fn", "tn")

# Renderer for numeric group names in the table of groups.
_KEY = """function (value, type) {
  if (type !== "display") return value;
  if (value === null || value === "") return "null";
  return Math.abs(value) === Infinity && typeof value === "number" ? (value > 0 ? "inf" : "-inf") : value;
}"""
# Cell marks: differences, and groups of few rows.
_DIFFERS = """function (cell, value) {
  if (typeof value === "number" && value <= LIMIT) cell.classList.add("differs");
}"""
_FEW = """function (cell, value, data, row) {
  if (PLACES.includes(row)) cell.classList.add("few");
}"""

# Reserved name: no user column has it.
_PLACE = "polars_auc: place"


def page(
    table: pl.DataFrame,
    details: Details,
    *,
    title: str,
    about: Sequence[tuple[str, str]],
    by: list[str],
    options: ReportOptions,
    columns: Sequence[str],
    needed: str,
    checks: Sequence[tuple[bool, str]] = (),
    nan_lines: Sequence[str] = (),
) -> str:
    """Render the page of a report."""
    await_libraries()
    overall = table.filter(pl.col("scope") == "overall")
    groups = _labelled_groups(table.filter(pl.col("scope") == "group"), by)
    level = options.level
    along = options.along if len(by) > 1 else options.axis_of(by)
    specs = charts(table, details, level, along)
    exact = is_exact(table)
    scores = overall["score"].n_unique()
    defined = groups.filter(
        pl.col("score").eq_missing(pl.lit(table["score"].first())), pl.col("auc").is_not_nan()
    )
    return document(
        "report.html.jinja",
        title=title,
        charts=specs,
        answers=findings(table, options, checks, nan_lines, details.with_nan),
        about=about,
        differing=differing(table, level),
        groups_differ=_differ(groups.select(columns), level),
        few_rows=few_rows(table, options.ci),
        percent=f"{100 * level:.6g} %",
        cards=_cards(overall, is_exact=exact),
        **_overall_tables(overall, level, is_exact=exact),
        **_detail_tables(details, is_exact=exact),
        moved=_moved(groups, by),
        described={name: chart["description"] for name, [chart, *_] in specs.items()},
        n_groups=defined.height,
        few=f" The first {MAX_CURVES} of {scores} scores are drawn." if scores > MAX_CURVES else "",
        is_exact=exact,
        groups=_sortable(groups, by, columns, level) if groups.height else None,
        group_widths=_widths_of_groups(groups.select(*by, "score", *columns)),
        n_names=len(by) + 1,
        quality=_cells(_quality(overall), ["score", "rows", "used", "skipped", "positives", "negatives"]),
        undefined=_undefined(groups, by),
        no_interval=_no_interval(table, by, details.weighted),
        listed=_LISTED,
        needed=needed,
        table_scripts=_table_scripts() if groups.height else "",
    )


def _differ(table: pl.DataFrame, level: float) -> bool:
    """Whether any cell is marked as a difference."""
    columns = [column for column in table if column.name.endswith("p_adjusted")]
    return any((column <= 1 - level).any() for column in columns)


def _overall_tables(overall: pl.DataFrame, level: float, *, is_exact: bool) -> dict[str, Any]:
    """Return the tables of numbers over all rows; tables absent from the report are None."""
    numbers = [name for name in _OVERALL if not (is_exact and name in ("auc_min", "auc_max"))]
    tables: dict[str, tuple[Sequence[str], float | None]] = {
        "overall": (numbers, None),
        "folds": (_FOLDS, None),
        "calibration": (_CALIBRATION, level),
        "users": (_USERS, None),
        "deltas": (tuple(DELTAS), level),
        "changes": (CHANGES, level),
        "stability": (tuple(STABILITY), None),
        "heterogeneity": (OVERALL_COLUMNS, None),
    }
    existing = {
        name: ([column for column in columns if column in overall.columns], marked)
        for name, (columns, marked) in tables.items()
    }
    return {
        name: _cells(overall, ["score", *columns], marked) if columns else None
        for name, (columns, marked) in existing.items()
    }


def _detail_tables(details: Details, *, is_exact: bool) -> dict[str, Any]:
    """Return the tables by score next to the charts, and their notes."""
    # The state does not contain the highest score of a bin.
    hidden = () if is_exact and not details.error else ("highest",)
    calibrated = [name for name in _CALIBRATED_BANDS if name in details.gains.columns]
    return {
        "bands": _by_score(details.gains, [*(name for name in _BANDS if name not in hidden), *calibrated]),
        "has_expected_positives": bool(calibrated),
        "thresholds": _by_score(details.thresholds, _POINTS, low_is_positive=details.low_is_positive),
        "stability_bands": _by_score(
            details.stability.rename(_SAMPLES, strict=False), [*_BANDS[:2], *_SAMPLES.values(), "psi"]
        ),
        "low_is_positive": details.low_is_positive,
        "first_scores": "lowest" if details.low_is_positive else "highest",
        "is_weighted": bool(details.gains.height) and details.gains.schema["n"].is_float(),
        "has_bands": details.bands.height > 0,
        "joined": f"{details.bins:,}" if details.error else None,
        "error": f"{details.error:.1g}",
    }


def _labelled_groups(groups: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Label groups of several groupings: a column outside the grouping contains "(all)"."""
    if GROUPING not in groups.columns:
        return groups
    texts = [
        pl.when(group_names(groups.schema, key)).then(key_text(key)).otherwise(pl.lit(EVERY)).alias(key)
        for key in by
    ]
    return groups.with_columns(texts)


def _cards(overall: pl.DataFrame, *, is_exact: bool) -> list[dict[str, str]]:
    return [
        {
            "score": visible(row["score"]),
            "auc": _text("auc", row["auc"]),
            "bounds": "" if is_exact else f"{_text('', row['auc_min'])} to {_text('', row['auc_max'])}",
            "interval": ""
            if row["lower"] is None or math.isnan(row["lower"])
            else f"{_text('auc', row['lower'])} to {_text('auc', row['upper'])}",
            "calibration": prevalence_error(row.get("observed_expected")),
            "ks": _text("ks", row["ks"]),
            "n": _text("n", row["n"]),
            "n_pos": _text("n", row["n_pos"]),
        }
        for row in overall.iter_rows(named=True)
    ]


def _text(name: str, value: object, places: int | None = None, *, low_is_positive: bool = False) -> str:
    """Format a value for a table."""
    if name == SCORE:
        return visible(str(value))
    return cell(name, value, places, "html", low_is_positive=low_is_positive)


def _cells(
    table: pl.DataFrame,
    names: Sequence[str],
    level: float | None = None,
    *,
    low_is_positive: bool = False,
) -> dict[str, Any]:
    """Return the heads, cells and numeric columns of a table; with a level, mark differences."""
    columns = []
    for name in names:
        places = places_of(name, table[name])
        texts = [_text(name, value, places, low_is_positive=low_is_positive) for value in table[name]]
        columns.append(aligned(name, texts, "html"))
    rows = [list(row) for row in zip(*columns, strict=True)]
    numeric = [table.schema[name].is_numeric() for name in names]
    marked = [
        {
            place
            for place, (name, value) in enumerate(zip(names, row, strict=True))
            if level is not None and name.endswith("p_adjusted") and value is not None and value <= 1 - level
        }
        for row in table.select(names).rows()
    ]
    return {**_table(list(names), numeric, rows), "marked": marked}


def _table(heads: list[str], numeric: list[bool], rows: list[list[Any]]) -> dict[str, Any]:
    """Return the heads, numeric columns, rows and width of a table."""
    longest = [max((len(str(row[place])) for row in rows), default=0) for place in range(len(heads))]
    return {
        "heads": heads,
        "numeric": numeric,
        "rows": rows,
        "marked": [()] * len(rows),
        "em": sum(_widths(heads, numeric, longest)),
    }


def _widths(heads: Sequence[str], numeric: Sequence[bool], longest: Sequence[int]) -> list[float]:
    """Estimate the widths of the columns of a table on paper, in em.

    Heads break after underscores, and long names break anywhere.
    """
    widths = []
    for head, is_number, length in zip(heads, numeric, longest, strict=True):
        head_width = max(map(len, head.split("_"))) + ("_" in head)
        # A number may have a mark behind it.
        cell_width = length + 2 * head.endswith(("n", "p_adjusted")) if is_number else min(length, _NAME)
        widths.append(round(max(_BOLD * min(head_width, _NAME), _LETTER * cell_width) + _SPACE, 2))
    return widths


def _widths_of_groups(groups: pl.DataFrame) -> list[float]:
    """Estimate the widths of the columns of the table of groups on paper."""
    numeric = [dtype.is_numeric() for dtype in groups.dtypes]
    longest = []
    for column in groups:
        ends = [column.min(), column.max()] if column.dtype.is_numeric() else [*plain_texts(column).unique()]
        places = places_of(column.name, column) if column.dtype.is_float() else None
        longest.append(max((len(_text(column.name, end, places)) for end in ends), default=0))
    return _widths(groups.columns, numeric, longest)


def _by_score(
    table: pl.DataFrame, names: Sequence[str], *, low_is_positive: bool = False
) -> dict[str, dict[str, Any]]:
    if table.is_empty():
        return {}
    return {
        visible(score): _cells(table.filter(pl.col("score") == score), names, low_is_positive=low_is_positive)
        for score in table["score"].unique(maintain_order=True)
    }


def _moved(groups: pl.DataFrame, by: list[str]) -> dict[str, Any] | None:
    """List the groups with the largest stability index; infinity sorts first."""
    if "psi" not in groups.columns:
        return None
    moved = groups.filter(pl.col("psi").is_not_null()).sort("psi", descending=True, maintain_order=True)
    if moved.is_empty():
        return None
    has_groupings = GROUPING in groups.columns
    keys = moved.head(_LISTED).select(pl.col(key) if has_groupings else key_text(key) for key in by)
    cells = _cells(moved.head(_LISTED), ["score", *STABILITY])
    return {
        "number": moved.height,
        "has_infinite": moved["psi"].is_infinite().any(),
        "cells": _table(
            [*by, *cells["heads"]],
            [False] * len(by) + cells["numeric"],
            [[*key, *row] for key, row in zip(keys.rows(), cells["rows"], strict=True)],
        ),
    }


def _quality(overall: pl.DataFrame) -> pl.DataFrame:
    return overall.select(
        "score",
        rows=pl.col("n") + pl.col("n_missing"),
        used="n",
        skipped="n_missing",
        positives="n_pos",
        negatives=pl.col("n") - pl.col("n_pos"),
    )


def _undefined(groups: pl.DataFrame, by: list[str]) -> dict[str, Any] | None:
    """List the groups without an AUC, with the reason."""
    why = (
        pl.when(pl.col("auc").is_nan())
        .then(pl.lit("a score is NaN"))
        .when(pl.col("n") == 0)
        .then(pl.lit("no row has a label and a score"))
        .when(pl.col("n_pos") == 0)
        .then(pl.lit("no row is positive"))
        .when(pl.col("n_pos") == pl.col("n"))
        .then(pl.lit("no row is negative"))
    )
    return _listed(groups.filter(pl.col("auc").is_null() | pl.col("auc").is_nan()), by, why)


def _no_interval(table: pl.DataFrame, by: list[str], weighted: Sequence[str]) -> dict[str, Any] | None:
    """List the rows with an AUC and no interval, with the reason."""
    why = (
        pl.when(pl.col("n_pos") == 1)
        .then(pl.lit("one row is positive, so its variance is unknown"))
        .when(pl.col("n") - pl.col("n_pos") == 1)
        .then(pl.lit("one row is negative, so its variance is unknown"))
        .when(pl.col("score").is_in(weighted))
        .then(pl.lit("the squares of the weights in the state are unknown or too small"))
        .otherwise(pl.lit("its variance cannot be estimated"))
    )
    scope = "group" if by else "overall"
    without = table.filter(pl.col("auc").is_not_nan(), pl.col("lower").is_null(), scope=scope)
    # If no row has an interval, and states are not the reason, the head of the page explains it.
    return _listed(_labelled_groups(without, by), by, why) if weighted or table["lower"].count() else None


def _listed(rows: pl.DataFrame, by: list[str], why: pl.Expr) -> dict[str, Any] | None:
    """List the first rows with a reason."""
    if rows.is_empty():
        return None
    # A group column may have any name, also that of the reason column.
    has_groupings = GROUPING in rows.columns
    keys = rows.head(_LISTED).select(pl.col(key) if has_groupings else key_text(key) for key in by)
    cells = [
        [*key, visible(score), f"{n:,}", reason]
        for key, (score, n, reason) in zip(
            keys.rows(), rows.head(_LISTED).select("score", "n", why).rows(), strict=True
        )
    ]
    numeric = [False] * (len(by) + 1) + [True, False]
    return {"number": rows.height, "cells": _table([*by, "score", "n", "why"], numeric, cells)}


def _sortable(groups: pl.DataFrame, by: list[str], columns: Sequence[str], level: float) -> str:
    """Return the table of groups, which the reader can sort and filter; keys may already be text."""
    from itables import JavascriptFunction, to_html_datatable

    table = groups.select(*by, "score", *columns)
    is_text = GROUPING in groups.columns
    few = groups.with_row_index(_PLACE).filter(has_few_rows(groups.schema))[_PLACE].to_list()
    table = table.with_columns(
        score_text(),
        *(key_text(key) for key in by if not is_text and not table.schema[key].is_numeric()),
        # More digits enlarge the page; table files contain all of them.
        (pl.selectors.float() - pl.selectors.by_name(by)).round_sig_figs(7),
    )
    definitions = []
    for place, (name, dtype) in enumerate(table.schema.items()):
        more: dict[str, Any] = {}
        if place < len(by):
            render = _KEY
        elif dtype.is_float():
            if name.endswith("p_adjusted"):
                more["createdCell"] = JavascriptFunction(_DIFFERS.replace("LIMIT", repr(1 - level)))
            render = number_format(name, "html", places=places_of(name, table[name]))
        elif dtype.is_integer():
            render = number_format(name, "html", is_integer=True)
            if name == "n" and few:
                more["createdCell"] = JavascriptFunction(_FEW.replace("PLACES", str(few)))
        else:
            continue
        definitions.append({"targets": [place], "render": JavascriptFunction(render), **more})
    html = to_html_datatable(
        table,
        connected=False,
        table_id="groups-table",
        display_logo_when_loading=False,
        show_dtypes=False,
        maxBytes=0,
        maxColumns=0,
        classes="display compact",
        style="width:auto;margin:0",
        lengthMenu=[25, 100, 1000],
        layout={"topStart": "pageLength", "topEnd": "search", "bottomStart": "info", "bottomEnd": "paging"},
        columnDefs=definitions,
        format_floats_in_python=False,
    )
    # The loading message and footnote are for notebooks only.
    return re.sub(r"<sup>.*?</sup>", "", re.sub(r"Loading ITables.*?</td>", "</td>", html, flags=re.DOTALL))


def _table_scripts() -> str:
    from itables import options
    from itables.javascript import generate_init_offline_itables_html

    html = generate_init_offline_itables_html(options.dt_bundle)
    return re.sub(r"<noscript>.*?</noscript>", "", html, flags=re.DOTALL)
