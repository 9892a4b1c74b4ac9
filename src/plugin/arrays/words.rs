//! Dictionary-encoded strings, as Polars passes Categorical and Enum.

use arrow::array::{Array, DictionaryArray, DictionaryKey, PrimitiveArray, Utf8ViewArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, IntegerType};
use polars::prelude::PlHashMap;

use super::downcast::{NOWHERE, downcast, message};

/// Dictionary-encoded strings with indices of any width.
pub struct Words {
    /// For each row, the index of its word; unspecified for null.
    pub codes: Vec<u32>,
    /// The validity of rows; `None` if all are valid.
    pub validity: Option<Bitmap>,
    /// The dictionary. Polars passes each word once; after concatenation a word may occur several times.
    pub words: Utf8ViewArray,
}

impl Words {
    /// Reads a dictionary array.
    pub fn new(array: &dyn Array) -> Result<Self, String> {
        match array.dtype() {
            Dtype::Dictionary(IntegerType::UInt8, ..) => read::<u8>(array),
            Dtype::Dictionary(IntegerType::UInt16, ..) => read::<u16>(array),
            Dtype::Dictionary(IntegerType::UInt32, ..) => read::<u32>(array),
            other => Err(format!("cannot read words of dtype {other:?}")),
        }
    }

    /// The dictionary array of this dtype.
    fn array(self, dtype: &Dtype) -> Result<Box<dyn Array>, String> {
        match dtype {
            Dtype::Dictionary(IntegerType::UInt8, ..) => write::<u8>(self, dtype),
            Dtype::Dictionary(IntegerType::UInt16, ..) => write::<u16>(self, dtype),
            Dtype::Dictionary(IntegerType::UInt32, ..) => write::<u32>(self, dtype),
            other => Err(format!("cannot write words of dtype {other:?}")),
        }
    }

    /// The words of these rows in this order, with only the words in use.
    fn gathered(&self, rows: &[u32]) -> Self {
        let mut code_of: PlHashMap<&str, u32> = PlHashMap::default();
        let mut words: Vec<&str> = Vec::new();
        let is_present = |row: u32| {
            row != NOWHERE && self.validity.as_ref().is_none_or(|validity| validity.get_bit(row as usize))
        };
        let code = |row: &u32| {
            if !is_present(*row) {
                return 0;
            }
            let word = self.words.value(self.codes[*row as usize] as usize);
            *code_of.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() as u32 - 1
            })
        };
        let codes = rows.iter().map(code).collect();
        let validity = Bitmap::from_iter(rows.iter().map(|row| is_present(*row)));
        Words { codes, validity: Some(validity), words: Utf8ViewArray::from_slice_values(words) }
    }
}

fn read<K: DictionaryKey + Into<u32>>(array: &dyn Array) -> Result<Words, String> {
    let array = downcast::<DictionaryArray<K>>(array)?;
    Ok(Words {
        codes: array.keys().values().iter().map(|&code| code.into()).collect(),
        validity: array.validity().cloned(),
        words: downcast::<Utf8ViewArray>(array.values().as_ref())?.clone(),
    })
}

fn write<K: DictionaryKey + TryFrom<u32>>(words: Words, dtype: &Dtype) -> Result<Box<dyn Array>, String> {
    let code =
        |code: u32| K::try_from(code).map_err(|_| format!("{code} words are more than {dtype:?} holds"));
    let codes = words.codes.into_iter().map(code).collect::<Result<Vec<K>, String>>()?;
    let codes = PrimitiveArray::from_vec(codes).with_validity(words.validity);
    Ok(DictionaryArray::try_new(dtype.clone(), codes, words.words.boxed()).map_err(message)?.boxed())
}

/// Concatenates dictionary arrays of one dtype.
pub fn concatenated(parts: &[Box<dyn Array>]) -> Result<Box<dyn Array>, String> {
    let mut all =
        Words { codes: Vec::new(), validity: None, words: Utf8ViewArray::new_empty(Dtype::Utf8View) };
    let (mut present, mut words) = (Vec::new(), Vec::new());
    let parts = parts.iter().map(|part| Ok((part, Words::new(part.as_ref())?)));
    let parts = parts.collect::<Result<Vec<_>, String>>()?;
    for (part, more) in &parts {
        let before = words.len() as u32;
        words.extend(more.words.values_iter());
        all.codes.extend(more.codes.iter().map(|code| before + code));
        present.extend((0..part.len()).map(|row| part.is_valid(row)));
    }
    all.words = Utf8ViewArray::from_slice_values(&words);
    all.validity = Some(present.into());
    let rows: Vec<u32> = (0..all.codes.len() as u32).collect();
    let Some((first, _)) = parts.first() else { return Err("a column without chunks".into()) };
    all.gathered(&rows).array(first.dtype())
}

/// The words of these rows, in this order.
pub fn gathered(array: &dyn Array, rows: &[u32]) -> Result<Box<dyn Array>, String> {
    Words::new(array)?.gathered(rows).array(array.dtype())
}
