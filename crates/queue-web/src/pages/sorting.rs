//! The heads of tables that are sorted by a column, which the address names.

/// A column of which a table can be sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortColumn {
    /// The word in addresses.
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) is_number: bool,
    /// Numbers begin with the largest, and words with the first of the alphabet.
    pub(super) order: Order,
}

/// Which end of a column comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Ascending,
    Descending,
}

/// The head of a column.
#[derive(Default)]
pub(super) struct ColumnView {
    pub(super) label: &'static str,
    /// Empty if the table cannot be sorted by it.
    pub(super) href: String,
    pub(super) is_number: bool,
    /// The value of `aria-sort`; empty if the table is not sorted by it.
    pub(super) order: &'static str,
}

impl SortColumn {
    pub(super) const fn word(name: &'static str, label: &'static str) -> Self {
        Self { name, label, is_number: false, order: Order::Ascending }
    }

    /// A column of times that begins with the latest.
    pub(super) const fn latest(name: &'static str, label: &'static str) -> Self {
        Self { name, label, is_number: false, order: Order::Descending }
    }

    pub(super) const fn number(name: &'static str, label: &'static str) -> Self {
        Self { name, label, is_number: true, order: Order::Descending }
    }
}

/// The heads of these columns of a table that is sorted by one of them.
pub(super) fn heads(
    columns: &[SortColumn],
    sorted_by: Option<&str>,
    link: impl Fn(&str) -> String,
) -> Vec<ColumnView> {
    let head = |column: &SortColumn| ColumnView {
        label: column.label,
        href: link(column.name),
        is_number: column.is_number,
        order: if sorted_by == Some(column.name) { column.order.aria() } else { "" },
    };
    columns.iter().map(head).collect()
}

impl Order {
    /// The value of `aria-sort`.
    pub(super) const fn aria(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        }
    }
}
