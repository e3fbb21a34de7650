//! Subscribes to hints, and waits for the one that a case is about.

use crate::bench::prelude::*;
use futures_util::StreamExt;
use queue_core::{CompletedJob, EventStream, Hint, Interest, JobChange, State};

/// More than any case causes.
const HINTS_MAX: usize = 100_000;

/// Subscribes to hints of a queue.
pub(in crate::cases) async fn subscribe(bench: &Bench, interest: Interest) -> EventStream {
    bench.store().subscribe(bench.queue(), interest).await.expect("it sends hints")
}

/// Subscribes to hints of some ids.
pub(in crate::cases) async fn awaiting(bench: &Bench, texts: &[&str]) -> EventStream {
    subscribe(bench, Interest::Jobs(texts.iter().map(|text| id(text)).collect())).await
}

/// Waits for a hint that a claim may find a job.
pub(in crate::cases) async fn woken(stream: &mut EventStream) {
    for _ in 0..HINTS_MAX {
        match stream.next().await.expect("the store is open") {
            Hint::Wake | Hint::Missed => return,
            Hint::Job(_) | Hint::Completed(_) => {}
        }
    }
    panic!("many hints, but none that wakes");
}

/// The next change of a job, and the completed job if its result came with the hint. A notice of
/// missed hints is not a change.
pub(in crate::cases) async fn change_with_result(
    stream: &mut EventStream,
) -> (JobChange, Option<CompletedJob>) {
    for _ in 0..HINTS_MAX {
        match stream.next().await.expect("the store is open") {
            Hint::Job(change) => return (change, None),
            Hint::Completed(job) => return (job.change(), Some(*job)),
            Hint::Wake | Hint::Missed => {}
        }
    }
    panic!("many hints, but none of a job");
}

/// The next change of a job.
pub(in crate::cases) async fn change(stream: &mut EventStream) -> JobChange {
    change_with_result(stream).await.0
}

/// The next change of one job to one state.
pub(in crate::cases) async fn reached(
    stream: &mut EventStream,
    text: &str,
    state: Option<State>,
) -> JobChange {
    for _ in 0..HINTS_MAX {
        let change = change(stream).await;
        if change.id == id(text) && change.state == state {
            return change;
        }
    }
    panic!("many changes, but not the one of {text} to {state:?}");
}
