//! A part of the suite, for runs that share it: on several machines, or on several days.

use std::env;

const SHARD: &str = "QUEUE_TESTKIT_SHARD";

/// Every so many-th case. All shards together are the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    /// Counted from one.
    number: usize,
    of: usize,
}

impl Shard {
    /// The one that the environment asks for (`QUEUE_TESTKIT_SHARD=2/3`), or the whole suite.
    ///
    /// # Panics
    /// If the variable is no such pair of numbers: a run that was asked for must not silently be
    /// another.
    pub(super) fn asked_for() -> Self {
        let Ok(text) = env::var(SHARD) else { return Self { number: 1, of: 1 } };
        Self::parse(&text).unwrap_or_else(|| panic!("{SHARD} is a pair such as 1/3 or 3/3, not {text:?}"))
    }

    fn parse(text: &str) -> Option<Self> {
        let (number, of) = text.split_once('/')?;
        let shard = Self { number: number.parse().ok()?, of: of.parse().ok()? };
        (1..=shard.of).contains(&shard.number).then_some(shard)
    }

    /// Whether the case at this place of the suite belongs to it.
    pub(super) fn has(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }

    /// What is said of it before a run, if it is not the whole suite.
    pub(super) fn described(self) -> Option<String> {
        let Self { number, of } = self;
        (of > 1).then(|| format!("shard {number} of {of} of the suite ({SHARD})"))
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn shards_are_the_suite_and_share_nothing() {
        let shards: Vec<_> = (1..=3).map(|number| Shard { number, of: 3 }).collect();
        for place in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(place)).count(), 1);
        }
        assert!((0..10).all(|place| Shard { number: 1, of: 1 }.has(place)));
    }

    #[test]
    fn only_a_number_up_to_the_number_of_shards_is_one() {
        assert_eq!(Shard::parse("2/3"), Some(Shard { number: 2, of: 3 }));
        for text in ["", "2", "0/3", "4/3", "1/0", "a/b", "1/3/4", "-1/3"] {
            assert_eq!(Shard::parse(text), None, "{text}");
        }
    }
}
