"""Messages about NaN scores."""

from __future__ import annotations

import polars as pl

from polars_auc._plots.names import key_text
from polars_auc._plugin.errors import for_front_end, per_front_end

# Messages list at most this number of groups.
_MAX_NAMES = 10


def nan_messages(found: pl.DataFrame, *, are_states: bool = False) -> list[str]:
    """Return messages with the number of NaN rows by score and group, and a hint; null means unknown."""
    if found.is_empty():
        return []
    by = [name for name in found.columns if name not in ("score", "n_nan")]
    lines = []
    displayed = found.head(_MAX_NAMES).with_columns(key_text(key, joined=True) for key in by)
    for row in displayed.iter_rows(named=True):
        group = f" of the group {', '.join(f'{key}={row[key]}' for key in by)}" if by else ""
        number = "some rows" if row["n_nan"] is None else _counted(row["n_nan"])
        lines.append(f"the score {row['score']!r} is NaN in {number}{group}")
    if found.height > _MAX_NAMES:
        lines.append(f"and {found.height - _MAX_NAMES} more groups and scores have NaN")
    skip = for_front_end(per_front_end('nan="skip"', "--nan skip"))
    hint = f"make states with {skip}, which" if are_states else skip
    return [*lines, f"NaN is a fault, and such results are NaN or left out; {hint} takes NaN for missing"]


def skipped_message(score: str, number: int) -> str:
    """Return the message for the skipped NaN rows of a score."""
    return f"{score}: {_counted(number)} skipped because the score is NaN"


def _counted(number: int) -> str:
    return f"{number} {'row' if number == 1 else 'rows'}"
