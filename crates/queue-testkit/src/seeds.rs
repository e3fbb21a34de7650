//! Which random runs a trial makes.

use std::env;

const SEED: &str = "QUEUE_TESTKIT_SEED";
const CASES: &str = "QUEUE_TESTKIT_CASES";
/// So few that the suite of a store on a slow disk stays within a minute.
const CASES_DEFAULT: u64 = 32;

/// The seeds of one trial, one run each: always the same ones, so that a green run stays green, unless the environment
/// asks for one seed (`QUEUE_TESTKIT_SEED`, and those after it) or for more of them (`QUEUE_TESTKIT_CASES`).
#[derive(Debug)]
pub(crate) struct Seeds(std::ops::Range<u64>);

impl Seeds {
    pub(crate) fn from_env() -> Self {
        Self::parse(env::var(SEED).ok().as_deref(), env::var(CASES).ok().as_deref())
    }

    fn parse(seed: Option<&str>, cases: Option<&str>) -> Self {
        let number = |what, text: &str| {
            text.parse::<u64>().unwrap_or_else(|_| panic!("{what} is a decimal number, not {text:?}"))
        };
        let first = seed.map(|text| number(SEED, text));
        let cases = cases.map(|text| number(CASES, text));
        let runs = cases.unwrap_or(if first.is_some() { 1 } else { CASES_DEFAULT });
        let first = first.unwrap_or(0);
        Self(first..first.saturating_add(runs))
    }
}

impl Iterator for Seeds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(seed: Option<&str>, cases: Option<&str>) -> Vec<u64> {
        Seeds::parse(seed, cases).collect()
    }

    #[test]
    fn a_seed_alone_is_one_run_and_without_one_they_begin_at_zero() {
        assert_eq!(seeds(None, None), (0..CASES_DEFAULT).collect::<Vec<_>>());
        assert_eq!(seeds(None, Some("2")), [0, 1]);
        assert_eq!(seeds(Some("7"), None), [7]);
        assert_eq!(seeds(Some("7"), Some("3")), [7, 8, 9]);
    }

    #[test]
    #[should_panic(expected = "QUEUE_TESTKIT_SEED is a decimal number")]
    fn a_seed_that_is_none_is_refused() {
        seeds(Some("0x7"), None);
    }
}
