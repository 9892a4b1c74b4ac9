//! The public interface of a statistic: its parameters, in the order of the signature, and the fields of its
//! results.
//!
//! A statistic declares both once, with the macro `declaration!`. The Python signatures and the docstring
//! sections `Parameters` and `Returns` are generated from it: after a change here, run
//! `python tests/python/package/generate.py`.

use crate::statistics::kinds::Field;
use crate::statistics::options::Word;

/// The declaration of a statistic.
pub trait Declaration {
    /// One sentence about the statistic, followed by search terms after `Words:`.
    const TEXT: &'static str;
    /// The parameters, in the order of the signature.
    const PARAMETERS: &'static [Parameter];
    /// The fields of each possible record. A variant repeats fields of the first.
    const RECORDS: &'static [Fields];
}

/// The fields of a record, with the number of columns and the sentence of each declared field.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The columns.
    pub columns: &'static [Field],
    /// For each field: the number of its columns, and its description.
    pub sentences: &'static [(usize, &'static str)],
}

/// A parameter: a column by its role, or an option.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The kind.
    pub kind: ParameterKind,
    /// Whether it is keyword-only.
    pub by_name: bool,
    /// The default in Python syntax; empty if it is required.
    pub default: &'static str,
    /// The description; empty for the standard one, or if the previous parameter includes it.
    pub text: &'static str,
}

/// Kinds of parameters.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// The standard parameter of this name.
    Standard,
    /// A column.
    Column,
    /// One or several columns.
    Columns,
    /// A number.
    Number,
    /// Several numbers.
    Numbers,
    /// An integer.
    Integer,
    /// True or False.
    Flag,
    /// One of several words.
    Word(fn() -> Vec<&'static str>),
    /// A Python-only type, in Python syntax.
    Python(&'static str),
}

impl ParameterKind {
    /// The type in Python syntax, without None.
    pub fn annotation(self) -> String {
        match self {
            ParameterKind::Standard => "".into(),
            ParameterKind::Column => "IntoExpr".into(),
            ParameterKind::Columns => "IntoExpr | Sequence[IntoExpr]".into(),
            ParameterKind::Number => "float".into(),
            ParameterKind::Numbers => "Sequence[float]".into(),
            ParameterKind::Integer => "int".into(),
            ParameterKind::Flag => "bool".into(),
            ParameterKind::Word(words) => {
                let words: Vec<String> = words().iter().map(|word| format!("\"{word}\"")).collect();
                format!("Literal[{}]", words.join(", "))
            }
            ParameterKind::Python(annotation) => annotation.into(),
        }
    }
}

/// The words of an option, by their first names.
pub fn words<W: Word>() -> Vec<&'static str> {
    let is_name = |&&(word, value): &&(&'static str, W)| value.word() == word;
    W::WORDS.iter().filter(is_name).map(|&(word, _)| word).collect()
}

/// The kind of a parameter, from its declaration.
macro_rules! kind {
    () => {
        $crate::statistics::declaration::ParameterKind::Standard
    };
    (column) => {
        $crate::statistics::declaration::ParameterKind::Column
    };
    (columns) => {
        $crate::statistics::declaration::ParameterKind::Columns
    };
    (number) => {
        $crate::statistics::declaration::ParameterKind::Number
    };
    (numbers) => {
        $crate::statistics::declaration::ParameterKind::Numbers
    };
    (integer) => {
        $crate::statistics::declaration::ParameterKind::Integer
    };
    (flag) => {
        $crate::statistics::declaration::ParameterKind::Flag
    };
    (word<$words:ty>) => {
        $crate::statistics::declaration::ParameterKind::Word($crate::statistics::declaration::words::<$words>)
    };
    (python($annotation:literal)) => {
        $crate::statistics::declaration::ParameterKind::Python($annotation)
    };
}
pub(crate) use kind;

/// A parameter, from its declaration.
macro_rules! parameter {
    ($by_name:literal $(#[doc = $text:literal])* $name:ident
    $(: $kind:ident $(<$words:ty>)? $(($annotation:literal))?)? $(= $default:tt)?) => {
        $crate::statistics::declaration::Parameter {
            name: stringify!($name),
            kind: $crate::statistics::declaration::kind!($($kind $(<$words>)? $(($annotation))?)?),
            by_name: $by_name,
            default: concat!($(stringify!($default))?),
            text: concat!($($text, "\n"),*),
        }
    };
}
pub(crate) use parameter;

/// Declares the public interface of a statistic: `declaration! { Name => Record { label = None, score = None;
/// level = 0.95 } }`.
///
/// The doc comment has one sentence, and the search terms. A parameter without a kind is a standard one, and
/// parameters after the semicolon are keyword-only. Doc comments are for users: `` `name` `` is code and
/// `` `name()` `` a function.
macro_rules! declaration {
    ($(#[doc = $sentence:literal])* $statistic:ty $(=> $($record:ty),+)? {
        $($(#[doc = $first_text:literal])* $first:ident
            $(: $first_kind:ident $(<$first_words:ty>)? $(($first_annotation:literal))?)? $(= $first_default:tt)?),*
        $(; $($(#[doc = $text:literal])* $name:ident
            $(: $kind:ident $(<$words:ty>)? $(($annotation:literal))?)? $(= $default:tt)?),*)?
        $(,)?
    }) => {
        impl $crate::statistics::declaration::Declaration for $statistic {
            const TEXT: &'static str = concat!($($sentence, "\n"),*);
            const PARAMETERS: &'static [$crate::statistics::declaration::Parameter] = &[
                $($crate::statistics::declaration::parameter! {
                    false $(#[doc = $first_text])* $first
                    $(: $first_kind $(<$first_words>)? $(($first_annotation))?)? $(= $first_default)?
                },)*
                $($($crate::statistics::declaration::parameter! {
                    true $(#[doc = $text])* $name
                    $(: $kind $(<$words>)? $(($annotation))?)? $(= $default)?
                }),*)?
            ];
            const RECORDS: &'static [$crate::statistics::declaration::Fields] = &[
                $($($crate::statistics::declaration::Fields {
                    columns: <$record as $crate::statistics::kinds::Record>::FIELDS,
                    sentences: <$record as $crate::statistics::kinds::Record>::SENTENCES,
                }),+)?
            ];
        }
    };
}
pub(crate) use declaration;
