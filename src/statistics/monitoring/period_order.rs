//! The order of periods with textual names.

use std::cmp::Ordering;

/// Names of months and weekdays, which are not in alphabetical order.
const CALENDAR: &[&str] = &[
    "jan",
    "january",
    "feb",
    "february",
    "mar",
    "march",
    "apr",
    "april",
    "may",
    "jun",
    "june",
    "jul",
    "july",
    "aug",
    "august",
    "sep",
    "sept",
    "september",
    "oct",
    "october",
    "nov",
    "november",
    "dec",
    "december",
    "mon",
    "monday",
    "tue",
    "tues",
    "tuesday",
    "wed",
    "wednesday",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "fri",
    "friday",
    "sat",
    "saturday",
    "sun",
    "sunday",
];

/// Parts of a year: in a name such as Q3 26, the two digits after a part and its number are a year.
const PARTS_OF_A_YEAR: &[&str] = &["h", "half", "kw", "m", "month", "p", "q", "quarter", "w", "week"];

/// How periods are written so that they have an order.
pub const ORDERED: &str = "write the largest unit first, such as 2026-09-30, 2026-W40 or 2026-Q3";

/// The ranks of distinct names in the order of their periods, or an error with the reason.
///
/// Names with equal letters are ordered by their numbers: W9 comes before W10. Names with different letters
/// are ordered if text order and number order agree; single letters are ordered alphabetically. Ambiguous
/// names are rejected: names of months, a year after a month, words.
pub fn period_order(names: &[&str]) -> Result<Vec<u32>, String> {
    let parsed: Vec<Name> = names.iter().map(|name| Name::new(name)).collect();
    if let Some(reason) = parsed.iter().find_map(Name::refused) {
        return Err(reason);
    }
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    let name = |index: u32| &parsed[index as usize];
    if parsed.windows(2).all(|pair| pair[0].letters == pair[1].letters) {
        order.sort_by(|&a, &b| name(a).by_numbers(name(b)));
        for pair in order.windows(2) {
            let (a, b) = (name(pair[0]), name(pair[1]));
            if a.by_numbers(b) == Ordering::Equal {
                return Err(format!(
                    "{:?} and {:?} are the same numbers. Hint: write each period in one way",
                    a.text, b.text
                ));
            }
            if a.is_decimal() && a.by_value(b) != Ordering::Less {
                return Err(format!("{:?} and {:?} may be decimal numbers or versions", a.text, b.text));
            }
        }
        return Ok(order);
    }
    order.sort_by_key(|&index| name(index).text);
    for pair in order.windows(2) {
        let (a, b) = (name(pair[0]), name(pair[1]));
        if a.by_numbers(b) != Ordering::Less && !(a.is_letter() && b.is_letter()) {
            return Err(format!("the order of {:?} and {:?} is unknown", a.text, b.text));
        }
    }
    Ok(order)
}

/// A name split into its numbers and the letters between them.
struct Name<'a> {
    text: &'a str,
    /// The digits of each number.
    numbers: Vec<&'a str>,
    /// The text before the first number, between numbers, and after the last one.
    letters: Vec<&'a str>,
}

impl<'a> Name<'a> {
    fn new(text: &'a str) -> Self {
        let (mut numbers, mut letters, mut rest) = (Vec::new(), Vec::new(), text);
        loop {
            let start = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            letters.push(&rest[..start]);
            rest = &rest[start..];
            if rest.is_empty() {
                return Name { text, numbers, letters };
            }
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            numbers.push(&rest[..end]);
            rest = &rest[end..];
        }
    }

    /// The reason why the name cannot be ordered, if any.
    fn refused(&self) -> Option<String> {
        let text = self.text;
        let words = self.letters.iter().flat_map(|letters| letters.split(|c: char| !c.is_alphabetic()));
        if let Some(word) = words.into_iter().find(|word| CALENDAR.contains(&word.to_lowercase().as_str())) {
            return Some(format!("{text:?} names {word:?}, and letters are in the order of the alphabet"));
        }
        if self.numbers.is_empty() && !self.is_letter() {
            return Some(format!("{text:?} has no number"));
        }
        if self.letters[0] == "-" {
            return Some(format!("{text:?} is a negative number as text"));
        }
        let is_year_last = match self.numbers.as_slice() {
            [only] => matches!(only.len(), 6 | 8) && !is_year(&only[..4]) && is_year(&only[only.len() - 4..]),
            [first, others @ ..] => {
                first.len() < 4
                    && (others.iter().any(|number| is_year(number)) || self.is_part_of_short_year())
            }
            [] => false,
        };
        if is_year_last {
            return Some(format!("{text:?} has the year behind a smaller unit"));
        }
        let is_short = |number: &&str| number.len() == 2;
        let plain = |letters: &&str| !letters.contains(char::is_alphabetic);
        if self.numbers.len() == 3 && self.numbers.iter().all(is_short) && self.letters[..3].iter().all(plain)
        {
            return Some(format!("{text:?} does not show which number is the year"));
        }
        None
    }

