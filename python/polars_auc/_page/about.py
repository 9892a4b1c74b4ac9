"""Descriptions of a report's rows, options and exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import polars as pl

from polars_auc._frames.groupings import GROUPING, group_names
from polars_auc._page.text import counted
from polars_auc._plots.names import key_text
from polars_auc._plots.trend import period_of
from polars_auc._plugin.errors import for_front_end, per_front_end
from polars_auc._plugin.periods import period_dtype
from polars_auc._report.nan import skipped_message
from polars_auc._report.options import ReportOptions

# Largest number of names in a list of scores or periods.
_MAX_NAMES = 4


def needed(options: ReportOptions, score: str = "score") -> str:
    """Return the columns without which rows are skipped, with the name of the score.

    A state does not distinguish null from NaN that counts as missing.
    """
    if options.weight is not None:
        return f"label or {score}, or a weight that is null or 0"
    return f"label, cluster or {score}" if options.cluster is not None else f"label or {score}"


def skipped(options: ReportOptions, table: pl.DataFrame, name: Callable[[str], str] = str) -> list[str]:
    """Return the number of skipped rows of each score; a function formats the name."""
    n_nan = pl.col("n_nan") if "n_nan" in table.columns else pl.lit(0, dtype=pl.UInt64).alias("n_nan")
    rows = table.filter(pl.col("scope") == "overall", pl.col("n_missing") > 0)
    lines = []
    for score, missing, unlabelled, nan in rows.select("score", "n_missing", "n_unlabelled", n_nan).rows():
        of = name(score)
        if missing > nan:
            only = f"; {unlabelled:,} of them only for the label" if unlabelled else ""
            lines.append(
                f"{of}: {counted(missing - nan, 'row')} skipped for a missing {needed(options)}{only}"
            )
        if nan:
            lines.append(skipped_message(of, nan))
    return lines


def areas_that_are_nan(table: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Return the groups and scores whose AUC is NaN; a report has no count of their NaN rows."""
    keys = [] if GROUPING in table.columns else list(by)
    rows = table.filter(pl.col("auc").is_nan(), scope="group" if keys else "overall")
    return rows.select(*keys, "score", pl.lit(None, dtype=pl.UInt64).alias("n_nan"))


def areas_below_one_half(
    options: ReportOptions, table: pl.DataFrame, name: Callable[[str], str] = str
) -> list[str]:
    """Return a warning for scores whose AUC is below one half, with the option to reverse the direction."""
    overall = table.filter(pl.col("scope") == "overall")
    below = overall.filter(pl.col("auc") < 0.5)
    if below.is_empty():
        return []
    scores = [(name(score), f"{auc:#.2g}") for score, auc in below.select("score", "auc").rows()]
    direction, flags = "low", per_front_end("low_is_positive=True", "--low-is-positive")
    hint = f"write {flags}"
    if options.low_is_positive:
        direction, hint = "high", f"leave {per_front_end('low_is_positive', '--low-is-positive')} out"
    elif below.height < overall.height:
        hint = "negate it"
    several = ", ".join(f"{score} {auc}" for score, auc in scores[:_MAX_NAMES])
    more = f" and {len(scores) - _MAX_NAMES} more" if len(scores) > _MAX_NAMES else ""
    areas = f"{scores[0][1]}:" if overall.height == 1 else f"below 0.5: {several}{more};"
    return [f"AUC {areas} if a {direction} score means positive, {for_front_end(hint)}"]


def unfinished_periods(
    options: ReportOptions, table: pl.DataFrame, name: Callable[[str], str] = str
) -> list[str]:
    """Return the share of rows in periods with missing labels, such as the current period.

    Labels that arrive early are mostly positive.
    """
    period = period_of(table, options.along, least=2)
    if period is None:
        return []
    is_period = pl.col("scope") == "group", group_names(table.schema, period), pl.col(period).is_not_null()
    rows = table.filter(*is_period, pl.col("score") == table["score"][0])
    if GROUPING in table.columns:
        rows = rows.filter(pl.col(GROUPING) == rows[GROUPING].first())
    counts = pl.col("n", "n_pos", "n_unlabelled").sum()
    periods = rows.group_by(period).agg(counts)
    periods = periods.sort(pl.col(period).cast(period_dtype(periods[period])))
    unfinished = periods.filter(pl.col("n_unlabelled") > 0, pl.col("n") > 0)
    if unfinished.is_empty():
        return []
    texts = unfinished.select(key_text(period)).to_series().to_list()
    names = ", ".join(map(name, texts[-_MAX_NAMES:]))
    which = f"the last of {len(texts)}: {names}" if len(texts) > _MAX_NAMES else names
    n, n_pos = unfinished.select("n", "n_pos").sum().row(0)
    return [
        f"All rows include {counted(n, 'row')} ({n_pos:,} positive) of {counted(len(texts), 'period')} with "
        f"missing labels ({which}): in an incomplete period, positives are often labelled before negatives"
    ]


