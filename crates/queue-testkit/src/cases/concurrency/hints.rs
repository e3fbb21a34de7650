//! Hints of racing callers: a store that publishes hints outside the lock of its commits can
//! announce an earlier change of a job after a later one.

use super::{ROUNDS, race};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        events::listen::{change, subscribe},
    },
};
use queue_core::{Interest, JobId, Seq};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::task::yield_now;

const PRODUCERS: usize = 2;
const TASKS: usize = 6;
/// The jobs of each producer in a round: all their changes together are fewer than a stream buffers
/// for a slow reader.
const JOBS: usize = 10;

cases! { "concurrency":
    hints_of_racing_callers_keep_the_order_of_each_job [I20] (Hints);
    hints_of_racing_handles_keep_the_order_of_each_job [I20] (Hints SecondHandle);
}

/// The callers share one handle, as the tasks of a program do.
async fn hints_of_racing_callers_keep_the_order_of_each_job(bench: &Bench) {
    assert_ordered(bench, [bench.clone(), bench.clone()]).await;
}

/// The callers use two handles. A stream may miss hints of a handle in another process, but never
/// reorders them.
async fn hints_of_racing_handles_keep_the_order_of_each_job(bench: &Bench) {
    assert_ordered(bench, [bench.clone(), bench.second().await]).await;
}

/// Some tasks enqueue, while others claim and settle what they find, so that successive changes of
/// a job have different callers.
async fn assert_ordered(bench: &Bench, handles: [Bench; 2]) {
    let mut stream = subscribe(bench, Interest::All).await;
    let mut told: HashMap<(JobId, Seq), u64> = HashMap::new();
    for round in 0..ROUNDS {
        let ended = Arc::new(AtomicUsize::new(0));
        race(bench, TASKS, |_, n| {
            let prefix = (n < PRODUCERS).then(|| format!("{round}-{n}"));
            take_part(handles[n % 2].clone(), prefix, ended.clone())
        })
        .await;
        // The hint of each change comes before the answer to its call, so the hints of the round
        // come before this one.
        let last = format!("last-{round}");
        bench.put(&last).await;
        loop {
            let change = change(&mut stream).await;
            if change.id == id(&last) {
                break;
            }
            let former = told.insert((change.id.clone(), change.seq), change.revision);
            let is_later = former.is_none_or(|former| former <= change.revision);
            assert!(is_later, "{change:?} was told after revision {former:?} in round {round}");
        }
        bench.complete(&bench.claim_one().await).await;
    }
}

/// Enqueues under a prefix; without a prefix it claims and completes until all enqueued jobs are
/// completed.
async fn take_part(bench: Bench, prefix: Option<String>, ended: Arc<AtomicUsize>) {
    if let Some(prefix) = prefix {
        for n in 0..JOBS {
            bench.put(&format!("{prefix}-{n}")).await;
        }
        return;
    }
    while ended.load(Ordering::SeqCst) < PRODUCERS * JOBS {
        for held in bench.claim(1).await {
            bench.complete(&held).await;
            ended.fetch_add(1, Ordering::SeqCst);
        }
        yield_now().await;
    }
}
