"""Register plugin expressions with Polars; no other module does."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from decimal import Decimal
from functools import cache
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
from polars.plugins import register_plugin_function

from polars_auc import _native
from polars_auc._plugin.errors import CALLED, FLAGS, OptionError
from polars_auc._plugin.options import is_number, is_truth_value, number

IntoExpr: TypeAlias = str | pl.Expr
"""A column: its name or an expression."""

_LIBRARY = Path(_native.__file__)

_FUNCTIONS = _native.declarations()["functions"]

_COLUMNS = [
    parameter
    for function in _FUNCTIONS.values()
    for parameter in function["parameters"]
    if parameter["column"]
]

# Columns that are keyword arguments in every function: they are optional.
_OPTIONAL = {column["name"] for column in _COLUMNS if column["by_name"]}
_OPTIONAL -= {column["name"] for column in _COLUMNS if not column["by_name"]}

RESAMPLED: ContextVar[Mapping[str, object] | None] = ContextVar("RESAMPLED", default=None)
"""The resampling options while :func:`polars_auc.bootstrap_ci` builds an expression."""

LIST_OF: ContextVar[Callable[[str, IntoExpr], pl.Expr] | None] = ContextVar("LIST_OF", default=None)
"""A function from a role and its column to a list column, if the caller builds the lists."""


def expression(
    name: str,
    columns: Mapping[str, IntoExpr | None],
    *,
    variant: str | None = None,
    expand: bool = False,
    state_roles: Sequence[str] = (),
    **options: object,
) -> pl.Expr:
    """Build the expression ``name`` of the plugin from its columns, each by its role.

    ``variant`` selects an internal entry of the plugin, such as ``"of_scores"`` of ``roc_summary``.

    A weight or count that is None is omitted. A state replaces all other columns, except the roles in
    ``state_roles``: they describe each state, such as its segment. With ``expand``, an expression of several
    columns is one input for each column. Otherwise Polars expands it to one expression for each, as it does
    with its own.

    All columns are imploded: Polars then calls the plugin once with a list for each group, in every context.
    ``first()`` turns the whole into an aggregate, which the streaming engine evaluates once and not once for
    each batch of rows.

    The score is the first input because Polars names a result after it.
    """
    if columns.get("count") is not None and columns.get("weight") is not None:
        msg = (
            f"{name}: weight and count are mutually exclusive; for an estimate without an interval write "
            'weight=pl.col("weight") * pl.col("count")'
        )
        raise ValueError(msg)
    observed = _columns(name, _observed(name, columns, state_roles))
    list_of = LIST_OF.get()
    lists = {
        role: column.implode() if list_of is None else list_of(role, column)
        for role, column in observed.items()
    }
    if (resampled := RESAMPLED.get()) is not None:
        options = {"statistic": options, **resampled}
    plugin = name if variant is None else f"{name}_{variant}"
    name = name if resampled is None else "bootstrap_ci"
    answer = _registered(name, plugin, lists, options, elementwise=True, expand=expand)
    return answer.first() if list_of is None else answer


def group_lists(by: Sequence[str], columns: Mapping[str, pl.Expr]) -> pl.Expr:
    """Return a struct for each group: the struct of its keys, and a list of values for each column."""
    keys = pl.struct(by).alias("polars_auc: keys")
    return _registered(
        "group_lists", "group_lists", {"by": keys, **columns}, {}, elementwise=False, changes_length=True
    )


def add_batch(collection: int, by: Sequence[str], columns: Mapping[str, pl.Expr]) -> pl.Expr:
    """Add rows to a collection of batches, and return whether they were added.

    Rows are rejected if they have too many groups, or if a label is neither 0 nor 1. The columns are the
    scores, then the label.
    """
    keys = pl.struct(by).alias("polars_auc: keys")
    batch_columns = {"batches": pl.lit(collection, dtype=pl.UInt64), "by": keys}
    return _registered(
        "add_batch", "add_batch", {**batch_columns, **columns}, {}, elementwise=False, changes_length=True
    )


def columns_of_batches(scores: Iterable[str], label: str) -> dict[str, pl.Expr]:
    """Return the columns of batches by role."""
    score_columns = {f"score_{place}": pl.col(score) for place, score in enumerate(scores)}
    return {**score_columns, "label": pl.col(label)}


def batch_answers(
    name: str, collection: int, by: Sequence[str], columns: Mapping[str, pl.Expr], **options: object
) -> pl.Expr:
    """Return a struct for each group of a collection of batches: the struct of its keys, and its results.

    For ``roc_summary`` the results are an array with one element for each score. The last row is over all
    rows, without keys; without ``by`` the result is that array alone. For ``roc_state`` there is a field for
    each score, named like its column, and no row over all rows. The call ends the collection. Only the dtypes
    of the columns are read.
    """
    batch_columns = {"batches": pl.lit(collection, dtype=pl.UInt64).alias("polars_auc: answer")}
    if by:
        batch_columns["by"] = pl.struct(by).alias("polars_auc: keys")
    plugin = f"{name}_of_batches"
    return _registered(
        name, plugin, {**columns, **batch_columns}, options, elementwise=False, changes_length=True
    )


def expression_of(
    function: Callable[..., pl.Expr],
    arguments: Mapping[str, Any],
    *,
    variant: str | None = None,
    state_roles: Sequence[str] = (),
    several: tuple[str, Sequence[IntoExpr]] | None = None,
    **more_options: Any,
) -> pl.Expr:
    """Build the expression of a function from its arguments: columns and options, as declared in Rust.

    ``several`` is a role with several columns: they are numbered with the role as prefix. A variant may have
    more options than the function.
    """
    roles, options = columns_and_options(function.__name__)
    columns = {role: arguments[role] for role in roles}
    if several is not None:
        several_role, role_columns = several
        # Errors name the roles of one score.
        others = _columns(function.__name__, {role: one for role, one in columns.items() if one is not None})
        others.pop(several_role)
        columns = {f"{several_role}_{place}": one for place, one in enumerate(role_columns)} | others
    return expression(
        function.__name__,
        columns,
        variant=variant,
        state_roles=state_roles,
        **{option: arguments[option] for option in options},
        **more_options,
    )


@cache
def columns_and_options(function: str) -> tuple[list[str], list[str]]:
    """Return the column parameters of a function, and its other parameters, as declared in Rust."""
    parameters = _native.declarations()["functions"][function]["parameters"]
    columns = [each["name"] for each in parameters if each["column"]]
    options = [each["name"] for each in parameters if not each["column"]]
    # Polars names a result after the first column.
    return sorted(columns, key=lambda role: not role.startswith("score")), options


@cache
def returns_number(function: str) -> bool:
    """Return whether a function returns a number and not a struct, as declared in Rust."""
    declared = _native.declarations()["functions"].get(function)
    return declared is not None and declared["kind"] == "number"


def _observed(
    name: str, columns: Mapping[str, IntoExpr | None], state_roles: Sequence[str]
) -> Mapping[str, IntoExpr | None]:
    """Select the columns of rows, or the state column, which contains counted rows."""
    rows = {role: column for role, column in columns.items() if role not in ("state", *state_roles)}
    others = {role: columns[role] for role in state_roles if role in columns}
    example = (
        f'{name}(state="state")'
        if not state_roles
        else f'{name}(..., state="state", {state_roles[0]}="{state_roles[0]}")'
    )
    if "state" not in columns or (columns["state"] is None and rows):
        absent = [role for role in ("label", "score") if role in rows and rows[role] is None]
        if "state" in columns and absent:
            missing_roles = " and ".join(absent)
            msg = f"{name}: missing {missing_roles}. Hint: pass label and score, or state as in {example}"
            raise TypeError(msg)
        return {**rows, **others}
    missing = next((role for role, column in others.items() if column is None), None)
    if missing is not None:
        msg = f"{name}: {missing} required with state, as {example}"
        raise TypeError(msg)
    row_roles = [role for role in ("label", "score", *rows) if rows.get(role) is not None]
    if row_roles in (["cluster"], ["fold"]):
        msg = (
            f"{name}: state and {row_roles[0]} are mutually exclusive, because a state has no "
            f"{row_roles[0]}s. Hint: write label and score"
        )
        raise ValueError(msg)
    if row_roles:
        msg = (
            f"{name}: state and {row_roles[0]} are mutually exclusive, because rows of states are counted "
            f"already. Hint: write {example}, or leave state out"
        )
        raise ValueError(msg)
    return {"state": columns["state"], **others}


# Upper limit on the number of values: an iterator may be infinite.
_MAX_VALUES = 10_000_000


def _plain(options: Mapping[str, object]) -> dict[str, Any]:
    """Convert options to plain Python types: the plugin cannot parse those of NumPy and other libraries."""
    # The options of a resampled statistic are nested in those of the bootstrap.
    return {
        name: _plain(value) if name == "statistic" and isinstance(value, Mapping) else _plain_value(value)
        for name, value in options.items()
    }


def _plain_value(option: Any) -> Any:
    """Convert a value or a list of values; no option supports nested lists."""
    if isinstance(option, str | bytes | Mapping | Set) or not isinstance(option, Iterable):
        return _plain_scalar(option)
    try:
        values = list(islice(option, _MAX_VALUES + 1))
    except TypeError:
        # NumPy arrays without dimensions only look like lists.
        return _plain_scalar(option)
    return [_plain_scalar(value) for value in values] if len(values) <= _MAX_VALUES else _other(option)


def _plain_scalar(option: Any) -> Any:
    if option is None:
        return option
    if isinstance(option, str):
        return _text(option)
    if is_truth_value(option):
        return bool(option)
    if isinstance(option, Integral):
        return int(option)
    if not is_number(option):
        return _other(option)
    near = number(option)
    if not math.isfinite(near):
        return near
    # A float would round these; no score has more than 38 decimals.
    if isinstance(option, Decimal):
        places = option.as_tuple().exponent
        return {"$digits": f"{option:f}"} if isinstance(places, int) and places >= -100 else near
    return near if near == option or int(option) != option else {"$digits": str(int(option))}


def _other(option: object) -> dict[str, str]:
    """Return the representation of an unsupported value, for the plugin's error."""
    return {"$other": _text(repr(option))}