def without_interval(table: pl.DataFrame, name: Callable[[str], str] = str) -> list[str]:
    """Return the number of rows without an interval because a class has one row, and the first of them."""
    one = (pl.col("n_pos") == 1) | (pl.col("n") - pl.col("n_pos") == 1)
    rows = table.filter(pl.col("auc").is_not_null() & pl.col("lower").is_null() & one)
    if rows.is_empty():
        return []
    first = rows.row(0, named=True)
    what = "positive" if first["n_pos"] == 1 else "negative"
    return [
        f"{counted(rows.height, 'row')} of the report without an interval: a class has one row only, "
        f"so its variance is unknown; the first, of {name(first['score'])}, has one {what} in "
        f"{first['n']:,} rows"
    ]


def without_squares(
    table: pl.DataFrame, weighted_states: Sequence[str], name: Callable[[str], str] = str
) -> list[str]:
    """Return the number of rows of weighted states whose squared weights are missing or too small."""
    has_rows = (pl.col("n_pos") > 1) & (pl.col("n") - pl.col("n_pos") > 1)
    without = table.filter(pl.col("auc").is_not_nan(), pl.col("lower").is_null(), has_rows)
    return [
        f"{counted(rows.height, 'row')} of the report without an interval: the squares of the "
        f"weights in the states of {name(score)} are unknown or too small"
        for score in weighted_states
        if (rows := without.filter(score=score)).height
    ]


def groups_without_stability(table: pl.DataFrame) -> list[str]:
    """Return a message if all rows have a stability index and no group has one."""
    if "psi" not in table.columns:
        return []
    scopes = {scope for scope, psi in table.select("scope", "psi").rows() if psi is not None}
    if "group" not in table["scope"] or scopes != {"overall"}:
        return []
    return [
        "psi: no group has rows of the reference and others. If --by is made of a column that --stability "
        'names, let it name the column of --by, as in --by "EXTRACT(YEAR FROM day) AS year" --stability '
        '"year < 2016"'
    ]


def untested(table: pl.DataFrame) -> list[str]:
    """Return the number of rows whose alarm is not tested yet, and the number of missing periods."""
    if "alarm" not in table.columns:
        return []
    rows = table.filter(pl.col("alarm").is_null())
    waiting = rows.filter(pl.col("alarm_periods") <= pl.col("alarm_baseline"))
    lines = []
    if waiting.height:
        # The row with the most periods is tested first.
        first = waiting.row(waiting["alarm_periods"].arg_max() or 0, named=True)
        so_far = f"{first['alarm_periods']} of {counted(first['alarm_baseline'], 'period')}"
        if not first["alarm_baseline"]:
            so_far = "no period has a standard error"
        is_uniform = waiting.height == table.height and waiting["alarm_periods"].n_unique() == 1
        most = "" if is_uniform else f" in {counted(waiting.height, 'row')} of the report, at most"
        lines.append(f"alarm not tested yet{most or ':'} {so_far}")
    if stuck := rows.height - waiting.height:
        lines.append(
            f"alarm not tested in {counted(stuck, 'row')} of the report: no standard error above 0 in the "
            "baseline"
        )
    return lines


