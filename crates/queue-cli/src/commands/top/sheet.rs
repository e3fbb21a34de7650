//! What a view shows, before anything is known of the screen: blocks of text around the rows that
//! a person can select.

use super::subject::Subject;
use crate::output::{Column, Text, table};
use queue::queue_core::Cursor;
use textwrap::{Options, WordSeparator, WordSplitter};

/// How lines are meant. Their words say it too, so that nothing depends on colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Heading,
    Dim,
    Good,
    Warn,
    Bad,
}

/// The contents of a view.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// What the view itself is about, where no row is selected.
    pub(super) subject: Subject,
    pub(super) head: Vec<Block>,
    pub(super) columns: &'static [Column],
    pub(super) rows: Vec<SheetRow>,
    /// What is said where there are no rows.
    pub(super) empty: &'static str,
    pub(super) tail: Vec<Block>,
    /// Where the next page begins.
    pub(super) next: Option<Cursor>,
}

/// Text of one tone.
#[derive(Debug)]
pub(super) struct Block {
    tone: Tone,
    text: Text,
}

/// A row that can be selected.
#[derive(Debug)]
pub(super) struct SheetRow {
    pub(super) subject: Subject,
    pub(super) tone: Tone,
    pub(super) cells: Vec<String>,
}

/// A line for the screen, escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SheetLine {
    pub(super) tone: Tone,
    pub(super) text: String,
    /// The row that it shows.
    pub(super) row: Option<usize>,
}

impl Block {
    pub(super) fn new(tone: Tone, text: impl Into<Text>) -> Self {
        Self { tone, text: text.into() }
    }

    pub(super) fn plain(text: impl Into<Text>) -> Self {
        Self::new(Tone::Plain, text)
    }

    pub(super) fn heading(text: impl Into<Text>) -> Self {
        Self::new(Tone::Heading, text)
    }

    pub(super) fn dim(text: impl Into<Text>) -> Self {
        Self::new(Tone::Dim, text)
    }

    fn lines(&self, columns_max: Option<usize>) -> Vec<SheetLine> {
        let lines = self.text.lines(columns_max).into_iter();
        let folded = lines.flat_map(|line| folded(&line, columns_max));
        folded.map(|text| SheetLine { tone: self.tone, text, row: None }).collect()
    }
}

impl Sheet {
    /// The rows in which this text occurs, all of them for none.
    pub(super) fn matching(&self, filter: &str) -> Vec<&SheetRow> {
        let wanted = filter.to_lowercase();
        let matches =
            |row: &&SheetRow| row.cells.iter().any(|cell| cell.to_lowercase().contains(wanted.as_str()));
        self.rows.iter().filter(|row| wanted.is_empty() || matches(row)).collect()
    }

    /// All lines for a screen of this width, or for a reader without a limit.
    pub(super) fn lines(&self, filter: &str, columns_max: Option<usize>) -> Vec<SheetLine> {
        let blocks = |blocks: &[Block]| -> Vec<SheetLine> {
            blocks.iter().flat_map(|block| block.lines(columns_max)).collect()
        };
        let mut lines = blocks(&self.head);
        lines.extend(self.row_lines(filter, columns_max));
        lines.extend(blocks(&self.tail));
        lines
    }

    fn row_lines(&self, filter: &str, columns_max: Option<usize>) -> Vec<SheetLine> {
        let rows = self.matching(filter);
        if rows.is_empty() {
            let words = if self.rows.is_empty() { self.empty } else { "Nothing here has this text." };
            return if words.is_empty() { Vec::new() } else { Block::dim(words).lines(columns_max) };
        }
        let cells = rows.iter().map(|row| row.cells.clone());
        let mut lines = table(self.columns.iter().copied(), cells).lines(columns_max).into_iter();
        let header = lines.next().unwrap_or_default();
        let header = SheetLine { tone: Tone::Heading, text: header, row: None };
        let rows = rows.iter().zip(lines).enumerate();
        let rows = rows.map(|(place, (row, text))| SheetLine { tone: row.tone, text, row: Some(place) });
        std::iter::once(header).chain(rows).collect()
    }
}

/// The line as several that fit, divided between words if it can be.
fn folded(line: &str, columns_max: Option<usize>) -> Vec<String> {
    let Some(columns) = columns_max.filter(|columns| textwrap::core::display_width(line) > *columns) else {
        return vec![line.to_owned()];
    };
    // What goes on below stays under its beginning.
    let indent = if line.starts_with("  ") { "  " } else { "" };
    let options = Options::new(columns.max(1))
        .subsequent_indent(indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(line, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{Block, Sheet, SheetRow, Subject, Tone};
    use crate::output::Column;

    fn sheet() -> Sheet {
        let row =
            |name: &str| SheetRow { subject: Subject::None, tone: Tone::Plain, cells: vec![name.to_owned()] };
        Sheet {
            head: vec![Block::heading("a\u{1b}[2J head of many words")],
            columns: const { &[Column::text("NAME")] },
            rows: vec![row("Mail"), row("reports")],
            ..Sheet::default()
        }
    }

    #[test]
    fn blocks_are_folded_and_rows_keep_a_line_each() {
        let lines = sheet().lines("", Some(16));
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["a\\u{1b}[2J head", "of many words", "NAME", "Mail", "reports"]);
        assert_eq!(lines.iter().filter_map(|line| line.row).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn a_filter_leaves_rows_that_have_its_text_in_any_case() {
        let sheet = sheet();
        assert_eq!(sheet.matching("mA").len(), 1);
        assert_eq!(sheet.matching("x").len(), 0);
        assert!(sheet.lines("x", None).iter().any(|line| line.text == "Nothing here has this text."));
    }
}
