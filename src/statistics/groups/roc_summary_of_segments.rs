//! The rows of a report that compares its groups, and the row of all groups.

use super::compare_segments::{CompareSegments, SegmentRecord};
use super::segment_areas::IndependentSegments;
use crate::ranking::rows::AllPlacements;
use crate::ranking::tasks;
use crate::ranking::ties::{Count, RowCounts};
use crate::statistics::inference::Estimate;
use crate::statistics::intervals::roc_auc_ci::RocAucCi;
use crate::statistics::intervals::roc_summary_short::ShortSummaryRecord;
use crate::statistics::kinds::{Inputs, Joint, KeyCode, KeyKind, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::{Rows, SkippedRows};

/// The numbers of [`RocSummaryShort`](crate::statistics::intervals::RocSummaryShort) for each segment and for
/// all rows, with the comparisons of [`CompareSegments`].
///
/// An area and its interval need only the placements that the comparison of segments also uses. The KS
/// distance comes from the same walk through the rows, so that rows are ranked only once. `O(n log n)`.
#[derive(Clone, Debug)]
pub struct RocSummaryOfSegments {
    /// The comparison of segments.
    pub compare: CompareSegments,
    /// The interval of areas, from sums over placements.
    pub ci: RocAucCi,
}

record! {
    /// One segment, or all rows.
    pub struct SegmentSummaryRecord {
        /// The segment; null for all rows.
        pub segment: Option<KeyCode>,
        /// Its numbers.
        pub summary: ShortSummaryRecord,
        /// The AUC that it is compared with; this and all later fields up to `p_adjusted` are null for all rows.
        pub versus_auc: Option<f64>,
        /// `auc - versus_auc`, with its interval.
        pub difference: Estimate,
        /// The p-value.
        pub p_value: Option<f64>,
        /// `p_value`, adjusted for the number of segments.
        pub p_adjusted: Option<f64>,
        /// The mean of all AUCs within segments; this and all later fields are null for each segment.
        pub within_auc: Option<f64>,
        /// Q over all segments.
        pub heterogeneity: Option<f64>,
        /// Its degrees of freedom.
        pub heterogeneity_df: Option<u64>,
        /// Its p-value.
        pub heterogeneity_p_value: Option<f64>,
    }
}

impl FromOptions for RocSummaryOfSegments {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let compare = CompareSegments::from_options(options)?;
        Ok(RocSummaryOfSegments { compare, ci: RocAucCi::parse_placements(options)? })
    }
}

impl Joint for RocSummaryOfSegments {
    /// All segments with rows, in order, followed by all rows.
    type Record = Option<Vec<SegmentSummaryRecord>>;

    const INPUTS: Inputs = CompareSegments::INPUTS;

    fn needs(&self) -> Needs {
        Needs::SUMMARIES
    }

    fn passes(&self) -> usize {
        self.compare.passes()
    }

    fn key_kind(&self) -> KeyKind<'_> {
        self.compare.key_kind()
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<SegmentSummaryRecord>> {
        let all = rows.all_placements.as_ref();
        let keys = &rows.key_placements[0];
        let compared = self.compare.records(rows, &IndependentSegments { keys, all });
        let overall = self.overall(rows, compared.first());
        let segment_record = |(code, compared): (usize, SegmentRecord)| {
            let index = rows.key_codes[code];
            let at = rows.skipped.binary_search_by_key(&index, |skipped| skipped.key_code);
            let counts = counts(compared.rows, at.ok().map(|at| &rows.skipped[at]));
            let summary = if rows.nan_keys.get(code) == Some(&true) {
                ShortSummaryRecord::with_nan(counts)
            } else {
                ShortSummaryRecord::from_sums(counts, &keys[code].sums, rows.key_distance[code], &self.ci)
            };
            SegmentSummaryRecord {
                segment: Some(compared.segment),
                versus_auc: compared.versus_auc,
                difference: compared.difference,
                p_value: compared.p_value,
                p_adjusted: compared.p_adjusted,
                ..SegmentSummaryRecord::from_summary(summary)
            }
        };
        let mut records: Vec<SegmentSummaryRecord> =
            tasks::par_map_owned(compared.into_iter().enumerate().collect(), segment_record);
        // Both are ordered by their places.
        let is_empty = |skipped: &&SkippedRows| rows.key_codes.binary_search(&skipped.key_code).is_err();
        records.extend(rows.skipped.iter().filter(is_empty).map(|skipped| {
            let counts = counts(Count::default(), Some(skipped));
            let summary = ShortSummaryRecord::from_sums(counts, &Default::default(), 0, &self.ci);
            SegmentSummaryRecord {
                segment: Some(KeyCode(skipped.key_code)),
                ..SegmentSummaryRecord::from_summary(summary)
            }
        }));
        records.sort_by_key(|record| record.segment.map(|segment| segment.0));
        records.push(overall);
        Some(records)
    }
}

impl RocSummaryOfSegments {
    /// All rows; `segment` is any segment's record, which contains the joint test.
    fn overall(&self, rows: &Rows, segment: Option<&SegmentRecord>) -> SegmentSummaryRecord {
        let skipped = rows.skipped.iter().fold(SkippedRows::default(), |sum, skipped| SkippedRows {
            rows: sum.rows + skipped.rows,
            unlabelled: sum.unlabelled + skipped.unlabelled,
            ..sum
        });
        let counts = counts(Count::from(rows), Some(&skipped));
        let placements = rows.all_placements.as_ref().map(AllPlacements::all);
        let summary = match (placements, rows.key_distance.last()) {
            (Some(all), Some(&ks_distance)) => {
                ShortSummaryRecord::from_sums(counts, &all.sums, ks_distance, &self.ci)
            }
            _ => ShortSummaryRecord::with_nan(counts),
        };
        SegmentSummaryRecord {
            within_auc: segment.and_then(|segment| segment.within_auc),
            heterogeneity: segment.and_then(|segment| segment.heterogeneity),
            heterogeneity_df: segment.and_then(|segment| segment.heterogeneity_df),
            heterogeneity_p_value: segment.and_then(|segment| segment.heterogeneity_p_value),
            ..SegmentSummaryRecord::from_summary(summary)
        }
    }
}

impl SegmentSummaryRecord {
    /// Numbers without a comparison.
    fn from_summary(summary: ShortSummaryRecord) -> Self {
        SegmentSummaryRecord { summary, ..SegmentSummaryRecord::undefined(Count::default()) }
    }
}

/// Rows in use and skipped rows.
fn counts(used: Count, skipped: Option<&SkippedRows>) -> RowCounts {
    RowCounts {
        n_pos: used.pos,
        n_neg: used.neg,
        n_missing: skipped.map_or(0, |skipped| skipped.rows),
        n_unlabelled: Some(skipped.map_or(0, |skipped| skipped.unlabelled)),
        have_weights: false,
    }
}
