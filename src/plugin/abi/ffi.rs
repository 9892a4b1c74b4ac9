//! The C interface: the functions that Polars calls, and the data types of their arguments. All `unsafe` code
//! of the plugin is here.
//!
//! It implements version 0.1 of the ABI of polars-ffi, which is unchanged since Polars 1.0. The plugin must
//! release the inputs of a call; fields are borrowed; Polars owns the result. Polars reads the message of an
//! error by a separate call.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::Array;
use arrow::datatypes::Field;
use arrow::ffi::{
    ArrowArray, ArrowSchema, export_array_to_c, export_field_to_c, import_array_from_c, import_field_from_c,
};

use super::arguments::Keywords;
use crate::plugin::arrays::{downcast::message, values::Values};
use crate::statistics::options::{LITERAL_BACKTICK, score_name};
use crate::{guard, interrupt};

/// The ABI version: the major number, which Polars compares, in the high half, and the minor in the low half.
const VERSION: u32 = 1;

/// The number of expression calls since the process started.
pub static CALLS: AtomicUsize = AtomicUsize::new(0);

/// An input column: its field, and its values in any number of chunks.
pub struct Input {
    /// The name and the dtype.
    pub field: Field,
    /// The values.
    pub chunks: Vec<Box<dyn Array>>,
}

impl Input {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }
}

/// A column in the layout of polars-ffi.
#[repr(C)]
pub struct SeriesExport {
    field: *mut ArrowSchema,
    /// One pointer per chunk. The receiver moves the arrays out from behind these pointers.
    arrays: *mut *mut ArrowArray,
    len: usize,
    /// Frees everything except the arrays.
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    /// Null in the result of a failed call.
    private_data: *mut c_void,
}

impl Drop for SeriesExport {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the producer of the column set the callback for this call, which happens only once.
            unsafe { release(self) }
        }
    }
}

/// The body of an expression, from its keyword arguments and columns, or their fields.
pub type Body<'a, Column, Output> = &'a dyn Fn(&Keywords, &[Column]) -> Result<Output, String>;

thread_local! {
    /// The last error on this thread; Polars reads it on the thread of the failed call.
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

fn store_error(error: String) {
    // The guard removes NUL bytes from messages, so this conversion does not fail.
    LAST_ERROR.with(|last| *last.borrow_mut() = CString::new(error).unwrap_or_default());
}

/// The ABI version of the plugin, which Polars reads before any other call.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_version() -> u32 {
    static ONCE: Once = Once::new();
    // A panic becomes an error, and must not be printed as well.
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            if std::env::var_os("POLARS_VERBOSE").is_some_and(|verbose| verbose == "1") {
                eprintln!("{panic}");
            }
        }));
        // Earlier handlers, those of Polars and Python, are still called. If no handler can be added, an
        // interrupt waits for the end of the call.
        // SAFETY: the handler only stores a number in an atomic.
        let _ =
            unsafe { signal_hook::low_level::register(signal_hook::consts::SIGINT, interrupt::interrupt) };
    });
    VERSION
}

/// The last error on this thread; valid until the next one.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

/// The two symbols of an expression for Polars: one plans its field, the other evaluates it.
macro_rules! symbols {
    ($name:ident, $called:expr, $plan:expr, $call:expr) => {
        // SAFETY: no other symbol of the library has this name.
        #[unsafe(export_name = concat!("_polars_plugin_field_", stringify!($name)))]
        unsafe extern "C" fn plan(
            fields: *const arrow::ffi::ArrowSchema,
            count: usize,
            output: *mut arrow::ffi::ArrowSchema,
            kwargs: *const u8,
            kwargs_len: usize,
        ) {
            // SAFETY: Polars upholds the contract of the function.
            unsafe {
                $crate::plugin::abi::ffi::plan($called, fields, count, (kwargs, kwargs_len), output, &$plan)
            }
        }

        // SAFETY: no other symbol of the library has this name.
        #[unsafe(export_name = concat!("_polars_plugin_", stringify!($name)))]
        unsafe extern "C" fn call(
            inputs: *const $crate::plugin::abi::ffi::SeriesExport,
            count: usize,
            kwargs: *const u8,
            kwargs_len: usize,
            output: *mut $crate::plugin::abi::ffi::SeriesExport,
            _context: *const std::ffi::c_void,
        ) {
            // SAFETY: Polars upholds the contract of the function.
            unsafe {
                $crate::plugin::abi::ffi::call($called, inputs, count, (kwargs, kwargs_len), output, &$call)
            }
        }
    };
}
pub(in crate::plugin) use symbols;

