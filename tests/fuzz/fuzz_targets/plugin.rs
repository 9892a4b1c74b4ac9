//! Calls expressions like Polars does: through the C interface, with pickled options. Uses only the public
//! interface.

use std::ffi::{CStr, c_char, c_void};
use std::mem::ManuallyDrop;
use std::ptr::null_mut;

use arrow::array::Array;
use arrow::datatypes::Field;
use arrow::ffi::{
    ArrowArray, ArrowSchema, export_array_to_c, export_field_to_c, import_array_from_c, import_field_from_c,
};
use polars_auc as _;

/// A column in the layout of polars-ffi.
#[repr(C)]
struct SeriesExport {
    field: *mut ArrowSchema,
    arrays: *mut *mut ArrowArray,
    len: usize,
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    private_data: *mut c_void,
}

type Plan = unsafe extern "C" fn(*const ArrowSchema, usize, *mut ArrowSchema, *const u8, usize);
type Call =
    unsafe extern "C" fn(*const SeriesExport, usize, *const u8, usize, *mut SeriesExport, *const c_void);

/// An expression of the plugin.
pub struct Expression {
    /// The name.
    pub name: &'static str,
    plan: Plan,
    call: Call,
}

macro_rules! expressions {
    ($($name:ident)*) => {
        /// All expressions; `tests/python/package/test_declarations.py` fails if one is missing.
        pub const EXPRESSIONS: &[Expression] = &[$({
            unsafe extern "C" {
                #[link_name = concat!("_polars_plugin_field_", stringify!($name))]
                fn plan(
                    fields: *const ArrowSchema,
                    count: usize,
                    output: *mut ArrowSchema,
                    kwargs: *const u8,
                    kwargs_len: usize,
                );
                #[link_name = concat!("_polars_plugin_", stringify!($name))]
                fn call(
                    inputs: *const SeriesExport,
                    count: usize,
                    kwargs: *const u8,
                    kwargs_len: usize,
                    output: *mut SeriesExport,
                    context: *const c_void,
                );
            }
            Expression { name: stringify!($name), plan, call }
        }),*];
    };
}

expressions! {
    average_precision gini mean_positive_rank roc_auc brunner_munzel confusion_at fpr_at_tpr
    ks_statistic mann_whitney_u merge_states operating_point population_stability roc_auc_bounds
    roc_auc_ci binormal_roc_auc roc_state roc_summary tpr_at_fpr binormal_roc_curve cap_curve
    cost_curve det_curve gains_table pr_curve roc_band roc_convex_hull roc_curve concordance_index
    cv_roc_auc cv_roc_auc_difference gini_index grouped_roc_auc grouped_roc_auc_difference
    hodges_lehmann kruskal_wallis mrmc_roc_auc rank_agreement compare_scores roc_auc_difference
    roc_auc_difference_power multiclass_roc_auc multiclass_roc_auc_ci ordinal_roc_auc
    ordinal_roc_auc_ci roc_curve_difference subgroup_auc cv_roc_curve compare_segments
    covariate_adjusted_roc_curve roc_difference_band subgroup_auc_ci band_coverage adjust_p_values
    roc_auc_power roc_auc_sample_size unpaired_roc_auc_difference pack_state unpack_state
    population_stability_table group_lists always_valid always_valid_change rolling_merge_states
    unlabelled_roc_auc roc_summary_of_scores range_sums summary_of_ranges add_batch
    roc_state_of_batches roc_summary_of_batches population_stability_reference
    roc_summary_bounded_of_scores roc_summary_bounded_of_batches brier_score log_loss
    brier_score_difference log_loss_difference net_benefit average_precision_ci equal_error_rate
    calibration_error calibration_summary calibration_by_grade calibration_curve
    discrimination_slope average_precision_difference discrimination_slope_difference
    net_benefit_difference mcnemar subgroup_rate_difference bedroc enrichment_factor h_measure
    log_auc cv_loss cv_loss_difference
}

