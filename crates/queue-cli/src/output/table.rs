use comfy_table::{Table, presets::NOTHING};

/// A table without lines that a person can read and `awk` can split: one row a line, whatever the terminal.
pub(crate) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(header);
    table.add_rows(rows);
    trimmed(table)
}

/// Names and values, one pair a line.
pub(crate) fn pairs(pairs: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING);
    table.add_rows(pairs.into_iter().map(|(name, value)| vec![name.to_owned(), value]));
    trimmed(table)
}

/// Columns stand two blanks apart, the first at the margin.
fn trimmed(mut table: Table) -> String {
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    let lines = table.lines().map(|line| line.trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}
