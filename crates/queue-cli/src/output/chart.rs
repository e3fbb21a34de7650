//! Numbers as a line of small columns.

/// How charts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chart {
    /// As columns of eight heights, for a terminal.
    Columns,
    /// As the numbers themselves, for a file or a pipe.
    Numbers,
}

const COLUMNS: [char; 8] =
    ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];

impl Chart {
    /// One column for each number: none for zero, the highest for the largest.
    pub(crate) fn drawn(self, numbers: &[u64]) -> String {
        match self {
            Self::Numbers => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
            Self::Columns => {
                let largest = numbers.iter().copied().max().unwrap_or(0).max(1);
                numbers.iter().map(|number| column(*number, largest)).collect()
            }
        }
    }
}

fn column(number: u64, largest: u64) -> char {
    let heights = COLUMNS.len() as u128;
    let height = (u128::from(number) * heights).div_ceil(u128::from(largest));
    match usize::try_from(height).unwrap_or(COLUMNS.len()) {
        0 => ' ',
        height => COLUMNS[height.min(COLUMNS.len()) - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::Chart;

    #[test]
    fn the_largest_number_is_the_highest_column_and_only_zero_has_none() {
        assert_eq!(Chart::Columns.drawn(&[0, 1, 500, 1000]), " \u{2581}\u{2584}\u{2588}");
        assert_eq!(Chart::Columns.drawn(&[0, 0]), "  ");
        assert_eq!(Chart::Columns.drawn(&[u64::MAX, 1]), "\u{2588}\u{2581}");
        assert_eq!(Chart::Numbers.drawn(&[0, 1, 500]), "0 1 500");
    }
}