def about_rows(
    scores: Iterable[str],
    by: Sequence[str],
    name: Callable[[str], str],
    *,
    label: str | None = None,
    where: Sequence[str] = (),
    count: object = None,
    low_is_positive: bool = False,
    groupings: object = None,
) -> list[tuple[str, str]]:
    """Describe the rows of a table as pairs of head and text; a function formats the names."""
    pairs = [("Label", name(label))] if label is not None else []
    pairs.append(("Scores", ", ".join(map(name, scores))))
    if by:
        several = f" ({groupings})" if groupings else ""
        pairs.append(("Groups", f"by {', '.join(map(name, by))}{several}"))
    if low_is_positive:
        text = "low scores are positive; numbers are of the negated scores, and thresholds of a score"
        pairs.append(("Direction", f"{text} mean: positive if score <= threshold"))
    if where:
        pairs.append(("Rows", f"where {' and '.join(map(name, where))}"))
    if count is not None:
        pairs.append(("Counts", f"each row represents {name(str(count))} rows"))
    return pairs


def about_options(
    table: pl.DataFrame,
    options: ReportOptions,
    by: Sequence[str],
    name: Callable[[str], str],
    *,
    label: str | None = None,
    where: Sequence[str] = (),
    has_states: bool = False,
    weighted_states: Sequence[str] = (),
    previous: str | None = None,
) -> list[tuple[str, str]]:
    """Describe a report as pairs of head and text; a function formats the names."""

    def text(column: object) -> str:
        return name(str(column))

    pairs = about_rows(
        table["score"].unique(maintain_order=True),
        by,
        name,
        label=label,
        where=where,
        count=options.count,
        low_is_positive=options.low_is_positive,
        groupings=options.groupings,
    )
    if has_states:
        names = ", ".join(map(name, weighted_states))
        weighted = f"; the states of {names} are of weighted rows" if names else ""
        pairs.append(("Made of", f"states{weighted}"))
    if table["lower"].null_count() < table.height:
        pairs.append(about_intervals(options))
    lines = [*without_interval(table, name), *without_squares(table, weighted_states, name)]
    pairs += [("No interval", line) for line in lines]
    if options.cluster is not None:
        same = f"rows with the same {text(options.cluster)} belong together"
        pairs.append(("Clusters", f"{same}; intervals and comparisons do not take them as independent"))
    if options.user is not None:
        average = options.user_average or "macro"
        counts = "all count alike" if average == "macro" else f"each counts by its {average}"
        pairs.append(("Users", f"rows with the same {text(options.user)} are of one user; {counts}"))
    if options.stability is not None:
        pairs.append(("Stability", f"of scores, held against the rows where {text(options.stability)}"))
    if options.weight is not None:
        weighted = f"each row has the weight {text(options.weight)}"
        pairs.append(("Weights", f"{weighted}; numbers of rows are not weighted, except by band"))
    if options.nan is not None:
        rows = table.filter(pl.col("scope") == "overall").select("score", "n_nan").rows()
        numbers = ", ".join(f"{counted(number, 'row')} of {name(score)}" for score, number in rows)
        pairs.append(("NaN", f"taken for missing: {numbers}"))
    return [*pairs, *_about_tests(options, name, previous)]


def _about_tests(
    options: ReportOptions, name: Callable[[str], str], previous: str | None
) -> list[tuple[str, str]]:
    """Describe the comparisons and the adjustment of p-values."""
    pairs = []
    if options.compare:
        pairs.append(("Comparison", "of each score with the first, on the rows that have all scores"))
    if options.versus is not None:
        whom = {
            "rest": "the mean AUC of the other groups, each within its group",
            "pooled_rest": "the rows of all other groups together",
            "overall": "all rows",
            "previous": "the previous one",
        }
        versus = ",".join(options.versus) if isinstance(options.versus, tuple) else str(options.versus)
        pairs.append(("Differences", f"of each group from {whom.get(versus) or name(versus)}"))
    if previous is not None:
        pairs.append(("Changes", f"since the report {name(previous)}"))
    return [*pairs, about_adjustment(options, "all groups, all scores, and overall")] if pairs else []


def about_adjustment(options: ReportOptions, family: str) -> tuple[str, str]:
    """Describe the adjustment of p-values and the family of tests."""
    how = f"{options.adjust} over all tests in a column: {family}" if options.adjust else "none"
    return "Adjustment of p-values", how


def about_intervals(options: ReportOptions) -> tuple[str, str]:
    """Describe the method of the intervals."""
    resamples = ""
    if options.ci == "bootstrap":
        limits = ", BCa limits" if options.interval == "bca" else ""
        resamples = f"{limits}, {options.n_resamples or 2000} resamples, seed {options.seed or 0}"
    return "Intervals", f"{100 * options.level:.6g} %, by {options.ci}{resamples}"
