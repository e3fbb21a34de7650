//! Tables with a header and aligned columns, which drop columns and cut cells to fit a terminal.

use queue::view::words::escaped;
use std::borrow::Cow;
use textwrap::core::display_width;

/// Columns between two cells.
const GAP: usize = 2;
/// The narrowest width that a cell is cut to.
const CELL_COLUMNS_MIN: usize = 12;

/// A table without rules that a person can read and `awk` can split: one row per line, on every
/// terminal.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column, and how it gives way on a terminal without room for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    name: &'static str,
    /// Whether its cells may be cut.
    is_text: bool,
    /// The content of cells with which the column may be dropped if all of them have it.
    plain: Option<&'static str>,
}

/// A table of rows that have a cell for each column.
pub(crate) fn table(
    columns: impl IntoIterator<Item = impl Into<Column>>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Table {
    Table { columns: columns.into_iter().map(Into::into).collect(), rows: rows.into_iter().collect() }
}

impl Column {
    /// A column of text of any length, which is cut where there is no room for it.
    pub(crate) const fn text(name: &'static str) -> Self {
        Self { name, is_text: true, plain: None }
    }

    /// A column that is never cut.
    pub(crate) const fn whole(name: &'static str) -> Self {
        Self { name, is_text: false, plain: None }
    }

    /// What stands above it.
    #[cfg(feature = "top")]
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// Lets the column be dropped when there is too little room, while every cell has this content.
    #[must_use]
    pub(crate) const fn plain(mut self, plain: &'static str) -> Self {
        self.plain = Some(plain);
        self
    }
}

impl From<&'static str> for Column {
    fn from(name: &'static str) -> Self {
        Self::whole(name)
    }
}

impl Table {
    pub(crate) fn lines(&self, columns_max: Option<usize>) -> Vec<String> {
        let header = self.columns.iter().map(|column| Cow::Borrowed(column.name)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| escaped(cell)).collect());
        let rows: Vec<Vec<Cow<'_, str>>> = std::iter::once(header).chain(rows).collect();
        let widths = self.widths(&rows, columns_max);
        rows.iter().map(|row| line(row, &widths)).collect()
    }

    /// The width of each column; zero for a dropped one. Columns whose cells are all plain go
    /// first; then text is cut, from the right, so that the first column lasts longest.
    fn widths(&self, rows: &[Vec<Cow<'_, str>>], columns_max: Option<usize>) -> Vec<usize> {
        let widest = |at: usize| rows.iter().map(|row| display_width(&row[at])).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..self.columns.len()).map(widest).collect();
        let Some(columns_max) = columns_max else { return widths };
        for (at, column) in self.columns.iter().enumerate() {
            let says_nothing = column.plain.is_some_and(|plain| rows[1..].iter().all(|row| row[at] == plain));
            if says_nothing && excess(&widths, columns_max) > 0 {
                widths[at] = 0;
            }
        }
        for (at, column) in self.columns.iter().enumerate().rev() {
            let least = widths[at].min(CELL_COLUMNS_MIN.max(column.name.len()));
            let spare = if column.is_text { widths[at] - least } else { 0 };
            widths[at] -= spare.min(excess(&widths, columns_max));
        }
        widths
    }
}

/// The columns that do not fit.
fn excess(widths: &[usize], columns_max: usize) -> usize {
    let shown = widths.iter().filter(|width| **width > 0);
    let total: usize = shown.map(|width| width + GAP).sum();
    total.saturating_sub(GAP).saturating_sub(columns_max)
}

fn line(row: &[Cow<'_, str>], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths).filter(|(_, width)| **width > 0) {
        let cell = cut(cell, *width);
        let blanks = width + GAP - display_width(&cell);
        line.push_str(&cell);
        line.extend(std::iter::repeat_n(' ', blanks));
    }
    line.truncate(line.trim_end().len());
    line
}

/// The beginning of a cell, with a mark that something is missing.
fn cut(cell: &str, width: usize) -> Cow<'_, str> {
    if display_width(cell) <= width {
        return Cow::Borrowed(cell);
    }
    let fits = |end: &usize| display_width(&cell[..*end]) < width;
    let ends = cell.char_indices().map(|(at, _)| at);
    let end = ends.take_while(fits).last().unwrap_or(0);
    Cow::Owned(format!("{}…", &cell[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    fn jobs(kind: &str, error: &str, columns_max: Option<usize>) -> Vec<String> {
        let columns = [
            Column::text("ID"),
            "STATE".into(),
            Column::text("KIND").plain("default"),
            Column::text("LAST ERROR").plain(""),
        ];
        let row = [ID, "queued", kind, error].map(str::to_owned);
        table(columns, [row.to_vec()]).lines(columns_max)
    }

    #[test]
    fn without_a_terminal_every_cell_is_whole_and_every_column_there() {
        let lines = jobs("default", "a\nb", None);
        assert_eq!(lines[0], format!("{:32}  STATE   KIND     LAST ERROR", "ID"));
        assert_eq!(lines[1], format!("{ID}  queued  default  a\\nb"));
    }

    #[test]
    fn a_column_that_says_nothing_makes_room_first() {
        assert_eq!(jobs("default", "boom", Some(61))[1], format!("{ID}  queued  default  boom"));
        assert_eq!(jobs("default", "boom", Some(55))[1], format!("{ID}  queued  boom"));
        assert_eq!(jobs("default", "", Some(40))[1], format!("{ID}  queued"));
        assert_eq!(jobs("mail", "", Some(50))[1], format!("{ID}  queued  mail"));
    }

    #[test]
    fn then_text_is_cut_and_the_first_column_last() {
        let error = "connection refused by the mail server";
        let line = |columns| jobs("mail", error, Some(columns)).swap_remove(1);
        assert_eq!(line(70), format!("{ID}  queued  mail  connection refused by…"));
        assert_eq!(line(50), "0123456789abcdef01234…  queued  mail  connection …");
        for columns in 40..100 {
            assert!(display_width(&line(columns)) <= columns, "{columns}: {}", line(columns));
        }
    }

    #[test]
    fn wide_characters_count_as_what_they_take() {
        assert_eq!(cut("字字字字", 5), "字字…");
        let lines = table(["A", "B"], [vec!["字字".to_owned(), "x".to_owned()]]).lines(None);
        assert_eq!(lines, ["A     B", "字字  x"]);
    }
}
