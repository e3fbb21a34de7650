//! An answer for people, built from lines, tables and pairs, with control characters escaped.

use super::{Pairs, Table};
use queue::view::words::escaped;

/// Words for people. Each line stays one line, and nothing in it reaches the terminal except as
/// text: an answer is built from lines and tables, and only the writer turns them into bytes.
#[derive(Debug, Default)]
pub(crate) struct Text(Vec<Part>);

#[derive(Debug)]
enum Part {
    Line(String),
    Table(Table),
    Pairs(Pairs),
}

impl Text {
    /// Appends more lines.
    #[must_use]
    pub(crate) fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Appends more lines, after an empty one if there are lines already.
    #[must_use]
    pub(crate) fn and_apart(self, more: impl Into<Self>) -> Self {
        let apart = if self.0.is_empty() { self } else { self.and("") };
        apart.and(more)
    }

    /// The lines of a text of our own.
    pub(crate) fn of_lines(text: &str) -> Self {
        text.lines().map(Self::from).collect()
    }

    /// The lines for a terminal of this many columns, or for a reader without a limit; escaped, and
    /// without their ends.
    pub(crate) fn lines(&self, columns_max: Option<usize>) -> Vec<String> {
        self.0.iter().flat_map(|part| part.lines(columns_max)).collect()
    }

    /// The text for a terminal of this many columns, or for a reader without a limit.
    pub(super) fn rendered(&self, columns_max: Option<usize>) -> String {
        let mut rendered = String::new();
        for line in self.lines(columns_max) {
            rendered.push_str(line.trim_end());
            rendered.push('\n');
        }
        rendered
    }
}

impl Part {
    fn lines(&self, columns_max: Option<usize>) -> Vec<String> {
        match self {
            Self::Line(line) => vec![escaped(line).into_owned()],
            Self::Table(table) => table.lines(columns_max),
            Self::Pairs(pairs) => pairs.lines(columns_max),
        }
    }
}

impl FromIterator<Self> for Text {
    fn from_iter<I: IntoIterator<Item = Self>>(texts: I) -> Self {
        Self(texts.into_iter().flat_map(|text| text.0).collect())
    }
}

impl From<String> for Text {
    fn from(line: String) -> Self {
        Self(vec![Part::Line(line)])
    }
}

impl From<&str> for Text {
    fn from(line: &str) -> Self {
        line.to_owned().into()
    }
}

impl From<Table> for Text {
    fn from(table: Table) -> Self {
        Self(vec![Part::Table(table)])
    }
}

impl From<Pairs> for Text {
    fn from(pairs: Pairs) -> Self {
        Self(vec![Part::Pairs(pairs)])
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn a_line_stays_one_line_whatever_it_says() {
        let text = Text::from("one\nerror: two\u{1b}[2J").and_apart("three");
        assert_eq!(text.rendered(None), "one\\nerror: two\\u{1b}[2J\n\nthree\n");
    }
}
