//! Names and values in two aligned columns, with long values wrapped to the width of a terminal.

use queue::view::words::escaped;
use textwrap::{Options, WordSeparator, WordSplitter, core::display_width};

/// Columns between a name and its value.
const GAP: usize = 2;
/// With less room than this for values, the terminal's own wrapping is better.
const VALUE_COLUMNS_MIN: usize = 16;

/// Names and values, one pair per line; on a terminal long values continue below themselves.
#[derive(Debug)]
pub(crate) struct Pairs(Vec<(&'static str, String)>);

/// Names and values, in this order.
pub(crate) fn pairs(pairs: impl IntoIterator<Item = (&'static str, String)>) -> Pairs {
    Pairs(pairs.into_iter().collect())
}

impl Pairs {
    pub(super) fn lines(&self, columns_max: Option<usize>) -> Vec<String> {
        let names = self.0.iter().map(|(name, _)| display_width(name)).max().unwrap_or(0) + GAP;
        let room = columns_max.map(|columns| columns.saturating_sub(names));
        let room = room.filter(|room| *room >= VALUE_COLUMNS_MIN).unwrap_or(usize::MAX);
        self.0.iter().flat_map(|(name, value)| lines(name, names, value, room)).collect()
    }
}

fn lines(name: &str, names: usize, value: &str, room: usize) -> Vec<String> {
    let options = Options::new(room)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let value = escaped(value);
    let shown = if display_width(&value) <= room { vec![value] } else { textwrap::wrap(&value, options) };
    let names_shown = std::iter::once(name).chain(std::iter::repeat(""));
    shown.iter().zip(names_shown).map(|(part, name)| format!("{name:names$}{part}")).collect()
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn values_stand_in_one_column_and_stay_whole_without_a_terminal() {
        let long = "word ".repeat(50);
        let lines = pairs([("id", "a".to_owned()), ("last error", long.clone())]).lines(None);
        assert_eq!(lines, ["id          a".to_owned(), format!("last error  {long}")]);
    }

    #[test]
    fn on_a_terminal_long_values_go_on_below_and_words_stay_whole() {
        let value = "the server said that it would rather not";
        let lines = pairs([("error", value.to_owned())]).lines(Some(30));
        assert_eq!(lines, ["error  the server said that it", "       would rather not"]);
        let id = "x".repeat(50);
        let lines = pairs([("id", id)]).lines(Some(30));
        assert!(
            lines.iter().all(|line| line.len() <= 30),
            "a word longer than the terminal is cut: {lines:?}"
        );
    }
}
