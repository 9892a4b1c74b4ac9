//! What users see of a statistic: its parameters, in the order of the signature, and the fields of its answers.
//!
//! A statistic declares both once, with the macro `declaration!`. The signatures of Python and the sections `Parameters` and
//! `Returns` of its docstrings follow: after a change here, `python tests/python/package/generate.py` rewrites them.

use crate::statistics::kinds::Field;
use crate::statistics::options::Word;

/// The declaration of a statistic.
pub trait Declaration {
    /// What the statistic is, in one sentence, and behind `Words:` the words that people use for it.
    const TEXT: &'static str;
    /// The parameters, in the order of the signature.
    const PARAMETERS: &'static [Parameter];
    /// The fields of each record that may be the answer. A variant repeats fields of the first.
    const RECORDS: &'static [Fields];
}

/// The fields of a record, and of each declared field the number of its columns and its sentence.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The columns.
    pub columns: &'static [Field],
    /// Of each field: how many columns it has, and what it is.
    pub sentences: &'static [(usize, &'static str)],
}

/// A parameter: a column by its role, or an option.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// Whether it is given by its name only.
    pub by_name: bool,
    /// The default, as Python writes it; empty if it must be given.
    pub default: &'static str,
    /// What it is; empty if the standard sentence says all, or if the parameter before has it.
    pub text: &'static str,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// What the standard parameter of this name is.
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
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// A type that only Python has, as it is written there.
    Python(&'static str),
}

impl ParameterKind {
    /// The type as Python writes it, without None.
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

/// The words of an option, each by its first name.
pub fn words<W: Word>() -> Vec<&'static str> {
    let is_name = |&&(word, value): &&(&'static str, W)| value.word() == word;
    W::WORDS.iter().filter(is_name).map(|&(word, _)| word).collect()
}

/// The kind of a parameter, from how it is declared.
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

/// A parameter, as it is declared.
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

/// Declares what users see of a statistic: `declaration! { Name => Record { label = None, score = None; level = 0.95 } }`.
///
/// Its doc comment is one sentence, and the words that people use for it. A parameter without a kind is a standard one, and those
/// behind the semicolon are given by their names only. Doc comments are for users: `` `name` `` is code and `` `name()` `` a
/// function.
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
