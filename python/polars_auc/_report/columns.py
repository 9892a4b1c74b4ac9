"""The columns of a report, and the names reserved for them."""

from __future__ import annotations

from polars_auc._frames.groupings import GROUPING
from polars_auc._plugin.errors import OptionError

OURS = "polars_auc: "
"""Prefix of reserved names: no user column starts with it."""

STABILITY = {"psi": "psi", "psi_p_value": "p_value", "psi_n": "n_neg", "psi_reference_n": "n_pos"}
"""Columns of the stability, with the field of each."""

# The fields of a summary, which are columns of a report. The order is that of the plugin, because Spark
# matches fields by position.
SUMMARY_COLUMNS = [
    "n",
    "n_pos",
    "n_missing",
    "n_unlabelled",
    "prevalence",
    "auc",
    "se",
    "lower",
    "upper",
    "ks",
    "gini",
    "gini_lower",
    "gini_upper",
]

# Columns of calibration, with the statistic and the field of each. P-values are adjusted after the overall
# p-values are computed.
CALIBRATION = {
    "brier_score": ("brier_score", "brier_score"),
    "log_loss": ("log_loss", "log_loss"),
    "observed_expected": ("calibration_summary", "observed_expected"),
    "observed_expected_lower": ("calibration_summary", "observed_expected_lower"),
    "observed_expected_upper": ("calibration_summary", "observed_expected_upper"),
    "observed_minus_expected": ("calibration_summary", "observed_minus_expected"),
    "observed_minus_expected_se": ("calibration_summary", "observed_minus_expected_se"),
    "calibration_slope": ("calibration_summary", "slope"),
    "calibration_slope_lower": ("calibration_summary", "slope_lower"),
    "calibration_slope_upper": ("calibration_summary", "slope_upper"),
    "calibration_p_value": ("calibration_summary", "observed_expected_p_value"),
    "calibration_p_adjusted": ("calibration_summary", "observed_expected_p_value"),
}

_COLUMNS = [
    "scope",
    "score",
    *SUMMARY_COLUMNS,
    *CALIBRATION,
    "cv_auc",
    "cv_se",
    "cv_lower",
    "cv_upper",
    "n_folds",
    "n_undefined",
    "user_auc",
    "user_se",
    "user_lower",
    "user_upper",
    "n_users",
    "n_users_undefined",
    "n_nan",
    "auc_min",
    "auc_max",
    "exact",
]

# Columns of a comparison, with the field of each; null for the first score. P-values are adjusted after the
# overall p-values are computed.
DELTAS = {
    "first_auc": "estimate_b",
    "delta_auc": "difference",
    "delta_auc_lower": "lower",
    "delta_auc_upper": "upper",
    "delta_auc_p_value": "p_value",
    "delta_auc_p_adjusted": "p_value",
}

# Columns that only groups have, and columns that only the overall rows have.
GROUP_COLUMNS = ["versus_auc", "difference", "difference_lower", "difference_upper", "p_value", "p_adjusted"]
OVERALL_COLUMNS = ["within_auc", "heterogeneity", "heterogeneity_df", "heterogeneity_p_value"]

# Further columns of a report with changes since an earlier report.
CHANGES = [
    "previous_n",
    "previous_auc",
    "change",
    "change_lower",
    "change_upper",
    "change_p_value",
    "change_p_adjusted",
]

# Further columns of a report with a history.
ALARMS = [
    "alarm",
    "alarm_periods",
    "alarm_baseline",
    "alarm_since",
    "alarm_change",
    "alarm_lower",
    "alarm_upper",
    "alarm_p_value",
    "alarm_p_adjusted",
]

# Further columns of a report of probabilities with a history, and the field of each.
CALIBRATION_ALARMS = {
    "calibration_alarm": "p_value",
    "calibration_alarm_mean": "estimate",
    "calibration_alarm_lower": "lower",
    "calibration_alarm_upper": "upper",
    "calibration_alarm_p_value": "p_value",
    "calibration_alarm_p_adjusted": "p_value",
}

ADJUSTED = ("calibration_p_adjusted", "delta_auc_p_adjusted", "p_adjusted")
"""Columns of p-values, each adjusted over all tests of the table."""

RESERVED = [
    *_COLUMNS,
    *DELTAS,
    *STABILITY,
    *GROUP_COLUMNS,
    *OVERALL_COLUMNS,
    *CHANGES,
    *ALARMS,
    *CALIBRATION_ALARMS,
    GROUPING,
]
"""Reserved names for columns of groups."""


def refuse_clashes(keys: list[str]) -> None:
    """Raise if a column of groups has the name of a column of the report."""
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise OptionError("report", "by", f"names the column {twice!r} twice", "name each once")
    ours = next((key for key in keys if key.startswith(OURS)), None)
    if ours is not None:
        reason = f"the group column {ours!r} begins with {OURS!r}, as columns inside the report do"
        raise OptionError("report", "", reason, "rename it")
    clash = next((key for key in keys if key in RESERVED), None)
    if clash is not None:
        reason = f"the group column {clash!r} has the name of another column of the report"
        raise OptionError("report", "", reason, "rename it")
