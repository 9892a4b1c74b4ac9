"""Formatting of group and score names for tables, charts and sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from polars_auc._frames.groupings import EVERY

SCORE = "score"
"""The column of the names of scores."""

OVERALL = "overall"
"""The label of the row over all rows."""

# Words with a special meaning.
_RESERVED = ("", "null", OVERALL, EVERY)

# Invisible characters that Python considers printable.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def visible(text: str, keep: str = "") -> str:
    r"""Return text with each invisible character replaced by an escape such as ``\x1b``.

    These are control characters, zero-width characters, and characters that change the text direction.
    """
    if text.isprintable() and not _UNSEEN.search(text):
        return text
    return "".join(
        each
        if each in keep or (each.isprintable() and not _UNSEEN.match(each))
        else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def score_text(column: str = SCORE) -> pl.Expr:
    """Return the names of scores as text, with escapes for invisible characters."""

    def escaped(names: pl.Series) -> pl.Series:
        texts = names.cast(pl.String).fill_null("null")
        return pl.Series(names.name, map(visible, texts), dtype=pl.String)

    return pl.col(column).map_batches(escaped, return_dtype=pl.String)


def key_text(key: str, *, joined: bool = False) -> pl.Expr:
    """Format a group column as text: see :func:`key_texts`."""
    return pl.col(key).map_batches(lambda values: key_texts(values, joined=joined), return_dtype=pl.String)


def key_texts(values: pl.Series, *, joined: bool = False) -> pl.Series:
    """Format values of a group column as text, and quote ambiguous words.

    Words are quoted if they are reserved for null or for all values, or if they contain escapes. If values
    are joined by commas, words with a comma or a quote are also quoted.
    """
    texts = plain_texts(values)
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        words = texts.drop_nulls().unique().to_list()
        quoted = {word: _word(word, joined=joined) for word in words}
        if changed := {word: text for word, text in quoted.items() if word != text}:
            texts = texts.replace(list(changed), list(changed.values()))
    return texts.fill_null("null")


def plain_texts(values: pl.Series) -> pl.Series:
    """Format values of any dtype as text: bytes as UTF-8 or hexadecimal, lists as in Python."""
    if values.dtype == pl.Duration:
        return values.dt.to_string("polars")
    if _casts_to_text(values.dtype):
        return values.cast(pl.String)
    texts = [None if value is None else _plain_text(value) for value in values.to_list()]
    return pl.Series(values.name, texts, dtype=pl.String)


def _casts_to_text(dtype: pl.DataType) -> bool:
    """Return whether Polars casts values of this dtype to text."""
    if isinstance(dtype, pl.Struct):
        return all(_casts_to_text(field.dtype) for field in dtype.fields)  # type: ignore[arg-type]
    return not isinstance(dtype, pl.Duration | pl.Binary | pl.List | pl.Array)


def _plain_text(value: object) -> str:
    if isinstance(value, bytes):
        try:
            text = value.decode()
        except UnicodeDecodeError:
            text = ""
        return text if text and visible(text) == text else f"0x{value.hex()}"
    if isinstance(value, list):
        return f"[{', '.join(map(_plain_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(map(_plain_text, value.values()))}}}"
    return "null" if value is None else repr(value) if isinstance(value, str) else str(value)


def _word(word: str, *, joined: bool) -> str:
    is_quoted = word in _RESERVED or word.startswith('"') or visible(word) != word
    if joined:
        is_quoted = is_quoted or '"' in word or ", " in word
    if not is_quoted:
        return word
    escaped = word.replace("\\", r"\\")
    if joined:
        escaped = escaped.replace('"', r"\"")
    return visible(f'"{escaped}"')


def key_label(keys: Sequence[str]) -> pl.Expr:
    """Return the name of a curve, of a panel or of a group: the values of its columns."""
    if not keys:
        return pl.lit("")
    if len(keys) == 1:
        return score_text() if keys[0] == SCORE else key_text(keys[0])
    return pl.concat_str([key_text(key, joined=True) for key in keys], separator=", ")