def _text(text: str) -> str:
    """Escape surrogates, which UTF-8 cannot encode: the plugin reads UTF-8 only."""
    return str(text).encode("utf-8", "backslashreplace").decode()


def columnwise(
    name: str,
    columns: Mapping[str, IntoExpr],
    *,
    elementwise: bool,
    **options: object,
) -> pl.Expr:
    """Build an expression with one result for each row; ``elementwise`` if it depends on that row only."""
    return _registered(name, name, _columns(name, columns), options, elementwise=elementwise)


def literals(columns: Mapping[str, IntoExpr | float]) -> dict[str, IntoExpr]:
    """Convert numbers to literals, named after their role."""
    return {
        role: pl.lit(number(column)).alias(role) if is_number(column) else column  # type: ignore[misc]
        for role, column in columns.items()
    }


def value_of(answer: pl.Expr) -> Any:
    """Return the value of an expression that consists of literals."""
    return pl.select(answer).item()


def _registered(
    name: str,
    plugin: str,
    columns: Mapping[str, pl.Expr],
    options: Mapping[str, object],
    *,
    elementwise: bool,
    expand: bool = False,
    changes_length: bool = False,
) -> pl.Expr:
    """Check the options in the plugin, and register the expression with Polars."""
    flags = FLAGS.get()
    arguments: dict[str, object] = {"options": _plain(options), "roles": list(columns)}
    if flags is not None:
        # In a shell the user called a command, not a function.
        arguments |= {"called": "", "flags": dict(flags)}
    elif CALLED.get() is not None or name != plugin:
        arguments["called"] = CALLED.get() or name
    refused = _native.check(plugin, pickle.dumps(arguments, protocol=5))
    if refused is not None:
        raise OptionError(CALLED.get() or name, *refused)
    return register_plugin_function(
        plugin_path=_LIBRARY,
        function_name=plugin,
        args=list(columns.values()),
        kwargs=arguments,
        is_elementwise=elementwise,
        input_wildcard_expansion=expand,
        changes_length=changes_length,
    )


