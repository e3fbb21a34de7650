//! Ranges of names in the order of their bytes: the names that begin with a text, or one name.

use crate::QueueGlob;

/// The names that begin with a text, or the one name that is this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameRange {
    /// The first text of the range.
    pub(super) start: String,
    pub(super) is_exact: bool,
}

impl NameRange {
    /// The range of all names.
    pub(super) const fn everything() -> Self {
        Self { start: String::new(), is_exact: false }
    }

    /// The smallest range that has all names which fit a pattern.
    pub(super) fn of(pattern: &QueueGlob) -> Self {
        Self { start: pattern.prefix().to_owned(), is_exact: pattern.is_exact() }
    }

    /// Whether all texts of the range sort before this one.
    pub(super) fn is_before(&self, text: &str) -> bool {
        let is_inside = !self.is_exact && text.starts_with(&self.start);
        self.start.as_str() < text && !is_inside
    }

    /// Whether all texts of the other range are in this one. Two ranges that are not inside each
    /// other have no text in common.
    fn covers(&self, other: &Self) -> bool {
        if self.is_exact { self == other } else { other.start.starts_with(&self.start) }
    }
}

/// The ranges in order, without those that are inside of others.
pub(super) fn merged(mut ranges: Vec<NameRange>) -> Vec<NameRange> {
    // A range stands before all that are inside of it, and nothing else stands between them.
    ranges.sort_unstable_by(|one, other| {
        one.start.cmp(&other.start).then_with(|| one.is_exact.cmp(&other.is_exact))
    });
    ranges.dedup_by(|next, kept| kept.covers(next));
    ranges
}

/// What two lists of ranges have in common.
pub(super) fn common(one: &[NameRange], other: &[NameRange]) -> Vec<NameRange> {
    let inner = |(a, b): (&NameRange, &NameRange)| match (a.covers(b), b.covers(a)) {
        (true, _) => Some(b.clone()),
        (_, true) => Some(a.clone()),
        _ => None,
    };
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    merged(pairs.filter_map(inner).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(patterns: &[&str]) -> Vec<NameRange> {
        merged(patterns.iter().map(|pattern| NameRange::of(&pattern.parse().unwrap())).collect())
    }

    fn texts(ranges: &[NameRange]) -> Vec<String> {
        ranges
            .iter()
            .map(|range| format!("{}{}", range.start, if range.is_exact { "" } else { "*" }))
            .collect()
    }

    #[test]
    fn ranges_inside_of_others_are_left_out() {
        assert_eq!(
            texts(&ranges(&["mail.out", "mail*", "billing", "mail", "billing", "mail.*.eu"])),
            ["billing", "mail*"]
        );
        assert_eq!(texts(&ranges(&["a", "ab*", "abc", "a b"])), ["a", "a b", "ab*"]);
        assert_eq!(texts(&ranges(&["z", "*-mail", "a*"])), ["*"]);
    }

    #[test]
    fn two_lists_have_in_common_what_is_inside_of_both() {
        let (one, other) =
            (ranges(&["mail*", "billing", "x*"]), ranges(&["mail.out", "mail.in*", "b*", "y"]));
        assert_eq!(texts(&common(&one, &other)), ["billing", "mail.in*", "mail.out"]);
        assert_eq!(common(&one, &other), common(&other, &one));
        assert!(common(&one, &[]).is_empty());
    }

    #[test]
    fn a_range_is_before_the_texts_behind_its_last() {
        let mail = &ranges(&["mail*"])[0];
        assert!(!mail.is_before("") && !mail.is_before("mail") && !mail.is_before("mail.out"));
        assert!(mail.is_before("maim") && mail.is_before("n") && !mail.is_before("maik"));
        let exact = &ranges(&["mail"])[0];
        assert!(!exact.is_before("mail") && exact.is_before("mail\u{1}") && exact.is_before("mail.out"));
        assert!(!NameRange::everything().is_before("\u{10ffff}"));
    }
}