    /// Whether it is of the form Q3 26.
    fn is_part_of_short_year(&self) -> bool {
        let trimmed = |letters: &str| letters.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        PARTS_OF_A_YEAR.contains(&trimmed(self.letters[0]).as_str())
            && ["", "fy", "y"].contains(&trimmed(self.letters[1]).as_str())
            && self.numbers[1].len() == 2
    }

    fn is_letter(&self) -> bool {
        let mut letters = self.text.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    }

    /// Whether it is of the form 0.25, unlike 2026.9.
    fn is_decimal(&self) -> bool {
        self.numbers.len() == 2
            && self.numbers[0].len() < 4
            && matches!(self.letters.as_slice(), ["", "." | ",", ""])
    }

    /// Compares decimal numbers by their values.
    fn by_value(&self, other: &Self) -> Ordering {
        let (whole, part) = (|name: &Self| significant(name.numbers[0]), |name: &Self| name.numbers[1]);
        whole(self).cmp(&whole(other)).then_with(|| part(self).cmp(part(other)))
    }

    fn by_numbers(&self, other: &Self) -> Ordering {
        let numbers = |name: &Self| name.numbers.iter().map(|number| significant(number)).collect::<Vec<_>>();
        numbers(self).cmp(&numbers(other))
    }
}

/// A key that compares like a number of any length.
fn significant(number: &str) -> (usize, &str) {
    let digits = number.trim_start_matches('0');
    (digits.len(), digits)
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && ("1900".."2200").contains(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered<'a>(names: &[&'a str]) -> Vec<&'a str> {
        period_order(names).unwrap().into_iter().map(|index| names[index as usize]).collect()
    }

    #[test]
    fn numbers_go_before_letters() {
        for names in [
            &["W8", "W9", "W10", "W11"][..],
            &["2026-9-30", "2026-10-1", "2026-10-02"],
            &["2025-W52", "2026-W1"],
            &["2026.9", "2026.10"],
            &["night 9", "night 10", "night 100"],
            &["9", "10", "18446744073709551616", "100000000000000000000"],
            &["20260930", "20261001"],
            &["v1.9.2", "v1.10.1"],
            &["FY25 Q4", "FY26 Q1"],
            &["0.25", "0.50"],
            // Different letters, ordered where text and numbers agree.
            &["2025 plan", "2026 actual"],
            &["2026-09", "2026-09-15", "2026-10"],
            &["a", "b", "c"],
            &["baseline 1"],
            &[],
        ] {
            let backwards: Vec<&str> = names.iter().rev().copied().collect();
            assert_eq!(ordered(&backwards), names);
        }
    }

    #[test]
    fn ambiguous_names_are_rejected() {
        for (names, reason) in [
            (&["Sep 2026"][..], "names \"Sep\""),
            (&["2026-Sep-1"], "names \"Sep\""),
            (&["may"], "names \"may\""),
            (&["baseline", "current"], "\"baseline\" has no number"),
            (&[""], "\"\" has no number"),
            (&["30-09-2026"], "has the year behind a smaller unit"),
            (&["9/2026"], "year behind"),
            (&["Q3 2026"], "year behind"),
            (&["Q3-26"], "year behind"),
            (&["Q3 FY26"], "year behind"),
            (&["30092026"], "year behind"),
            (&["092026"], "year behind"),
            (&["30.09.26"], "does not show which number is the year"),
            (&["-3"], "is a negative number as text"),
            (&["2026-9-1", "2026-09-01"], "\"2026-9-1\" and \"2026-09-01\" are the same numbers"),
            (&["W9", "Q10"], "the order of \"Q10\" and \"W9\" is unknown"),
            (&["a1", "b1"], "the order of \"a1\" and \"b1\" is unknown"),
            (&["0.5", "0.10"], "\"0.5\" and \"0.10\" may be decimal numbers or versions"),
        ] {
            let error = period_order(names).unwrap_err();
            assert!(error.contains(reason), "{names:?}: {error}");
        }
    }
}
