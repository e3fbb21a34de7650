//! Which queues a reader of the listing wants, or may see.

use super::name_range::{NameRange, common, merged};
use crate::{InvalidName, QueueGlob, QueueName};
use std::str::FromStr;

/// Why a text is no [`QueueFilter`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidFilter {
    /// One of the patterns is no [`QueueGlob`].
    #[error(transparent)]
    Pattern(#[from] InvalidName),
    /// The text has too many patterns.
    #[error("a filter of queues has at most {} patterns, this one has {patterns}", QueueFilter::PATTERNS_MAX)]
    TooMany {
        /// How many the text has.
        patterns: usize,
    },
}

/// A choice of queues by patterns of their names, for
/// [`StorageExt::queues_of`](crate::StorageExt::queues_of).
///
/// A queue fits if its name matches one pattern of each list of patterns; without a list every
/// queue fits. The text before the first star of a pattern bounds what is read of the store: for
/// `mail` and `billing-*` no other queue is looked at, for `*-mail` all are.
///
/// ```
/// use queue_core::{QueueFilter, QueueName};
///
/// let wanted: QueueFilter = "mail,billing-*".parse()?;
/// assert!(wanted.matches(&QueueName::new("billing-eu")?));
/// assert!(!wanted.matches(&QueueName::new("mail.out")?));
///
/// // What is wanted of what may be seen.
/// let both = wanted.and("*-eu".parse()?);
/// assert!(!both.matches(&QueueName::new("billing-us")?));
/// # Ok::<(), queue_core::InvalidFilter>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueueFilter {
    all_of: Vec<Vec<QueueGlob>>,
    hides_reserved: bool,
}

impl QueueFilter {
    /// The most patterns of a filter that is read from text.
    pub const PATTERNS_MAX: usize = 100;
    /// The most names that a call looks at for the queues that fit.
    pub const LOOKED_AT_MAX: usize = 10_000;

    /// Every queue, the queues of the library included.
    pub fn all() -> Self {
        Self::default()
    }

    /// The queues that one of the patterns matches; without patterns, none.
    pub fn any_of(patterns: impl IntoIterator<Item = QueueGlob>) -> Self {
        Self { all_of: vec![patterns.into_iter().collect()], hides_reserved: false }
    }

    /// The queues that fit both filters.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.all_of.extend(other.all_of);
        self.hides_reserved |= other.hides_reserved;
        self
    }

    /// The same without the queues of the library, also where a pattern names them.
    #[must_use]
    pub fn without_reserved(mut self) -> Self {
        self.hides_reserved = true;
        self
    }

    /// Whether a queue fits.
    pub fn matches(&self, queue: &QueueName) -> bool {
        let is_hidden = self.hides_reserved && queue.is_reserved();
        let fits_one = |patterns: &Vec<QueueGlob>| patterns.iter().any(|pattern| pattern.matches(queue));
        !is_hidden && self.all_of.iter().all(fits_one)
    }

    /// The ranges of names outside of which no queue fits, in order and apart from each other.
    pub(super) fn ranges(&self) -> Vec<NameRange> {
        let of_list = |patterns: &Vec<QueueGlob>| merged(patterns.iter().map(NameRange::of).collect());
        self.all_of.iter().map(of_list).fold(vec![NameRange::everything()], |all, list| common(&all, &list))
    }
}

impl FromStr for QueueFilter {
    type Err = InvalidFilter;

    /// Patterns with commas between them, so none has a comma itself. Nothing else is cut off: a
    /// space is part of its pattern.
    fn from_str(text: &str) -> Result<Self, InvalidFilter> {
        let patterns = text.split(',').count();
        if patterns > Self::PATTERNS_MAX {
            return Err(InvalidFilter::TooMany { patterns });
        }
        let patterns: Result<Vec<QueueGlob>, InvalidName> = text.split(',').map(str::parse).collect();
        Ok(Self::any_of(patterns?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(filter: &QueueFilter, name: &'static str) -> bool {
        filter.matches(&QueueName::from_static(name))
    }

    #[test]
    fn a_name_fits_one_pattern_of_each_list() {
        let filter: QueueFilter = "mail,billing-*".parse().unwrap();
        assert!(fits(&filter, "mail") && fits(&filter, "billing-") && !fits(&filter, "mail.out"));
        let both = filter.and("*.eu,*-us".parse().unwrap());
        assert!(fits(&both, "billing-us") && !fits(&both, "billing-fr") && !fits(&both, "mail"));
        assert!(!fits(&QueueFilter::any_of([]), "mail"));
    }

    #[test]
    fn queues_of_the_library_are_hidden_on_request() {
        let all = QueueFilter::all();
        assert!(fits(&all, "queue.operations") && fits(&all, "leader:x"));
        let open = all.without_reserved();
        assert!(!fits(&open, "queue.operations") && !fits(&open, "leader:x") && fits(&open, "queue"));
    }

    #[test]
    fn a_text_has_so_many_patterns_and_each_is_one() {
        assert_eq!(
            "a,,b".parse::<QueueFilter>(),
            Err(InvalidFilter::Pattern(InvalidName::Empty { what: "queue name" }))
        );
        assert!(
            ",".repeat(QueueFilter::PATTERNS_MAX).parse::<QueueFilter>().is_err_and(
                |error| error == InvalidFilter::TooMany { patterns: QueueFilter::PATTERNS_MAX + 1 }
            )
        );
        assert!("a\nb".parse::<QueueFilter>().is_err());
    }
}
