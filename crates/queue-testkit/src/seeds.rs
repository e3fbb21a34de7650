//! The seeds of random runs, as the environment asks for them.

use crate::watch::{Deadline, OpenCalls};
use std::{env, ops::Range, time::Duration};

const SEED: &str = "QUEUE_TESTKIT_SEED";
const SEEDS: &str = "QUEUE_TESTKIT_SEEDS";

/// The seeds of the random runs of one test: the first `few`, always the same, so that a green run
/// stays green. The environment can ask for one seed (`QUEUE_TESTKIT_SEED`; several runs take the
/// seeds after it) or for a number of seeds (`QUEUE_TESTKIT_SEEDS`).
///
/// # Panics
/// If a variable is not a decimal number: a run that was asked for must not silently not happen.
pub fn seeds(few: u64) -> Range<u64> {
    parse(few, env::var(SEED).ok().as_deref(), env::var(SEEDS).ok().as_deref())
}

/// Runs something random for each of the [`seeds`], and names the seed of a run that hangs.
///
/// # Panics
/// With that seed, and as [`seeds`].
pub(crate) async fn for_each_seed(few: u64, hang_after: Duration, run: impl AsyncFn(u64)) {
    for seed in seeds(few) {
        OpenCalls::note_seed(seed);
        let in_time = Deadline::new(&OpenCalls::of_this_case(), hang_after).of(run(seed)).await;
        in_time.unwrap_or_else(|| panic!("it hangs with seed {seed}: not done after {hang_after:?}"));
    }
}

/// The number of seeds that the environment asks for, if it does.
pub(crate) fn asked_for() -> Option<u64> {
    env::var(SEEDS).is_ok().then(|| seeds(0)).map(|seeds| seeds.end - seeds.start)
}

fn parse(few: u64, seed: Option<&str>, seeds: Option<&str>) -> Range<u64> {
    let number = |what, text: &str| {
        text.parse::<u64>().unwrap_or_else(|_| panic!("{what} is a decimal number, not {text:?}"))
    };
    let first = seed.map(|text| number(SEED, text));
    let unless_told = if first.is_some() { 1 } else { few };
    let runs = seeds.map_or(unless_told, |text| number(SEEDS, text));
    let first = first.unwrap_or(0);
    first..first.saturating_add(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_alone_is_one_run_and_without_one_they_begin_at_zero() {
        assert_eq!(parse(5, None, None), 0..5);
        assert_eq!(parse(5, None, Some("2")), 0..2);
        assert_eq!(parse(5, Some("7"), None), 7..8);
        assert_eq!(parse(5, Some("7"), Some("3")), 7..10);
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "it hangs with seed 0")]
    async fn a_run_that_hangs_is_told_with_its_seed() {
        for_each_seed(2, Duration::from_secs(120), async |_| std::future::pending().await).await;
    }

    #[test]
    #[should_panic(expected = "QUEUE_TESTKIT_SEED is a decimal number")]
    fn a_seed_that_is_none_is_refused() {
        parse(5, Some("0x7"), None);
    }
}
