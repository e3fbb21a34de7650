//! Columns of arguments that are sent as one element where all their elements are the same.

/// A column of an argument, as statements take it that say so: one element alone, if all of them
/// are the same. Most jobs of a batch differ in little but id and payload, and what is not sent is
/// neither encoded nor unpacked.
pub(crate) fn short_column<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        values.truncate(1);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::short_column;

    #[test]
    fn only_a_column_without_a_difference_is_cut_short() {
        assert_eq!(short_column([7, 7, 7].into_iter()), [7]);
        assert_eq!(short_column([7, 7, 8].into_iter()), [7, 7, 8]);
        assert_eq!(short_column([7].into_iter()), [7]);
    }
}
