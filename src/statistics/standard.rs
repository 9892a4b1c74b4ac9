//! Columns and options that mean the same in every statistic: each with the sentence that users read first.
//!
//! Docstrings begin with these sentences. After a change here, `python tests/python/package/generate.py` rewrites them.

/// The names of parameters, and their sentences.
pub const STANDARD: &[(&str, &str)] = &[
    ("alternative", "The alternative hypothesis: ``\"two-sided\"``, ``\"greater\"`` or ``\"less\"``."),
    (
        "cluster",
        "A column of clusters: the rows of one cluster, such as those of one customer, are not independent.",
    ),
    (
        "count",
        "The number of identical rows that each row stands for: a column of integers that are not negative. The \
         answer is that of the repeated rows. Rows of count 0 or null are left out.",
    ),
    ("level", "The coverage, between 0 and 1."),
    (
        "margin",
        "With a margin, a small p-value shows that the value is above ``null - margin`` \
         (``alternative=\"greater\"``: not inferior), below ``null + margin`` (``\"less\"``), or between both \
         (``\"two-sided\"``: equivalent, by two one-sided tests).",
    ),
    ("n_resamples", "The number of resamples, from 2 to 10^7."),
    ("null", "The value that is tested."),
    (
        "seed",
        "The seed of the random numbers, 0 or more. The same seed gives the same result for every order of rows and \
         groups, every number of threads and every engine.",
    ),
    ("state", "A column of states from :func:`roc_state`."),
    (
        "weight",
        "The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are left \
         out.",
    ),
];
