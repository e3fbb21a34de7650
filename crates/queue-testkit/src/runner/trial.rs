//! One case as one trial: on a thread and a runtime of its own, under a deadline.

use crate::{
    Harness,
    bench::Bench,
    cases::{Case, Need, RACES},
    history::WORKLOADS,
    seeds::asked_for,
};
use futures_util::FutureExt;
use libtest_mimic::{Completion, Failed, Trial};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, resume_unwind},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};
use tokio::time::timeout;

/// Far beyond what any case takes; it only tells a hang from a slow machine.
pub(crate) const HANG_AFTER: Duration = Duration::from_secs(120);
/// What opening and cleaning up may take on top, before the whole thread is given up on.
const AROUND: Duration = Duration::from_secs(30);
/// Groups that run as many seeds as they are asked for.
const SEEDED: [&str; 3] = [WORKLOADS, "model", "differential"];
/// Threads of a runtime on which tasks race.
const RACE_THREADS: usize = 4;

/// What kind of runtime a case runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// Tasks take turns.
    One,
    /// Tasks run at the same time.
    Several,
}

/// What the case needs and the store does not offer, if anything.
pub(super) fn lacking(case: &Case, support: &[Need]) -> Option<Need> {
    case.needs.iter().copied().find(|need| !support.contains(need))
}

pub(super) fn of_case(case: &'static Case, lacking: Option<Need>, harness: Arc<dyn Harness>) -> Trial {
    let run = move || match lacking {
        Some(need) => Ok(Completion::ignored_with(format!("needs {need}"))),
        None => run_case(case, harness, HANG_AFTER).map(|()| Completion::Completed).map_err(Failed::from),
    };
    Trial::ignorable_test(case.full_name(), run).with_kind(case.cited()).with_ignored_flag(lacking.is_some())
}

/// The outcome of a case that the store supports, with a message if it failed.
pub(super) fn run_case(
    case: &'static Case,
    harness: Arc<dyn Harness>,
    hang_after: Duration,
) -> Result<(), String> {
    let hang_after = patience(case.group, hang_after, asked_for());
    let threads = if [RACES, WORKLOADS].contains(&case.group) { Threads::Several } else { Threads::One };
    let name = case.full_name();
    let in_time = on_own_thread(&name, threads, hang_after + AROUND, move || async move {
        let bench = Bench::open(harness).await;
        let checked = async {
            (case.run)(&bench).await;
            bench.check_conservation().await;
        };
        // A case that waits for ever is dropped, and so are its tasks, once they wait too.
        let outcome = timeout(hang_after, AssertUnwindSafe(checked).catch_unwind()).await;
        bench.clean_up().await;
        outcome.map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    in_time.map_err(|_| hangs(&name, hang_after))
}

/// How long a case may take: what is random, so long for each of the seeds that somebody asks for. Each run has a deadline
/// of its own too, and a hang is told by that with its seed.
fn patience(group: &str, hang_after: Duration, seeds: Option<u64>) -> Duration {
    let runs = seeds.filter(|_| SEEDED.contains(&group)).unwrap_or(1).max(1);
    hang_after.saturating_mul(u32::try_from(runs).unwrap_or(u32::MAX))
}

/// Runs a future on a new thread, so that one that blocks can be given up on: its thread is then left behind.
pub(super) fn on_own_thread<F, T>(
    name: &str,
    threads: Threads,
    give_up_after: Duration,
    body: impl FnOnce() -> F + Send + 'static,
) -> Result<T, String>
where
    F: Future<Output = T>,
    T: Send + 'static,
{
    let (done, outcome) = mpsc::sync_channel(1);
    let work = move || drop(done.send(runtime(threads).block_on(body())));
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|e| e.to_string())?;
    match outcome.recv_timeout(give_up_after) {
        Ok(value) => Ok(value),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(hangs(name, give_up_after)),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err(thread.join().map_or_else(|panic| message(&*panic), |()| name.to_owned()))
        }
    }
}

fn hangs(name: &str, after: Duration) -> String {
    format!("{name} hangs: not done after {after:?}")
}

fn runtime(threads: Threads) -> tokio::runtime::Runtime {
    let mut builder = match threads {
        Threads::One => tokio::runtime::Builder::new_current_thread(),
        Threads::Several => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(RACE_THREADS).enable_all().build().expect("the system gives threads")
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked without a message")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_message_of_the_failure() {
        let outcome = on_own_thread("x", Threads::One, HANG_AFTER, || async { panic!("{} is not {}", 1, 2) });
        assert_eq!(outcome, Err::<(), _>("1 is not 2".to_owned()));
    }

    #[test]
    fn what_is_random_may_take_longer_if_more_seeds_are_asked_for() {
        let minute = Duration::from_secs(60);
        for group in SEEDED {
            assert_eq!(patience(group, minute, Some(1_000)), 1_000 * minute);
            assert_eq!(patience(group, minute, None), minute);
        }
        assert_eq!(patience("enqueue", minute, Some(1_000)), minute);
    }

    #[test]
    fn a_value_comes_back_from_either_runtime() {
        for threads in [Threads::One, Threads::Several] {
            assert_eq!(on_own_thread("x", threads, HANG_AFTER, || async { 7 }), Ok(7));
        }
    }

    #[test]
    fn a_future_that_waits_for_ever_is_given_up_on() {
        let outcome = on_own_thread("x", Threads::One, Duration::from_millis(1), std::future::pending::<()>);
        assert_eq!(outcome, Err("x hangs: not done after 1ms".to_owned()));
    }
}
