"""The likely purpose of columns, by names and values: label, scores and groups."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field

import polars as pl

from polars_auc._expressions.numbers import roc_auc

# The most distinct values of a column of groups, for words and for whole numbers.
_MAX_WORDS, _MAX_NUMBERS = 100, 30

_LABELS = "label target y outcome class event default bad churn fraud ill died response positive"
_SCORES = "score scores prob proba probability pred prediction predicted rating points logit model risk pd"
_NO_SCORES = (
    "age agep id key index row number n count freq weight w exposure ead amount balance limit income premium "
    "price salary loan size volume cost tenure duration days months years day month year date time zip"
)
_ID = "id key uuid index"
_OWNERS = f"{_ID} user customer client patient account member policy"
_AGE = "age agep"
_COUNT = "n count freq weight w"


def _has_word(name: str, words: str) -> bool:
    """Return whether the name contains one of the words, as in ``loan_amount`` or ``customerId``."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return not {part.lower() for part in [*parts, name]}.isdisjoint(words.split())


@dataclass
class Columns:
    """The columns of a table by likely purpose, the most likely first."""

    labels: list[str] = field(default_factory=list)
    """Columns of Booleans, or of 0 and 1."""
    words: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """Columns of two words, with the number of rows of each word."""
    scores: list[str] = field(default_factory=list)
    """Columns that are scores by name, or by values from 0 to 1."""
    whole_scores: list[str] = field(default_factory=list)
    """The scores that are whole numbers."""
    numbers: list[str] = field(default_factory=list)
    """Other columns of many numbers."""
    amounts: list[str] = field(default_factory=list)
    """Columns of many numbers that are not scores by name, such as exposures and ages."""
    groups: list[str] = field(default_factory=list)
    """Columns of few words."""
    codes: list[str] = field(default_factory=list)
    """Columns of few whole numbers."""
    days: list[str] = field(default_factory=list)
    """Columns of days or times."""
    counts: list[str] = field(default_factory=list)
    """Columns that may be the number of identical rows."""
    areas: dict[str, float | None] = field(default_factory=dict)
    """The AUC of each column of numbers, for the first label."""

    @classmethod
    def of(cls, rows: pl.DataFrame) -> Columns:
        """Classify columns."""
        columns = cls()
        for column in rows:
            columns._add(column)
        columns.labels.sort(key=lambda name: not _has_word(name, _LABELS))
        numbers = [*columns.scores, *columns.numbers]
        if columns.labels and numbers:
            # A label with NaN raises an error here; the report shows it.
            with suppress(pl.exceptions.PolarsError):
                areas = rows.select(roc_auc(columns.labels[0], name).alias(name) for name in numbers)
                columns.areas = areas.row(0, named=True)
        return columns

    def _add(self, column: pl.Series) -> None:
        name, dtype = column.name, column.dtype
        values = column.drop_nulls()
        if dtype.is_nested() or dtype == pl.Object or not values.len():
            return
        if dtype.is_float():
            values = values.drop_nans()
        distinct = values.n_unique()
        if dtype.is_temporal():
            if dtype == pl.Date or isinstance(dtype, pl.Datetime):
                self.days.append(name)
        elif dtype == pl.Boolean or (dtype.is_numeric() and distinct <= 2 and _are_0_and_1(values)):
            # Decimals cannot be labels.
            if distinct == 2 and not dtype.is_decimal():
                self.labels.append(name)
        elif not dtype.is_numeric():
            self._add_words(values, distinct)
        else:
            self._add_numbers(values, distinct)

    def _add_words(self, values: pl.Series, distinct: int) -> None:
        if distinct == 2:
            counts = values.cast(pl.String).value_counts(sort=True).sort("count")
            self.words[values.name] = [(str(word), int(rows)) for word, rows in counts.iter_rows()]
        is_key = _has_word(values.name, _ID) or (distinct == values.len() > _MAX_NUMBERS)
        if 1 < distinct <= _MAX_WORDS and not is_key:
            self.groups.append(values.name)

    def _add_numbers(self, values: pl.Series, distinct: int) -> None:
        name, dtype = values.name, values.dtype
        is_score, is_none = _has_word(name, _SCORES), _has_word(name, _NO_SCORES)
        is_key = dtype.is_integer() and (_has_word(name, _OWNERS) or distinct == values.len() > _MAX_NUMBERS)
        if distinct < 2:
            return
        if _has_word(name, _COUNT):
            self.counts.append(name)
        if is_score and not _has_word(name, _ID):
            self.scores.append(name)
            if dtype.is_integer():
                self.whole_scores.append(name)
        elif is_key:
            return
        elif dtype.is_integer() and distinct <= _MAX_NUMBERS and not _has_word(name, f"{_AGE} {_COUNT}"):
            self.codes.append(name)
        elif is_none:
            self.amounts.append(name)
        elif not dtype.is_integer() and bool(values.is_between(0, 1).all()):
            self.scores.append(name)
        else:
            self.numbers.append(name)


def _are_0_and_1(values: pl.Series) -> bool:
    return bool(((values == 0) | (values == 1)).all())
