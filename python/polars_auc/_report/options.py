"""The options of a report, each declared once for Python, the shell, configurations, Spark and the docs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from polars_auc._expressions.comparisons import compare_scores
from polars_auc._frames.scores import refuse_nan
from polars_auc._plugin.errors import CALLED, OptionError, per_front_end
from polars_auc._plugin.options import format_value, is_truth_value

if TYPE_CHECKING:
    from polars_auc._frames.groupings import Groupings
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

UserAverage: TypeAlias = Literal["macro", "rows", "positives", "pairs"]
"""The weights of the mean over users; the plugin checks the values."""

IntervalMethod: TypeAlias = Literal["wilson", "delong", "logit", "hanley_mcneil", "obuchowski", "bootstrap"]
"""The method of the interval of an AUC; the plugin checks the values."""

PLACEMENT_METHODS = ("wilson", "delong", "logit", "hanley_mcneil")
"""Intervals of rows without weights that need only sums over placements."""

_LEAVE = "leave one of them out"


@dataclass(frozen=True)
class Rule:
    """A reason and a hint for a forbidden or a missing combination of options."""

    other: str
    reason: str
    hint: str = _LEAVE


@dataclass(frozen=True)
class Option:
    """The metadata of an option, without its name, type and default.

    Texts name options between backticks.
    """

    help: str
    flag: str | None = None
    """The name in the shell, if it differs."""
    metavar: str | None = None
    parse: Callable[[str], Any] = str
    """Parse the text of the shell into the value."""
    const: object = None
    """The value of a flag without argument; in Python the option is this value or the default."""
    conflicts: Sequence[Rule] = ()
    need: Rule | None = None
    in_spark: bool = False
    needs_rows: bool = False
    """Whether the option requires rows, not states."""


def option(default: Any, help: str, **attributes: Any) -> Any:  # noqa: A002
    """Declare an option: a field of a dataclass."""
    return dataclasses.field(default=default, metadata={"option": Option(help, **attributes)})


def switch(help: str, **attributes: Any) -> Any:  # noqa: A002
    """Declare an option that is True or False."""
    return option(default=False, help=help, const=True, **attributes)


def declared(options: type) -> dict[str, Option]:
    """Return the options that a dataclass declares, by name."""
    fields = dataclasses.fields(options)
    return {field.name: field.metadata["option"] for field in fields if "option" in field.metadata}


def is_set(value: object, default: object = None) -> bool:
    """Return whether an option is set: its value is not None, False, or an empty default."""
    is_empty = default is not None and isinstance(value, list | tuple) and not value
    return not (value is None or value is False or is_empty)


def names_of_set(options: Any) -> list[str]:
    """Return the declared options that are set."""
    fields = [field for field in dataclasses.fields(options) if "option" in field.metadata]
    return [field.name for field in fields if is_set(getattr(options, field.name), field.default)]


def check_rules(function: str, options: Any) -> None:
    """Raise for declared options that conflict or that lack a required option."""
    names = names_of_set(options)
    for name in names:
        declaration = declared(type(options))[name]
        wrong = [rule for rule in declaration.conflicts if rule.other in names]
        if declaration.need is not None and declaration.need.other not in names:
            wrong.append(declaration.need)
        if wrong:
            raise OptionError(function, name, wrong[0].reason, wrong[0].hint)


_BOUNDED = per_front_end('`memory="bounded"`', "`memory`")
_COLUMN = per_front_end("the column", "the column, or SQL,")
_ALL_ROWS = Rule("memory", f"needs all rows at once, so it cannot be combined with {_BOUNDED}")
_ONE_BY_ONE = Rule("sorted_by", "cannot be combined with `sorted_by`, which reads group by group")
_BOUNDED_ONLY = Rule("memory", f"is for {_BOUNDED}", "write it, or leave this out")


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report.

    The plugin checks the values of statistical options when their expressions are built.
    """

    by: str | Sequence[str] = option(
        (), "the columns whose combinations make the groups", metavar="COLUMN", in_spark=True
    )
    groupings: Groupings | None = option(
        None,
        "several groupings: 'each' column of `by` alone; 'rollup': all columns, all but the last, and so on; "
        "'cube': every combination of columns",
        metavar="GROUPINGS",
        in_spark=True,
        conflicts=(_ONE_BY_ONE,),
    )
    sorted_by: str | Sequence[str] = option(
        (),
        "columns of `by` by which the rows are sorted: groups are read one after the other, with less memory "
        "for several scores; the order is checked",
        metavar="COLUMN",
        needs_rows=True,
    )
    level: float = option(
        0.95, "confidence level of the intervals", parse=float, metavar="LEVEL", in_spark=True
    )
    ci: IntervalMethod = option(
        "wilson",
        "method of the interval of the AUC: wilson, delong, logit, hanley_mcneil, obuchowski or bootstrap; "
        "groups and reports are compared by delong with delong, otherwise by wilson",
        metavar="METHOD",
        in_spark=True,
    )
    interval: Literal["percentile", "bca"] | None = option(
        None,
        'limits of the bootstrap, with `ci="bootstrap"`: percentile (the default), or bca, which corrects '
        "them for bias and acceleration",
        metavar="LIMITS",
        in_spark=True,
    )
    n_resamples: int | None = option(
        None,
        'bootstrap resamples, with `ci="bootstrap"`, 2000 by default',
        flag="--resamples",
        parse=int,
        metavar="N",
        in_spark=True,
    )
    seed: int | None = option(
        None,
        'seed of the bootstrap, with `ci="bootstrap"`, 0 by default',
        parse=int,
        metavar="N",
        in_spark=True,
    )
    compare: bool = switch(
        "compare each score with the first, on the rows that have all scores",
        conflicts=(_ALL_ROWS,),
        needs_rows=True,
    )
    versus: object = option(
        None,
        "compare each group with the 'rest' (the mean AUC of the other groups), the 'pooled_rest' (the rows "
        "of the other groups), 'overall' (all rows), the 'previous' group, or the group of this value; in a "
        "shell the values of several `by` are separated by commas",
        metavar="SEGMENT",
        in_spark=True,
        conflicts=(_ONE_BY_ONE,),
        need=Rule("by", "needs groups", 'write `by="segment"`'),
    )
    along: str | None = option(
        None,
        'with `versus="previous"` and several `by`: the column of periods, such as the year',
        metavar="COLUMN",
        need=Rule(
            "versus", 'applies to `versus="previous"` only', 'leave it out, or write `versus="previous"`'
        ),
        in_spark=True,
    )
    adjust: Adjustment | None = option(
        "holm",
        "adjustment of p-values for the number of all tests in their column: holm, hochberg, hommel, "
        f"bonferroni, sidak, holm-sidak, bh or by; {per_front_end('None', 'none')} adjusts nothing",
        parse=lambda text: None if text == "none" else text,
        metavar="METHOD",
        in_spark=True,
    )
    calibration: bool = switch(
        "add the calibration of the scores as probabilities: the Brier score, the log loss, observed over "
        "expected positives and the calibration slope",
        conflicts=(
            _ALL_ROWS,
            Rule(
                "cluster", "cannot be combined with `cluster`: no standard error is implemented for clusters"
            ),
            Rule(
                "low_is_positive",
                "cannot be combined with `low_is_positive`: it expects probabilities of a positive",
            ),
        ),
        in_spark=True,
    )
    folds: IntoExpr | None = option(
        None,
        f"{_COLUMN} of cross-validation folds: adds the mean AUC of the folds",
        metavar="COLUMN",
        in_spark=True,
        conflicts=(
            _ALL_ROWS,
            Rule(
                "cluster",
                "cannot be combined with `cluster`, because its interval expects each cluster in one fold",
                _LEAVE + per_front_end(', or write cv_roc_auc(..., method="delong", cluster=...)', ""),
            ),
        ),
    )
    user: IntoExpr | None = option(
        None,
        f"{_COLUMN} of users, queries or sessions, whose rows are ranked separately: adds their mean AUC "
        "(GAUC)",
        metavar="COLUMN",
        conflicts=(
            _ALL_ROWS,
            Rule(
                "cluster",
                "cannot be combined with `cluster`, because its interval takes users as independent",
            ),
        ),
    )
    user_average: UserAverage | None = option(
        None,
        "with `user`: the weight of a user in the mean; macro (the default): equal weights, rows, positives, "
        "or pairs of a positive and a negative",
        metavar="WEIGHT",
        need=Rule("user", "is for the mean over users", "write `user`, or leave this out"),
    )
    stability: IntoExpr | None = option(
        None,
        'the condition of reference rows, such as "year < 2016": adds the population stability index (psi) '
        "of the scores of the other rows; columns of `by` in the condition do not split the reference",
        metavar="CONDITION",
        in_spark=True,
        conflicts=(_ALL_ROWS, _ONE_BY_ONE),
    )
    count: IntoExpr | None = option(
        None,
        f"{_COLUMN} with the number of identical rows that a row represents",
        metavar="COLUMN",
        conflicts=(
            Rule(
                "weight",
                "cannot be combined with `weight`, because unequal rows and repeated rows have other "
                "standard errors",
            ),
        ),
        in_spark=True,
        needs_rows=True,
    )
    cluster: IntoExpr | None = option(
        None,
        f"{_COLUMN} of clusters, such as patients: intervals and comparisons are computed over clusters",
        metavar="COLUMN",
        conflicts=(_ALL_ROWS,),
        needs_rows=True,
    )
    weight: IntoExpr | None = option(
        None,
        f"{_COLUMN} with the weight of each row, for rows sampled with unequal probabilities, with "
        '`ci="wilson"`, "delong" or "logit"',
        metavar="COLUMN",
        conflicts=(_ALL_ROWS,),
        needs_rows=True,
    )
    low_is_positive: bool = switch(
        "low scores are positive, as in a scorecard where high is good: scores are negated",
        needs_rows=True,
    )
    nan: Literal["skip"] | None = option(
        None,
        "skip: treat a NaN score as missing; a report has the number of such rows in n_nan, and each command "
        "prints it; without it NaN is a fault",
        metavar="skip",
        needs_rows=True,
    )
    memory: Literal["bounded"] | None = option(
        None,
        "read the rows in batches, and keep only a small state of each group; auc_min and auc_max are bounds "
        "of the AUC",
        flag="--bounded",
        const="bounded",
        conflicts=(_ONE_BY_ONE,),
        needs_rows=True,
    )
    max_bins: int | None = option(
        None,
        f"with {_BOUNDED}: the largest number of bins of a state, 4096 by default",
        parse=int,
        metavar="N",
        need=_BOUNDED_ONLY,
    )
    scale: Literal["real", "probability"] | None = option(
        None,
        f"with {_BOUNDED}: where bins are narrow; real (the default): near 0, probability: near 0 and 1",
        metavar="SCALE",
        need=_BOUNDED_ONLY,
    )

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> ReportOptions:
        """Select the options from the arguments of a function, and check them."""
        options = cls(**{name: value for name, value in arguments.items() if name in OPTIONS})
        options.check()
        return options

    @property
    def limits(self) -> dict[str, Any]:
        """The options of the intervals."""
        return {name: getattr(self, name) for name in ("level", "ci", "interval", "n_resamples", "seed")}

    def axis_of(self, by: Sequence[str]) -> str | None:
        """Return the column of periods, if each group is compared with the previous one."""
        if self.versus != "previous" or not by:
            return None
        return by[0] if self.along is None else self.along

    @property
    def bins(self) -> dict[str, Any]:
        """The number of bins and the scale of states with bounded memory."""
        return {"max_bins": 4096 if self.max_bins is None else self.max_bins, "scale": self.scale}

    @property
    def comparison(self) -> Literal["wilson", "delong"]:
        """The method of comparisons of groups and reports: the method of the intervals, if supported."""
        return "delong" if self.ci == "delong" else "wilson"

    @property
    def names(self) -> list[str]:
        """The names of the options that are set."""
        return names_of_set(self)

    @property
    def row_options(self) -> list[str]:
        """The names of the set options that need rows."""
        return [name for name in self.names if OPTIONS[name].needs_rows]

    def check(self) -> None:
        """Raise for invalid values, for conflicting options, and for missing required options."""
        function = CALLED.get() or "report"
        for field in dataclasses.fields(self):
            allowed, value = (OPTIONS[field.name].const, field.default), getattr(self, field.name)
            value = bool(value) if is_truth_value(value) else value
            if allowed[0] is not None and not any(
                type(value) is type(one) and value == one for one in allowed
            ):
                reason = f"must be {allowed[0]!r} or {allowed[1]!r}, got {format_value(value)}"
                raise OptionError(function, field.name, reason)
        check_rules(function, self)
        refuse_nan(function, self.nan)
        # The adjustment is checked also without comparisons.
        compare_scores("label", "a", "b", adjust=self.adjust)


OPTIONS = declared(ReportOptions)
"""All options of a report, by name."""
