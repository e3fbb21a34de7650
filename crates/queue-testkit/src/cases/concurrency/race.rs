//! Starts several tasks at the same moment.

use crate::bench::Bench;
use std::{future::Future, sync::Arc};
use tokio::{sync::Barrier, task::JoinSet};

/// Starts `tasks` tasks together, and returns their results in no order. Each task gets its number.
pub(super) async fn race<F>(
    bench: &Bench,
    tasks: usize,
    mut task: impl FnMut(Bench, usize) -> F,
) -> Vec<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    let start = Arc::new(Barrier::new(tasks));
    let mut running = JoinSet::new();
    for number in 0..tasks {
        running.spawn(at(start.clone(), task(bench.clone(), number)));
    }
    running.join_all().await
}

/// Starts two tasks together, and returns the result of each.
pub(super) async fn race_two<A, B>(
    bench: &Bench,
    one: impl FnOnce(Bench) -> A,
    other: impl FnOnce(Bench) -> B,
) -> (A::Output, B::Output)
where
    A: Future + Send + 'static,
    B: Future + Send + 'static,
    A::Output: Send,
    B::Output: Send,
{
    let start = Arc::new(Barrier::new(2));
    let (mut first, mut second) = (JoinSet::new(), JoinSet::new());
    first.spawn(at(start.clone(), one(bench.clone())));
    second.spawn(at(start, other(bench.clone())));
    (first.join_all().await.remove(0), second.join_all().await.remove(0))
}

async fn at<F: Future>(start: Arc<Barrier>, task: F) -> F::Output {
    start.wait().await;
    task.await
}
