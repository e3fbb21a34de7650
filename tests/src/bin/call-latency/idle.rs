//! The processor time that both processes use while one waits for a job that is not due.

use crate::{Failed, other_side, store::Store};
use queue::{JobOptions, Outcome, WaitOptions};
use queue_e2e::cpu_time;
use std::{process, time::Duration};

/// So late that the job is never due during the wait.
const LATER: Duration = Duration::from_hours(24);

/// Measures how busy both processes are while one waits for a job that is not due, with every
/// interval at its default.
pub(crate) async fn measure(store: &Store, idle: Duration) -> Result<(), Failed> {
    let storage = store.open().await?;
    let queue = Store::queue(&storage)?;
    let later = JobOptions::new().delay(LATER);
    let stored = queue.enqueue_with(queue::Id::Generated, 1, later).await?;
    let mut worker = other_side::start(store)?;
    let worker_id = worker.id().ok_or("the worker ended at once")?;
    // By then both have started and found nothing to do.
    let _ = queue.wait(stored.id(), WaitOptions::from(Duration::from_secs(2))).await?;
    let busy = || cpu_time(process::id()).zip(cpu_time(worker_id));
    let before = busy();
    let outcome = queue.wait(stored.id(), WaitOptions::from(idle)).await?;
    let after = busy();
    if !matches!(outcome, Outcome::TimedOut { .. }) {
        return Err(format!("the wait ended as {outcome:?}").into());
    }
    match before.zip(after) {
        Some((before, after)) => {
            let share = |busy: Duration| 100.0 * busy.as_secs_f64() / idle.as_secs_f64();
            let [waiter, worker] =
                [after.0.saturating_sub(before.0), after.1.saturating_sub(before.1)].map(share);
            println!(
                "idle for {idle:?}: the waiter took {waiter:.2} % of a processor, the worker {worker:.2} %"
            );
        }
        None => println!("idle for {idle:?}: this system does not say how busy a process is"),
    }
    worker.kill().await?;
    storage.close().await?;
    Ok(())
}
