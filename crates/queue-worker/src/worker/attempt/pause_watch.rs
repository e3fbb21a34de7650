//! Learns of pauses while there is no room for a claim.

use super::Dispatcher;
use crate::worker::{hold::beat_interval, run::WorkerRun, trace, upkeep::repeat};
use futures_util::future::join_all;
use queue_core::ClaimRequest;
use std::sync::Arc;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

/// Asks, about as often as leases are extended, whether jobs that wait for a handler are paused.
///
/// Claims tell of pauses, but a worker that is full does not claim, for hours if its handlers take
/// so long. So a queue whose jobs wait here, and which has answered no claim for a beat, is asked
/// for no jobs. A worker that is not full, or holds no job that waits, asks nothing more.
pub(in crate::worker) async fn watch_pauses(run: Arc<WorkerRun>, dispatcher: Arc<Dispatcher>) {
    let beats = repeat(&run, beat_interval(&run), || look(&run, &dispatcher));
    // Nothing waits after the stop.
    run.shutdown.stop.run_until_cancelled(beats).await;
}

async fn look(run: &WorkerRun, dispatcher: &Dispatcher) {
    let now = Instant::now();
    let mut queues = dispatcher.waiting_queues();
    queues.retain(|index| !run.queues[*index].was_told_within(beat_interval(run), now));
    join_all(queues.into_iter().map(|index| ask(run, index))).await;
}

async fn ask(run: &WorkerRun, queue_index: usize) {
    let queue = &run.queues[queue_index];
    let (name, worker) = (queue.name.clone(), run.name.id.clone());
    let request = ClaimRequest::new(name, worker, 0, run.options.lease, &*run.rng);
    let span = trace::claim(&queue.name, 0);
    let asking = run.storage.claim(request).instrument(span.clone());
    // A claim for no jobs may be dropped. The next beat asks again.
    let Ok(answer) = timeout(beat_interval(run), asking).await else { return };
    trace::answered(&span, &answer);
    match answer {
        Ok(answer) if queue.note_pauses(&answer, Instant::now()) => run.paused.notify_one(),
        Ok(_) => {}
        Err(error) => run.report_error_of(&queue.name, error),
    }
}
