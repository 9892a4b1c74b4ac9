//! The front end that renders an error: Python or a shell.
//!
//! Messages write options between backticks, with or without a value: `` `level` ``, `` `method="bootstrap"` ``.
//! In Python these are keyword arguments, and in a shell flags. If a hint differs, the message has both forms:
//! see [`per_front_end`](crate::statistics::options::per_front_end).

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::statistics::options::{FRONT_END_MARKS, LITERAL_BACKTICK};

/// The front end in which a user reads an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FrontEnd {
    /// In Python.
    #[default]
    Python,
    /// A shell, in which some options have other names.
    Shell(BTreeMap<String, String>),
}

impl FrontEnd {
    /// The text for this front end.
    pub fn render(&self, text: &str) -> String {
        let mut rendered = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, (python, shell), after)) = part(rest) {
            self.render_options(before, &mut rendered);
            self.render_options(if *self == FrontEnd::Python { python } else { shell }, &mut rendered);
            rest = after;
        }
        self.render_options(rest, &mut rendered);
        rendered.replace(LITERAL_BACKTICK, "`")
    }

    fn render_options(&self, text: &str, rendered: &mut String) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('`') {
            rendered.push_str(before);
            match after.split_once('`').filter(|(inside, _)| names_option(inside)) {
                Some((inside, after)) => {
                    rendered.push_str(&self.option(inside));
                    rest = after;
                }
                None => {
                    rendered.push('`');
                    rest = after;
                }
            }
        }
        rendered.push_str(rest);
    }

    fn option<'a>(&self, written: &'a str) -> Cow<'a, str> {
        let FrontEnd::Shell(names) = self else { return written.into() };
        let (name, value) =
            written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
        let flag = names.get(name).cloned().unwrap_or_else(|| format!("--{}", name.replace('_', "-")));
        match value {
            None | Some("True") => flag.into(),
            Some(value) => format!("{flag} {}", value.trim_matches('"')).into(),
        }
    }
}

/// Splits a text at its first part with two forms: the text before, both forms, and the text after.
fn part(text: &str) -> Option<(&str, (&str, &str), &str)> {
    let [begin, between, end] = FRONT_END_MARKS;
    let (before, rest) = text.split_once(begin)?;
    let (forms, after) = rest.split_once(end)?;
    Some((before, forms.split_once(between)?, after))
}

fn names_option(inside: &str) -> bool {
    let name = inside.split_once('=').map_or(inside, |(name, _)| name);
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::options::{OptionError, OptionValue, per_front_end};

    #[test]
    fn one_text_in_two_front_ends() {
        let names = [("n_resamples".to_string(), "--resamples".to_string())].into();
        let shell = FrontEnd::Shell(names);
        let text = "`n_resamples` applies to the bootstrap only. Hint: write `method=\"bootstrap\"`, or `pairs=True`";
        assert_eq!(
            FrontEnd::Python.render(text),
            "n_resamples applies to the bootstrap only. Hint: write method=\"bootstrap\", or pairs=True"
        );
        assert_eq!(
            shell.render(text),
            "--resamples applies to the bootstrap only. Hint: write --method bootstrap, or --pairs"
        );
        let text = format!(
            "label \"a`b\" contains 2. Write {}.",
            per_front_end("pl.col(\"a\") == 2", "--label \"a = 2\"")
        );
        assert_eq!(FrontEnd::Python.render(&text), "label \"a`b\" contains 2. Write pl.col(\"a\") == 2.");
        assert_eq!(shell.render(&text), "label \"a`b\" contains 2. Write --label \"a = 2\".");
        let value = OptionValue::Word("`level=1`".into());
        let error = OptionError::new("method", format!("is {value}"));
        assert_eq!(FrontEnd::Python.render(&error.to_string()), "method is '`level=1`'");
        assert_eq!(shell.render(&error.to_string()), "--method is '`level=1`'");
        for odd in ["a ` b", "`A`", "``", "\u{2} x", "\u{2} x \u{3}"] {
            assert_eq!(shell.render(odd), odd);
        }
    }
}
