//! What to write in place of a pattern that is refused: words and ranges of other crons, and steps
//! that step over everything.

use crate::ScheduleError;

/// A field of a pattern.
struct Field {
    name: &'static str,
    /// The first and the last value.
    bounds: (u32, u32),
    /// The names of the values, from the first on.
    names: &'static [&'static str],
    /// The unit of an interval of so many values, in an argument of a shell.
    unit: Option<char>,
}

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
static FIELDS: [Field; 6] = [
    Field { name: "seconds", bounds: (0, 59), names: &[], unit: Some('s') },
    Field { name: "minutes", bounds: (0, 59), names: &[], unit: Some('m') },
    Field { name: "hours", bounds: (0, 23), names: &[], unit: Some('h') },
    Field { name: "days of the month", bounds: (1, 31), names: &[], unit: Some('d') },
    Field { name: "months", bounds: (1, 12), names: &MONTHS, unit: None },
    Field { name: "weekdays", bounds: (0, 6), names: &WEEKDAYS, unit: None },
];

/// Why a text is no pattern, and what to write; `None` if only the parser can say.
pub(crate) fn instead_of(text: &str) -> Option<String> {
    let text = text.trim();
    match text.strip_prefix('@') {
        Some(word) => Some(instead_of_word(&word.to_ascii_lowercase())),
        None => parts(text).find_map(|(field, part)| instead_of_range(field, part)),
    }
}

fn instead_of_word(word: &str) -> String {
    match word.split_whitespace().next() {
        Some("midnight") => "write `@daily`, or `0 0 * * *`",
        Some("reboot") => {
            "a schedule belongs to a queue and knows no start of a machine; enqueue the job when your program starts"
        }
        Some("every") => "write an interval in place of a pattern: `--every 90m`, `every_ms`, `Timing::every`",
        _ => "the words are `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly`",
    }
    .to_owned()
}

/// What to write for a range that ends before it begins, as `FRI-MON`.
fn instead_of_range(field: &Field, part: &str) -> Option<String> {
    let range = part.split('/').next()?;
    let (from, to) = range.split_once('-')?;
    if field.value(from)? <= field.value(to)? {
        return None;
    }
    let [first, last] = [field.bounds.0, field.bounds.1].map(|value| field.word(value, from));
    let up = if field.value(from)? == field.bounds.1 { from.to_owned() } else { format!("{from}-{last}") };
    let down = if field.value(to)? == field.bounds.0 { to.to_owned() } else { format!("{first}-{to}") };
    Some(format!("{range:?} ends before it begins; write `{up},{down}`"))
}

/// The error for a step that leaves only the first of the values it steps through, as `*/90` among
/// minutes.
pub(crate) fn refuse_long_steps(text: &str) -> Result<(), ScheduleError> {
    match parts(text.trim()).find_map(|(field, part)| Some((field, part, long_step(field, part)?))) {
        None => Ok(()),
        Some((field, part, (first, step))) => Err(ScheduleError::Step {
            pattern: text.to_owned(),
            part: part.to_owned(),
            field: field.name,
            first,
            instead: field.instead_of_step(part, first, step),
        }),
    }
}

/// The first value and the step, if the step is longer than what it steps through.
fn long_step(field: &Field, part: &str) -> Option<(u32, u32)> {
    let (range, step) = part.split_once('/')?;
    let step: u32 = step.parse().ok()?;
    let (first, last) = match range.split_once('-') {
        Some((from, to)) => (field.value(from)?, field.value(to)?),
        None => field.bounds,
    };
    (step > last.checked_sub(first)?).then_some((first, step))
}

/// The parts of the lists of all fields; none if the number of fields is wrong.
fn parts(text: &str) -> impl Iterator<Item = (&'static Field, &str)> {
    let fields = text.split_whitespace().count();
    let without = if matches!(fields, 5 | 6) { FIELDS.len() - fields } else { FIELDS.len() };
    let fields = FIELDS.iter().skip(without).zip(text.split_whitespace());
    fields.flat_map(|(field, list)| list.trim_start_matches('+').split(',').map(move |part| (field, part)))
}

impl Field {
    fn value(&self, word: &str) -> Option<u32> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(word));
        named
            .and_then(|place| u32::try_from(place).ok())
            .map_or_else(|| word.parse().ok(), |place| Some(self.bounds.0 + place))
    }

    /// A value as a person would write it who writes another of the same field like this.
    fn word(&self, value: u32, like: &str) -> String {
        let name = self.names.get((value - self.bounds.0) as usize);
        match name.filter(|_| like.parse::<u32>().is_err()) {
            Some(name) => (*name).to_owned(),
            None => value.to_string(),
        }
    }

    fn instead_of_step(&self, part: &str, first: u32, step: u32) -> String {
        match self.unit.filter(|_| part.starts_with('*')) {
            Some(unit) => format!(
                "write an interval in place of the pattern, `--every {step}{unit}` (`every_ms`, `Timing::every`), or `{first}` if \
                 you mean that alone"
            ),
            None => format!("write `{}`, or a list of all that you mean", self.word(first, "")),
        }
    }
}