/// Evaluates an expression: calls `body` with the keyword arguments and the inputs.
///
/// # Safety
/// `inputs` must point to `count` columns that no other code uses or releases, `kwargs` to `kwargs_len`
/// bytes, and `output` to writable memory for a column.
pub unsafe fn call(
    expression: &str,
    inputs: *const SeriesExport,
    count: usize,
    (kwargs, kwargs_len): (*const u8, usize),
    output: *mut SeriesExport,
    body: Body<'_, Input, Values>,
) {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: guaranteed by the caller.
    let keywords = Keywords::new(unsafe { bytes(kwargs, kwargs_len) });
    let result =
        guard::with_name(keywords.called.as_deref().unwrap_or(expression), &keywords.front_end, || {
            // SAFETY: guaranteed by the caller.
            let inputs = unsafe { take(inputs, count)? };
            body(&keywords, &inputs).map(export).map_err(|error| with_score_names(&error, &inputs))
        });
    match result {
        // SAFETY: guaranteed by the caller.
        Ok(column) => unsafe { output.write(column) },
        Err(error) => store_error(error),
    }
}

/// Plans the field of an expression: calls `body` with the keyword arguments and the fields.
///
/// # Safety
/// `fields` must point to `count` fields, `kwargs` to `kwargs_len` bytes, and `output` to writable memory for
/// a field.
pub unsafe fn plan(
    expression: &str,
    fields: *const ArrowSchema,
    count: usize,
    (kwargs, kwargs_len): (*const u8, usize),
    output: *mut ArrowSchema,
    body: Body<'_, Field, Field>,
) {
    // SAFETY: guaranteed by the caller.
    let keywords = Keywords::new(unsafe { bytes(kwargs, kwargs_len) });
    let planned =
        guard::with_name(keywords.called.as_deref().unwrap_or(expression), &keywords.front_end, || {
            // SAFETY: guaranteed by the caller; borrowed fields are only read.
            let fields = unsafe {
                let fields = (0..count).map(|index| import_field_from_c(&*fields.add(index)));
                fields.map(|field| field.map_err(message)).collect::<Result<Vec<Field>, String>>()?
            };
            body(&keywords, &fields).map(|field| export_field_to_c(&field))
        });
    match planned {
        // SAFETY: guaranteed by the caller.
        Ok(field) => unsafe { output.write(field) },
        Err(error) => store_error(error),
    }
}

/// The text with the names of scores, which are the first columns, in place of their placeholders.
fn with_score_names(text: &str, inputs: &[Input]) -> String {
    let with_name = |text: String, (placeholder, input): (usize, &Input)| {
        let name = input.field.name.replace('`', LITERAL_BACKTICK);
        text.replace(score_name(placeholder), &format!(" in \"{name}\""))
    };
    inputs.iter().enumerate().fold(text.into(), with_name)
}

/// Takes ownership of columns, and releases their exports.
///
/// # Safety
/// `inputs` must point to `count` columns that no other code uses or releases.
unsafe fn take(inputs: *const SeriesExport, count: usize) -> Result<Vec<Input>, String> {
    // SAFETY: the caller guarantees that each column is valid, and each is moved once. All columns and all
    // their arrays are moved before anything can fail, so that an error releases the rest.
    let moved: Vec<(SeriesExport, Vec<ArrowArray>)> = unsafe {
        let columns = (0..count).map(|index| inputs.add(index).read());
        let arrays =
            |column: &SeriesExport| (0..column.len).map(|chunk| (*column.arrays.add(chunk)).read()).collect();
        columns.map(|column| (arrays(&column), column)).map(|(arrays, column)| (column, arrays)).collect()
    };
    let mut received = Vec::with_capacity(count);
    for (column, arrays) in moved {
        // SAFETY: the field is valid until the column is released, and it describes these arrays.
        let (field, chunks) = unsafe {
            let field = import_field_from_c(&*column.field).map_err(message)?;
            let chunks = arrays.into_iter().map(|array| import_array_from_c(array, field.dtype.clone()));
            (field.clone(), chunks.collect::<Result<Vec<_>, _>>().map_err(message)?)
        };
        received.push(Input { field, chunks });
    }
    Ok(received)
}