unsafe extern "C" {
    fn _polars_plugin_get_version() -> u32;
    fn _polars_plugin_get_last_error_message() -> *const c_char;
}

/// Panics of the plugin become errors, which [`last_error`] rejects; panics of a target abort.
pub fn watch_panics() {
    // SAFETY: Polars also calls it first.
    unsafe { _polars_plugin_get_version() };
    std::panic::set_hook(Box::new(|panic| {
        if panic.location().is_some_and(|location| location.file().starts_with("fuzz_targets")) {
            eprintln!("{panic}");
            std::process::abort();
        }
    }));
}

/// The expression of this name.
pub fn expression(name: &str) -> &'static Expression {
    EXPRESSIONS.iter().find(|expression| expression.name == name).expect("an expression")
}

impl Expression {
    /// Plans the result field.
    pub fn planned(&self, fields: &[Field], kwargs: &[u8]) -> Result<Field, String> {
        let fields: Vec<ArrowSchema> = fields.iter().map(export_field_to_c).collect();
        let mut output = ArrowSchema::empty();
        // SAFETY: all arguments are valid. Fields are borrowed, and released here.
        unsafe {
            (self.plan)(fields.as_ptr(), fields.len(), &raw mut output, kwargs.as_ptr(), kwargs.len());
            if output.is_null() {
                return Err(last_error());
            }
            Ok(import_field_from_c(&output).expect("a field"))
        }
    }

    /// Calls the expression with columns of one chunk each.
    pub fn evaluate(
        &self,
        columns: &[(Field, Box<dyn Array>)],
        kwargs: &[u8],
    ) -> Result<(Field, Box<dyn Array>), String> {
        let inputs: Vec<ManuallyDrop<SeriesExport>> =
            columns.iter().map(|(field, array)| ManuallyDrop::new(passed(field, array.clone()))).collect();
        let mut output = SeriesExport {
            field: null_mut(),
            arrays: null_mut(),
            len: 0,
            release: None,
            private_data: null_mut(),
        };
        // SAFETY: all arguments are valid; the plugin takes ownership of the inputs, and the result is taken
        // once.
        unsafe {
            let (kwargs, length) = (kwargs.as_ptr(), kwargs.len());
            let inputs = (inputs.as_ptr().cast(), inputs.len());
            (self.call)(inputs.0, inputs.1, kwargs, length, &raw mut output, std::ptr::null());
            if output.private_data.is_null() {
                return Err(last_error());
            }
            let field = import_field_from_c(&*output.field).expect("a field");
            let array = import_array_from_c((*output.arrays).read(), field.dtype.clone()).expect("an array");
            output.release.expect("a release")(&raw mut output);
            Ok((field, array))
        }
    }
}

/// A column as Polars passes it.
fn passed(field: &Field, array: Box<dyn Array>) -> SeriesExport {
    let array = Box::into_raw(Box::new(export_array_to_c(array)));
    SeriesExport {
        field: Box::into_raw(Box::new(export_field_to_c(field))),
        arrays: Box::into_raw(Box::new(array)),
        len: 1,
        release: Some(release_passed),
        private_data: null_mut(),
    }
}

/// Frees the allocations of [`passed`] except the array, which was moved out.
unsafe extern "C" fn release_passed(column: *mut SeriesExport) {
    // SAFETY: only columns from `passed` have this callback, and it is called once.
    unsafe {
        drop(Box::from_raw((*column).field));
        let array = *Box::from_raw((*column).arrays);
        drop(Box::from_raw(array.cast::<ManuallyDrop<ArrowArray>>()));
        (*column).release = None;
    }
}

/// The error of the last call, which must have a message and not be a panic.
fn last_error() -> String {
    // SAFETY: the message is valid until the next error on this thread.
    let error = unsafe { CStr::from_ptr(_polars_plugin_get_last_error_message()) };
    let error = error.to_str().expect("a text").to_string();
    assert!(!error.is_empty() && !error.contains("internal error"), "{error}");
    error
}
