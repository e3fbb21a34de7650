//! The claim of a worker that an operator has paused: it waits, and brings nothing.

use super::{Ask, Handover};
use crate::service::App;
use queue_core::{Claimed, Detail, Moment, Pause, Result};
use std::time::Duration;
use tokio::{sync::oneshot, time::sleep};

/// Waits as long as the worker asked to wait.
pub(crate) async fn rest(app: &App, ask: &Ask, wait: Duration) -> Result<Handover> {
    tokio::select! {
        () = sleep(wait) => {}
        () = app.tasks.closing() => {}
    }
    // A read of no job tells the time of the store.
    let read = app.storage.get(&ask.queue, &[], Detail::Meta).await?;
    let nothing = Claimed::none(None, Moment { now: read.now, clock: read.clock });
    let (taken, _) = oneshot::channel();
    Ok(Handover { claimed: Claimed { pause: Pause::UntilResumed, ..nothing }, taken })
}
