"""``--history``: the AUCs and calibration of earlier periods, and the tests over all periods."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from polars_auc._cli.refusal import Refusal, as_refusal, first_line, flag
from polars_auc._cli.sql import column
from polars_auc._commands.lock import file_lock
from polars_auc._commands.output import save
from polars_auc._expressions.comparisons import adjust_p_values
from polars_auc._expressions.monitoring import (
    BASELINE,
    BASELINE_WITHOUT_COUNTS,
    always_valid,
    always_valid_change,
)
from polars_auc._frames.groupings import GROUPING
from polars_auc._page.text import counted
from polars_auc._plots.forest import group_name
from polars_auc._plots.names import OVERALL, score_text
from polars_auc._plugin.periods import period_order
from polars_auc._report.changes import keys_of_report
from polars_auc._report.columns import ALARMS, CALIBRATION_ALARMS
from polars_auc._report.options import ReportOptions

# Metadata key of the options of the report.
_KEY = "polars_auc.history"

_PERIOD = "period"
_ESTIMATES = ["n", "n_pos", "auc", "se"]
_CALIBRATION = ["observed_minus_expected", "observed_minus_expected_se"]

# Reserved names: no user column has them.
_TEST, _MEAN, _EXCESS = "polars_auc: test", "polars_auc: mean", "polars_auc: excess"
_N_NEG, _WEIGHT = "polars_auc: n_neg", "polars_auc: weight"

# The report of its period shows an error for NaN; later periods ignore it.
_AUC, _SE = (pl.col(name).fill_nan(None) for name in ("auc", "se"))
_IS_DEFINED = _AUC.is_not_null() & _SE.is_not_null()

# The largest weight of a period; the smallest positive one is its reciprocal.
_MAX_WEIGHT = 1e100

# The maximum number of panels in the chart of a page.
_MAX_PANELS = 12

_FIELDS = {
    "alarm_change": "change",
    "alarm_lower": "lower",
    "alarm_upper": "upper",
    "alarm_p_value": "p_value",
}


class History:
    """A Parquet file with a row for each period, group and score."""

    def __init__(
        self,
        file: Path,
        period: str,
        options: Mapping[str, str],
        test: HistoryTest,
        *,
        backfill: bool = False,
    ) -> None:
        """Read the file if it exists; raise for an invalid history, or one with other options."""
        if file.suffix != ".parquet":
            raise Refusal(f"{flag('history')} must end in .parquet, got {str(file)!r}")
        if not file.parent.is_dir():
            raise Refusal(
                f"{flag('history')} is to be in the folder {str(file.parent)!r}, which is not there"
            )
        self.file, self.period, self.options = file, period, dict(options)
        self.test, self.backfill = test, backfill
        self._version: tuple[int, int, int] | None = None
        self.rows: pl.DataFrame | None = None
        self.trend, self._now = pl.DataFrame(), pl.DataFrame()
        with file_lock(file):
            self._read()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the file until this report is saved; read the file again if it has changed."""
        with file_lock(self.file):
            self._read()
            yield

    def _read(self) -> None:
        """Read the file if it exists and has changed."""
        version = _version(self.file)
        if version is None:
            self.rows = None
            return
        if version == self._version:
            return
        try:
            saved_options = dict(json.loads(pl.read_parquet_metadata(self.file)[_KEY]))
            self.rows = pl.read_parquet(self.file, memory_map=False)
        except (KeyError, ValueError, TypeError) as error:
            raise Refusal(f"{str(self.file)!r} is not a history of polars-auc report") from error
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise Refusal(f"cannot read {str(self.file)!r}: {first_line(error)}") from error
        for name in {**saved_options, **self.options}:
            before, now = (
                f"with {name} {options[name]}".rstrip() if name in options else f"without {name}"
                for options in (saved_options, self.options)
            )
            if before != now:
                raise Refusal(
                    f"{str(self.file)!r} is of reports {before}, and this one is {now}: their AUCs answer "
                    "different questions. Hint: write another file"
                )
        self._version = version

    def add_to(self, report: pl.DataFrame, options: ReportOptions, *, has_weights: bool) -> pl.DataFrame:
        """Return a report with the change of each AUC over the periods, and the alarms.

        With ``has_weights`` the AUCs are of weighted rows, or of states of weighted rows.
        """
        keys = keys_of_report(report.schema)
        if _PERIOD in keys:
            raise Refusal(
                f"the group column {_PERIOD!r} has the name of a column of the history. Hint: rename it"
            )
        has_calibration = set(_CALIBRATION) <= set(report.columns)
        kept = self.rows is not None and set(_CALIBRATION) <= set(self.rows.columns)
        calibration = (
            pl.col(name) if has_calibration else pl.lit(None, dtype=pl.Float64).alias(name)
            for name in (_CALIBRATION if has_calibration or kept else ())
        )
        now = report.select(pl.lit(self.period).alias(_PERIOD), *keys, *_ESTIMATES, *calibration)
        with as_refusal():
            earlier = self._earlier(now)
            in_order = self._in_order(earlier)
            everything = pl.concat([earlier.filter(pl.col(_PERIOD) != self.period), now])
            everything = everything.cast({_PERIOD: in_order}).sort(_PERIOD, maintain_order=True)
            self._now = everything.cast({_PERIOD: pl.String})
            this = pl.lit(self.period, dtype=in_order)
            periods = everything.filter(pl.col(_PERIOD) <= this)
            are_simple = not has_weights and options.cluster is None
            tested = self.test.add_to(periods, keys, options.level, are_simple=are_simple)
            self.trend = _trend(tested, keys, options)
            alarms = tested.filter(pl.col(_PERIOD) == this)
            fields = [pl.col(_TEST).struct.field(field).alias(name) for name, field in _FIELDS.items()]
            further = list(CALIBRATION_ALARMS) if has_calibration else []
            fields += [pl.col(_EXCESS).struct.field(CALIBRATION_ALARMS[name]).alias(name) for name in further]
            table = report.join(
                alarms.select(*keys, "alarm_since", "alarm_periods", "alarm_baseline", *fields),
                on=keys,
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )
            p_adjusted = adjust_p_values("alarm_p_value", method=options.adjust).alias("alarm_p_adjusted")
            # Without a test the alarm is null.
            alarm = pl.col("alarm_p_adjusted") <= 1 - options.level
            table = table.with_columns(p_adjusted).with_columns(alarm=alarm)
            if has_calibration:
                excess_p_adjusted = adjust_p_values("calibration_alarm_p_value", method=options.adjust)
                table = table.with_columns(calibration_alarm_p_adjusted=excess_p_adjusted)
                is_off = pl.col("calibration_alarm_p_adjusted") <= 1 - options.level
                table = table.with_columns(calibration_alarm=is_off)
        return table.select(*report.columns, *ALARMS, *further)

    def _in_order(self, earlier: pl.DataFrame) -> pl.Enum:
        """Return the periods in order; raise for an unexpected new period before all others."""
        names = earlier[_PERIOD].unique().to_list()
        try:
            period_order([self.period])
        except ValueError as error:
            raise Refusal(f"{flag('period')} {error}") from error
        try:
            order = period_order({*names, self.period})
        except ValueError as error:
            raise Refusal(
                f"{flag('period')} {self.period!r} cannot be ordered in {str(self.file)!r}: {error}"
            ) from error
        if names and self.period not in names and order[0] == self.period and not self.backfill:
            raise Refusal(
                f"{flag('period')} {self.period!r} comes before all periods of {str(self.file)!r}, which "
                f"begin with {order[1]!r}; if that is right, write {flag('backfill')}"
            )
        return pl.Enum(order)

    def _earlier(self, now: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of the file, with the dtypes of the report."""
        if self.rows is None:
            return now.clear()
        if "n_pos" not in self.rows.columns:
            # Files of earlier releases have no positives.
            self.rows = self.rows.with_columns(n_pos=None)
        # Earlier reports may have no calibration.
        new = [name for name in _CALIBRATION if name in now.columns and name not in self.rows.columns]
        self.rows = self.rows.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in new)
        missing = [name for name in now.columns if name not in self.rows.columns]
        further = [name for name in self.rows.columns if name not in now.columns]
        if missing or further:
            has = f"has no column {missing[0]!r}" if missing else f"has a column {further[0]!r} too many"
            raise Refusal(
                f"{str(self.file)!r} {has}, so it is of other groups or of another release of polars-auc. "
                "Hint: "
                "write another file"
            )
        try:
            rows = self.rows.select(pl.col(name).cast(dtype) for name, dtype in now.schema.items())
        except pl.exceptions.PolarsError as error:
            raise Refusal(
                f"{str(self.file)!r} has a column of another dtype than this report: {first_line(error)}. "
                "Hint: "
                "write another file"
            ) from error
        is_wrong = pl.col(_PERIOD).is_null() | ~_AUC.is_between(0, 1) | (_SE < 0)
        # A negative number of negatives would overflow an unsigned integer.
        is_wrong |= pl.col("n_pos") > pl.col("n")
        if (wrong := rows.filter(is_wrong)).height:
            period, n, n_pos, auc, se = wrong.select(_PERIOD, *_ESTIMATES).row(0)
            raise Refusal(
                f"{str(self.file)!r} has a row of the period {period!r}, the AUC {auc} and the standard "
                f"error {se}, with {n_pos} positives in {n} rows, so it is not a history"
            )
        if rows.select(pl.struct(pl.exclude(*_ESTIMATES, *_CALIBRATION)).is_duplicated().any()).item():
            raise Refusal(
                f"{str(self.file)!r} has two rows for one period, group and score, so it is not a history"
            )
        return rows

    def save(self) -> str:
        """Write the file with this period, and return a message; an existing period of this name is replaced.

        The caller holds the lock.
        """

        def contents() -> bytes:
            file = io.BytesIO()
            self._now.write_parquet(file, metadata={_KEY: json.dumps(self.options)})
            return file.getvalue()

        save(self.file, contents)
        is_replaced = self.rows is not None and self.period in self.rows[_PERIOD].cast(pl.String)
        return (
            f"{str(self.file)!r} has {counted(self._now[_PERIOD].n_unique(), 'period')}, with {self.period!r}"
            + (" in place of the earlier one of this name" if is_replaced else "")
        )


@dataclass(frozen=True)
class HistoryTest:
    """The test of each AUC over the periods."""

    baseline: int | None = None
    reference: float | None = None
    period_weight: str | None = None
    """SQL on the columns n, n_pos and n_neg of a period."""

    def add_to(
        self, periods: pl.DataFrame, keys: list[str], level: float, *, are_simple: bool
    ) -> pl.DataFrame:
        """Return periods in order, each with its test and the number of periods so far.

        The short baseline is for rows without weights and clusters: simulations covered only these.
        """
        periods = periods.with_columns((pl.col("n") - pl.col("n_pos")).alias(_N_NEG))
        # Files of earlier releases have no counts.
        has_counts = not periods.filter(_IS_DEFINED & pl.col("n_pos").is_null()).height
        baseline = 0 if self.reference is not None else self.baseline
        if baseline is None:
            baseline = BASELINE if has_counts and are_simple else BASELINE_WITHOUT_COUNTS
        n_pos, n_neg = ("n_pos", _N_NEG) if has_counts else (None, None)
        mean = always_valid(_AUC, _SE, n_pos=n_pos, n_neg=n_neg, weight=_WEIGHT, level=level)
        test = always_valid_change(
            _AUC,
            _SE,
            n_pos=n_pos,
            n_neg=n_neg,
            baseline=baseline if self.reference is None else self.baseline,
            reference=self.reference,
            weight=_WEIGHT,
            level=level,
            alternative="less",
        )
        excess, excess_se = (pl.col(name).fill_nan(None) for name in _CALIBRATION)
        # Positives over all periods; the number of rows does not depend on their labels.
        calibration = always_valid(excess, excess_se, weight="n", level=level, null=0)
        more = [calibration.over(keys, order_by=_PERIOD).alias(_EXCESS)] if _CALIBRATION[0] in periods else []
        is_used = _IS_DEFINED & (pl.col(_WEIGHT) > 0)
        tested = periods.with_columns(self._weight(periods, keys)).with_columns(
            test.over(keys, order_by=_PERIOD).alias(_TEST),
            mean.over(keys, order_by=_PERIOD).alias(_MEAN),
            *more,
            is_used.cum_sum().over(keys, order_by=_PERIOD).cast(pl.UInt64).alias("alarm_periods"),
            pl.lit(baseline, dtype=pl.UInt64).alias("alarm_baseline"),
        )
        since = pl.col(_PERIOD).cast(pl.String).gather(pl.col(_TEST).struct.field("since"))
        return tested.with_columns(since.over(keys, order_by=_PERIOD).alias("alarm_since"))

    def _weight(self, periods: pl.DataFrame, keys: list[str]) -> pl.Expr:
        """Return the weight of each period, from its size alone: a weight must not depend on the AUC."""
        if self.period_weight is None:
            return pl.lit(1.0).alias(_WEIGHT)
        sizes = periods.select("n", "n_pos", n_neg=_N_NEG).cast(pl.Float64)
        weight = column("period_weight", self.period_weight, sizes.schema)
        weights = sizes.with_columns(weight.cast(pl.Float64).alias(_WEIGHT))[_WEIGHT]
        if (weights.is_null() & periods["n_pos"].is_null()).any():
            raise Refusal(
                f"{flag('period_weight')} needs the positives of each period, which the history lacks. Hint: "
                "write another file"
            )
        # A period without AUC or standard error is ignored; its weight may divide by 0.
        weighted = periods.with_columns(pl.when(_IS_DEFINED).then(weights).alias(_WEIGHT))
        value = pl.col(_WEIGHT)
        is_wrong = value.is_nan() | ((value != 0) & ~value.is_between(1 / _MAX_WEIGHT, _MAX_WEIGHT))
        wrong = weighted.filter(is_wrong).select(_PERIOD, _name(periods, keys), value).head(1)
        for period, name, number in wrong.iter_rows():
            raise Refusal(
                f"{flag('period_weight')} {self.period_weight!r} is {number:.6g} for {name}, in the period "
                f"{period!r}. Hint: make it 0 or a number from 1e-100 to 1e100, or null for a period that "
                "does not count, as in n_pos / NULLIF(n_neg, 0)"
            )
        return pl.lit(weighted[_WEIGHT])


def _version(file: Path) -> tuple[int, int, int] | None:
    """Return a value that changes when the file is replaced; None if there is no file."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _trend(tested: pl.DataFrame, keys: list[str], options: ReportOptions) -> pl.DataFrame:
    """Return the periods of a page's chart: all rows, and the groups with the most rows."""
    p_value = pl.col(_TEST).struct.field("p_value")
    rows = tested.with_columns(
        group=_name(tested, keys),
        alarm=pl.struct(p_value=adjust_p_values(p_value, method=options.adjust).over(_PERIOD)),
    )
    sizes = rows.group_by("group", maintain_order=True).agg(pl.col("n").sum(), pl.col("scope").last())
    order = sizes.sort("scope", "n", descending=True, maintain_order=True)["group"].head(_MAX_PANELS)
    plotted = rows.filter(pl.col("group").is_in(order.implode())).sort(
        pl.col("group").cast(pl.Enum(order)), _PERIOD
    )
    return plotted.select("group", _PERIOD, "auc", pl.col(_MEAN).alias("mean"), "alarm")


def _name(rows: pl.DataFrame, keys: list[str]) -> pl.Expr:
    """Return the name of each row's group, with its score if there are several."""
    by = [key for key in keys if key not in ("scope", "score", GROUPING)]
    name = group_name(by, rows.schema) if by else pl.lit("")
    name = pl.when(scope="overall").then(pl.lit(OVERALL)).otherwise(name)
    if rows["score"].n_unique() > 1:
        name = pl.concat_str(name, score_text(), separator=", ")
    return name.alias("group")