/// A byte slice, possibly empty.
///
/// # Safety
/// `start` must point to `len` immutable bytes.
unsafe fn bytes<'a>(start: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: guaranteed by the caller; an empty slice does not use the pointer.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, len) } }
}

fn export(values: Values) -> SeriesExport {
    let field = Box::new(export_field_to_c(&values.field));
    let array = Box::new(export_array_to_c(values.array));
    SeriesExport {
        field: Box::into_raw(field),
        arrays: Box::into_raw(Box::new(Box::into_raw(array))),
        len: 1,
        release: Some(release),
        private_data: std::ptr::NonNull::dangling().as_ptr(),
    }
}

/// Frees the allocations of [`export`] except the array, which was moved out.
///
/// # Safety
/// Must be called once, with a column from [`export`].
unsafe extern "C" fn release(column: *mut SeriesExport) {
    // SAFETY: the caller guarantees that these boxes are from `export`. The array was moved out, so it is not
    // dropped.
    unsafe {
        let array = *Box::from_raw((*column).arrays);
        drop(Box::from_raw(array.cast::<std::mem::ManuallyDrop<ArrowArray>>()));
        drop(Box::from_raw((*column).field));
        (*column).release = None;
        (*column).private_data = std::ptr::null_mut();
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::mem::ManuallyDrop;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use arrow::array::{
        BooleanArray, DictionaryArray, LIST_VALUES_NAME, ListArray, NullArray, PrimitiveArray, StructArray,
        Utf8ViewArray,
    };
    use arrow::datatypes::ArrowDataType as Dtype;
    use arrow::offset::OffsetsBuffer;
    use polars::prelude::pf16;

    use super::*;

    /// An array in the layout of the C data interface.
    #[repr(C)]
    struct RawArray {
        numbers: [i64; 5],
        pointers: [*mut c_void; 3],
        release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
        private_data: *mut c_void,
    }

    /// The original release data of an array whose release is counted.
    struct Counted {
        release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
        private_data: *mut c_void,
        count: Arc<AtomicUsize>,
    }

    unsafe extern "C" fn release_counted(array: *mut ArrowArray) {
        // SAFETY: only arrays from `counted` have this callback, and it is called once.
        unsafe {
            let raw = array.cast::<RawArray>();
            let counted = Box::from_raw((*raw).private_data.cast::<Counted>());
            counted.count.fetch_add(1, Ordering::Relaxed);
            ((*raw).release, (*raw).private_data) = (counted.release, counted.private_data);
            counted.release.unwrap()(array);
        }
    }

    fn counted(array: Box<dyn Array>, count: &Arc<AtomicUsize>) -> ArrowArray {
        assert_eq!(size_of::<RawArray>(), size_of::<ArrowArray>());
        let mut array = export_array_to_c(array);
        // SAFETY: both structs have the same layout, and moved-out fields are restored before use.
        unsafe {
            let raw = &mut *(&raw mut array).cast::<RawArray>();
            let before =
                Counted { release: raw.release, private_data: raw.private_data, count: count.clone() };
            raw.private_data = Box::into_raw(Box::new(before)).cast();
            raw.release = Some(release_counted);
        }
        array
    }

    /// The allocations of Polars for a column that it passes.
    struct Passed {
        field: Box<ArrowSchema>,
        arrays: Vec<*mut ArrowArray>,
        count: Arc<AtomicUsize>,
    }

    unsafe extern "C" fn release_passed(column: *mut SeriesExport) {
        // SAFETY: only columns from `passed` have this callback, and it is called once.
        unsafe {
            let passed = Box::from_raw((*column).private_data.cast::<Passed>());
            for array in passed.arrays {
                drop(Box::from_raw(array.cast::<ManuallyDrop<ArrowArray>>()));
            }
            passed.count.fetch_add(1, Ordering::Relaxed);
            (*column).release = None;
        }
    }

    /// A column of chunks, as Polars passes it. Counts the release of each array and of the column.
    fn passed(name: &str, chunks: &[Box<dyn Array>], count: &Arc<AtomicUsize>) -> SeriesExport {
        let field = Field::new(name.into(), chunks[0].dtype().clone(), true);
        let arrays =
            chunks.iter().map(|chunk| Box::into_raw(Box::new(counted(chunk.clone(), count)))).collect();
        let mut passed =
            Box::new(Passed { field: Box::new(export_field_to_c(&field)), arrays, count: count.clone() });
        SeriesExport {
            field: &raw mut *passed.field,
            arrays: passed.arrays.as_mut_ptr(),
            len: chunks.len(),
            release: Some(release_passed),
            private_data: Box::into_raw(passed).cast(),
        }
    }

    fn nothing() -> SeriesExport {
        SeriesExport {
            field: std::ptr::null_mut(),
            arrays: std::ptr::null_mut(),
            len: 0,
            release: None,
            private_data: std::ptr::null_mut(),
        }
    }

    fn last_error() -> String {
        // SAFETY: the message is valid until the next error on this thread.
        unsafe { CStr::from_ptr(_polars_plugin_get_last_error_message()) }.to_str().unwrap().to_string()
    }

    /// Calls an expression with this body like Polars does, and imports the result.
    fn called(
        inputs: Vec<SeriesExport>,
        kwargs: &[u8],
        body: Body<'_, Input, Values>,
    ) -> Result<Input, String> {
        let mut inputs: Vec<ManuallyDrop<SeriesExport>> = inputs.into_iter().map(ManuallyDrop::new).collect();
        let mut output = ManuallyDrop::new(nothing());
        let kwargs = (kwargs.as_ptr(), kwargs.len());
        // SAFETY: all arguments are valid and not used afterwards.
        unsafe {
            call("gini", inputs.as_mut_ptr().cast(), inputs.len(), kwargs, &raw mut *output, body);
            if output.private_data.is_null() {
                return Err(last_error());
            }
            Ok(take(&raw const *output, 1)?.remove(0))
        }
    }

    fn first(_: &Keywords, inputs: &[Input]) -> Result<Values, String> {
        Ok(Values { field: inputs[0].field.clone(), array: inputs[0].chunks[0].clone() })
    }

    /// Arrays of every layout that an expression reads or writes.
    fn arrays() -> Vec<Box<dyn Array>> {
        let numbers = PrimitiveArray::<i64>::from_slice([3, 1, 2]).boxed();
        let long = "longer than the twelve bytes that a view holds itself";
        let words = Utf8ViewArray::from_slice([Some("short"), None, Some(long)]).boxed();
        let list = |items: Box<dyn Array>| {
            let dtype = Dtype::LargeList(Box::new(Field::new(LIST_VALUES_NAME, items.dtype().clone(), true)));
            let borders = OffsetsBuffer::try_from(vec![0, 1, items.len() as i64]).unwrap();
            ListArray::<i64>::try_new(dtype, borders, items, None).unwrap().boxed()
        };
        let indices = PrimitiveArray::<u8>::from(vec![Some(1), None, Some(0)]);
        let coded = DictionaryArray::try_from_keys(
            indices,
            Utf8ViewArray::from_slice_values([long, "b"]).boxed(),
            false,
        );
        let coded = coded.unwrap().boxed();
        let fields = [("a", &numbers), ("b", &words), ("c", &coded)]
            .map(|(name, values)| Field::new(name.into(), values.dtype().clone(), true));
        let values = vec![numbers.clone(), words.clone(), coded.clone()];
        let structs = StructArray::try_new(Dtype::Struct(fields.to_vec()), 3, values, None).unwrap().boxed();
        vec![
            NullArray::new(Dtype::Null, 3).boxed(),
            BooleanArray::from_slice([true, false, true]).sliced(1, 2).boxed(),
            PrimitiveArray::from(vec![Some(1.5f64), None, Some(f64::INFINITY)]).sliced(1, 2).boxed(),
            PrimitiveArray::<pf16>::from_slice([pf16::from(0.5f32)]).boxed(),
            PrimitiveArray::<i128>::from_slice([i128::MIN, 7]).to(Dtype::Decimal(38, 2)).boxed(),
            PrimitiveArray::<u128>::from_slice([u128::MAX]).boxed(),
            list(numbers.clone()).sliced(1, 1),
            list(list(words.clone()).sliced(0, 2)).sliced(0, 1),
            list(structs.clone()),
            list(coded.clone()),
            numbers,
            words,
            coded,
            structs,
        ]
    }

    #[test]
    fn round_trip_releases_each_array_once() {
        for array in arrays() {
            let count = Arc::new(AtomicUsize::new(0));
            let inputs = vec![
                passed("x", std::slice::from_ref(&array), &count),
                passed("y", &[array.clone(), array.clone()], &count),
            ];
            let output = called(inputs, b"", &|kwargs, inputs| {
                assert_eq!((inputs.len(), inputs[1].chunks.len()), (2, 2));
                assert_eq!(inputs[1].len(), 2 * array.len());
                first(kwargs, inputs)
            });
            let output = output.unwrap();
            assert_eq!((output.field.name.as_str(), output.field.dtype()), ("x", array.dtype()));
            assert!(arrow::array::equal(output.chunks[0].as_ref(), array.as_ref()), "{array:?}");
            // Both columns and two of the arrays are released. The third remains in the result, except for
            // nulls, which need no buffer.
            let kept = usize::from(*array.dtype() != Dtype::Null);
            assert_eq!(count.load(Ordering::Relaxed), 5 - kept);
            drop(output);
            assert_eq!(count.load(Ordering::Relaxed), 5);
        }
    }

    #[test]
    fn errors_release_all_arrays() {
        let count = Arc::new(AtomicUsize::new(0));
        let inputs =
            || arrays().iter().map(|array| passed("x", &[array.clone(), array.clone()], &count)).collect();
        let columns = arrays().len();
        let error = called(inputs(), b"", &|_, _| Err("bad\0label".into())).err();
        assert_eq!(error.as_deref(), Some("gini: bad\\0label"));
        assert_eq!(count.swap(0, Ordering::Relaxed), 3 * columns);
        let error = called(inputs(), b"", &|_, inputs| panic!("{}\0 inputs", inputs.len())).err().unwrap();
        assert!(
            error.starts_with("gini: internal error (14\\0 inputs). This is a defect of polars-auc"),
            "{error}"
        );
        assert_eq!(count.swap(0, Ordering::Relaxed), 3 * columns);
        // An unsupported dtype gives an error, not an abort.
        let odd = passed("x", &arrays()[..1], &count);
        // SAFETY: the previous field of the column is released, and this one replaces it.
        unsafe {
            let field =
                export_field_to_c(&Field::new("x".into(), Dtype::Struct(vec![Field::default()]), true));
            *odd.field = field;
        }
        assert!(called(vec![odd], b"", &first).err().is_some_and(|error| error.starts_with("gini: ")));
        assert_eq!(count.swap(0, Ordering::Relaxed), 2);
    }

    /// Plans an expression with this body like Polars does.
    fn planned(fields: &[Field], body: Body<'_, Field, Field>) -> Result<Field, String> {
        let fields: Vec<ArrowSchema> = fields.iter().map(export_field_to_c).collect();
        let mut output = ArrowSchema::empty();
        // SAFETY: all arguments are valid. Fields are borrowed, and released here.
        unsafe {
            plan("gini", fields.as_ptr(), fields.len(), (std::ptr::null(), 0), &raw mut output, body);
            if output.is_null() { Err(last_error()) } else { Ok(import_field_from_c(&output).unwrap()) }
        }
    }

    #[test]
    fn fields_round_trip() {
        let about = [("_PL_ENUM_VALUES2".into(), "1;a2;bc".into())].into_iter().collect();
        let mut fields: Vec<Field> =
            arrays().iter().map(|array| Field::new("x".into(), array.dtype().clone(), true)).collect();
        fields.push(fields[12].clone().with_metadata(about));
        for field in &fields {
            let back = planned(&[field.clone(), fields[0].clone()], &|kwargs, fields| {
                assert!(kwargs.roles.0.is_empty() && fields.len() == 2);
                Ok(fields[0].clone())
            });
            assert_eq!(back.as_ref(), Ok(field));
        }
        assert_eq!(planned(&[], &|_, _| Err("no fields".into())), Err("gini: no fields".into()));
        let panicked = planned(&fields, &|_, fields| panic!("{} fields", fields.len()));
        assert!(panicked.unwrap_err().contains("internal error (15 fields)"));
    }

    #[test]
    fn abi_version_and_layout() {
        assert_eq!(_polars_plugin_get_version(), 1);
        // Other tests print their panics.
        drop(std::panic::take_hook());
        assert_eq!(size_of::<SeriesExport>(), 5 * size_of::<usize>());
    }
}
