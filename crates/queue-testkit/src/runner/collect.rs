//! The suite as data: for a program that counts, compares or tabulates outcomes.

use super::{
    patience::Patience,
    probe,
    trial::{self, run_case},
};
use crate::{
    CaseOutcome, CaseReport, Failure, Harness, Selection,
    cases::{Case, Need, all},
};
use parking_lot::Mutex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Runs the suite, or part of it, on the stores of a harness and returns the outcome of each case,
/// in the order of the suite. It prints nothing itself; a case fails by a panic, which the panic
/// hook of the program may print.
///
/// Each case has its own place, clock and runtime, as in [`run`](crate::run); the snapshot is
/// ignored.
///
/// ```
/// # use async_trait::async_trait;
/// # use queue_core::{Clock, Storage};
/// # use queue_memory::MemoryStorage;
/// # use queue_testkit::{Failure, Harness, Place};
/// # use std::sync::Arc;
/// # struct MyHarness;
/// # #[async_trait]
/// # impl Harness for MyHarness {
/// #     async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
/// #         Ok(Box::new(MyPlace(MemoryStorage::with_clock(clock))))
/// #     }
/// # }
/// # #[derive(Debug)]
/// # struct MyPlace(MemoryStorage);
/// # #[async_trait]
/// # impl Place for MyPlace {
/// #     async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
/// #         Ok(Arc::new(self.0.another_handle()))
/// #     }
/// # }
/// use queue_testkit::{Selection, collect};
///
/// let reports = collect(MyHarness, &Selection::default().only(["fencing::", "replay::"]))?;
/// let failed: Vec<_> = reports.iter().filter(|report| report.has_failed()).collect();
/// assert!(!reports.is_empty() && failed.is_empty(), "{failed:#?}");
/// # Ok::<(), Failure>(())
/// ```
///
/// # Errors
/// If no store can be opened at all.
pub fn collect(harness: impl Harness, selection: &Selection) -> Result<Vec<CaseReport>, Failure> {
    let harness: Arc<dyn Harness> = Arc::new(harness);
    let support = probe::probe(&harness)?;
    let patience = Patience::new(selection.hang_after);
    let cases: Vec<_> = all().filter(|case| selection.contains(&case.full_name())).collect();
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::with_capacity(cases.len()));
    let work = || {
        while let Some((number, case)) = take(&next, &cases) {
            let report = report(case, &support, &harness, &patience);
            reports.lock().push((number, report));
        }
    };
    thread::scope(|scope| {
        for _ in 1..selection.cases_at_once {
            // If the system refuses a thread, the other threads do its share.
            drop(thread::Builder::new().name("collect".to_owned()).spawn_scoped(scope, work));
        }
        work();
    });
    let mut reports = reports.into_inner();
    reports.sort_by_key(|(number, _)| *number);
    Ok(reports.into_iter().map(|(_, report)| report).collect())
}

fn take(next: &AtomicUsize, cases: &[&'static Case]) -> Option<(usize, &'static Case)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    cases.get(number).map(|case| (number, *case))
}

fn report(
    case: &'static Case,
    support: &[Need],
    harness: &Arc<dyn Harness>,
    patience: &Patience,
) -> CaseReport {
    let outcome = match trial::lacking(case, support) {
        Some(need) => CaseOutcome::Ignored(format!("needs {need}")),
        None => match run_case(case, harness.clone(), patience) {
            Ok(()) => CaseOutcome::Passed,
            Err(message) => CaseOutcome::Failed(message),
        },
    };
    CaseReport::new(case, outcome)
}
