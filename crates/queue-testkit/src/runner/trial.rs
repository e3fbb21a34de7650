//! One case as one trial: on its own thread and runtime, under a deadline.

use super::patience::Patience;
use crate::{
    Harness,
    bench::Bench,
    cases::{Case, Need, RACES, changes_asked_for},
    history::WORKLOADS,
    seeds::asked_for,
    watch::{Deadline, OpenCalls, WatchedHarness},
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

/// What the case needs and the store lacks, if anything.
pub(super) fn lacking(case: &Case, support: &[Need]) -> Option<Need> {
    case.needs.iter().copied().find(|need| !support.contains(need))
}

/// A case that lacks something is not marked `#[ignore]`, since the runner shows no reason for such
/// a trial: it reports itself as ignored when it runs.
pub(super) fn of_case(
    case: &'static Case,
    lacking: Option<Need>,
    harness: Arc<dyn Harness>,
    patience: Arc<Patience>,
) -> Trial {
    let run = move || match lacking {
        Some(need) => Ok(Completion::ignored_with(format!("needs {need}"))),
        None => run_case(case, harness, &patience).map(|()| Completion::Completed).map_err(Failed::from),
    };
    Trial::ignorable_test(case.full_name(), run).with_kind(case.cited())
}

/// Runs a case that the store supports, and returns its failure if it fails.
pub(super) fn run_case(
    case: &'static Case,
    harness: Arc<dyn Harness>,
    patience: &Patience,
) -> Result<(), String> {
    let hang_after = patience.with(case.group, asked_for(), changes_asked_for());
    let threads = if [RACES, WORKLOADS].contains(&case.group) { Threads::Several } else { Threads::One };
    let name = case.full_name();
    let calls = OpenCalls::default();
    let harness = Arc::new(WatchedHarness::new(harness, calls.clone()));
    let watched = calls.clone();
    let deadline = Deadline::around(&calls, hang_after);
    let outcome = on_own_thread(&name, threads, deadline, move || async move {
        let bench = Bench::open(harness).await;
        let checked = async {
            (case.run)(&bench).await;
            bench.check_conservation().await;
        };
        let mut checked = Box::pin(watched.clone().scope(AssertUnwindSafe(checked).catch_unwind()));
        let outcome = Deadline::new(&watched, hang_after).of(&mut checked).await;
        // The calls that a case waits for are visible while its future exists: dropping the future
        // closes them. So the message is made before the drop.
        let outcome = outcome.ok_or_else(|| watched.describe());
        drop(checked);
        bench.clean_up().await;
        outcome.map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
    });
    match outcome {
        Ok(Ok(())) => Ok(()),
        Ok(Err(waits_for)) => {
            patience.wear_thin();
            Err(hangs(&name, hang_after, &waits_for))
        }
        Err(failure) => Err(failure),
    }
}

/// Runs a future on a new thread, so that one that blocks can be abandoned: its thread is then left
/// behind.
pub(super) fn on_own_thread<F, T>(
    name: &str,
    threads: Threads,
    mut deadline: Deadline<'_>,
    body: impl FnOnce() -> F + Send + 'static,
) -> Result<T, String>
where
    F: Future<Output = T>,
    T: Send + 'static,
{
    let (done, outcome) = mpsc::sync_channel(1);
    let work = move || drop(done.send(runtime(threads).block_on(body())));
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|e| e.to_string())?;
    while let Some(wait) = deadline.wait() {
        match outcome.recv_timeout(wait) {
            Ok(value) => return Ok(value),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(thread.join().map_or_else(|panic| message(&*panic), |()| name.to_owned()));
            }
        }
    }
    Err(hangs(name, deadline.limit(), &deadline.waits_for()))
}

fn hangs(name: &str, after: Duration, waits_for: &str) -> String {
    format!("{name} hangs: not done after {after:?}; {waits_for}")
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

    const LONG: Duration = Duration::from_secs(120);

    #[test]
    fn a_panic_is_the_message_of_the_failure() {
        let calls = OpenCalls::default();
        let outcome = on_own_thread("x", Threads::One, Deadline::new(&calls, LONG), || async {
            panic!("{} is not {}", 1, 2)
        });
        assert_eq!(outcome, Err::<(), _>("1 is not 2".to_owned()));
    }

    #[test]
    fn a_value_comes_back_from_either_runtime() {
        let calls = OpenCalls::default();
        for threads in [Threads::One, Threads::Several] {
            assert_eq!(on_own_thread("x", threads, Deadline::new(&calls, LONG), || async { 7 }), Ok(7));
        }
    }

    #[test]
    fn a_future_that_waits_for_ever_is_given_up_on() {
        let calls = OpenCalls::default();
        let short = Deadline::new(&calls, Duration::from_millis(1));
        let outcome = on_own_thread("x", Threads::One, short, std::future::pending::<()>);
        let waits_for = calls.describe();
        assert_eq!(outcome, Err(format!("x hangs: not done after 1ms; {waits_for}")));
    }
}
