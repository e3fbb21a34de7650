//! From a seed to random steps, and from a difference to the fewest steps that still show it.

use futures_util::FutureExt;
use proptest::{
    strategy::{BoxedStrategy, Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::{any::Any, fmt::Debug, panic::AssertUnwindSafe};

/// So few that the suite of a store on a slow disk stays within a minute.
pub(crate) const SEEDS_PER_TRIAL: u64 = 32;
/// Shrinking runs at most this many times.
const SHRINKS_MAX: usize = 500;

/// What was found, and by which steps.
#[derive(Debug)]
pub(crate) struct Found<T> {
    pub(crate) steps: T,
    pub(crate) difference: String,
}

/// Runs the steps of a seed; if they show a difference, the fewest that do.
pub(crate) async fn search<T: Debug>(
    strategy: &BoxedStrategy<T>,
    seed: u64,
    difference: impl AsyncFn(&T) -> Option<String>,
) -> Option<Found<T>> {
    let mut tree = strategy.new_tree(&mut runner(seed)).expect("nothing is filtered");
    let steps = tree.current();
    let difference_of_all = difference(&steps).await?;
    let mut found = Found { steps, difference: difference_of_all };
    let mut goes_on = tree.simplify();
    for _ in 0..SHRINKS_MAX {
        if !goes_on {
            break;
        }
        let steps = tree.current();
        goes_on = match difference(&steps).await {
            Some(difference) => {
                found = Found { steps, difference };
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    Some(found)
}

/// What a comparison says, with a panic in it, such as that of an answer that is an error, as one
/// more difference.
pub(crate) async fn caught(comparison: impl Future<Output = Result<(), String>>) -> Option<String> {
    match AssertUnwindSafe(comparison).catch_unwind().await {
        Ok(compared) => compared.err(),
        Err(panic) => Some(message(&*panic)),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

/// Everything random comes from the seed.
fn runner(seed: u64) -> TestRunner {
    let bytes = seed.to_be_bytes().repeat(4);
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;

    fn lists() -> BoxedStrategy<Vec<u32>> {
        vec(0..1000_u32, 0..20).boxed()
    }

    #[tokio::test]
    async fn a_difference_is_shrunk_to_the_fewest_steps_that_show_it() {
        let shows = async |list: &Vec<u32>| list.iter().any(|n| *n >= 10).then(|| "too large".to_owned());
        let mut found = None;
        for seed in 0..10 {
            found = found.or(search(&lists(), seed, shows).await);
        }
        assert_eq!(found.expect("some list has a large number").steps, [10]);
    }

    #[tokio::test]
    async fn a_seed_gives_the_same_steps_every_time() {
        let show = async |list: &Vec<u32>| Some(format!("{list:?}"));
        let never = async |_: &Vec<u32>| None;
        let strategy = lists();
        let first = strategy.new_tree(&mut runner(7)).expect("nothing is filtered").current();
        assert_eq!(first, strategy.new_tree(&mut runner(7)).expect("nothing is filtered").current());
        assert!(search(&strategy, 7, never).await.is_none());
        assert_eq!(search(&strategy, 7, show).await.expect("always").steps, Vec::<u32>::new());
    }

    #[tokio::test]
    async fn a_panic_is_a_difference() {
        assert_eq!(caught(async { panic!("{} fell", "it") }).await.as_deref(), Some("it fell"));
        assert_eq!(caught(async { Ok(()) }).await, None);
    }
}