def _columns(name: str, columns: Mapping[str, IntoExpr | None]) -> dict[str, pl.Expr]:
    """Return the required columns and the optional columns in use, as expressions."""
    present = {
        role: column for role, column in columns.items() if role not in _OPTIONAL or column is not None
    }
    return {role: _column(name, role, column, list(present)) for role, column in present.items()}


def _column(name: str, role: str, column: IntoExpr | None, roles: list[str]) -> pl.Expr:
    if isinstance(column, pl.Expr):
        return column
    if isinstance(column, str):
        return pl.col(column)
    # A Series would be a literal, with the same values for every group.
    in_order = [role for role in sorted(roles, key=lambda role: role != "label") if role not in _OPTIONAL]
    names = ", ".join(f'"{role}"' for role in in_order)
    if role in _OPTIONAL:
        names += f', {role}="{role}"'
    frame, hint = "frame", ""
    if _holds_values(column):
        if {"label", "score"} <= set(in_order):
            hint = "; of arrays, evaluate(label, score) gives the AUC, its interval and more"
        frame = "pl.DataFrame({" + ", ".join(f'"{role}": {role}' for role in in_order) + "})"
    if role == "state":
        declared = _FUNCTIONS[name]["parameters"] if name in _FUNCTIONS else []
        is_positional = any(each["name"] == "state" and not each["by_name"] for each in declared)
        frame, names = "frame", names if is_positional else f"state={names}"
    # Functions on frames are no expressions.
    call = f"{frame}.select({name}({names}))" if name in _FUNCTIONS else f'{name}(..., {role}="{role}")'
    msg = (
        f"{name}: {role} must be a column name or an expression, got {type(column).__name__}. Hint: "
        f"write {call}{hint}"
    )
    raise TypeError(msg)


def _holds_values(column: object) -> bool:
    """Return whether an argument contains values, not names: a Series, an array, or a list of numbers."""
    if isinstance(column, list | tuple):
        return not any(isinstance(value, str | pl.Expr) for value in column)
    return hasattr(column, "__array__") or hasattr(column, "__arrow_c_stream__")
