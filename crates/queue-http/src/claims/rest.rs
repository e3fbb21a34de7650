//! The claim of a worker that an operator has paused or asked to drain: it waits, and brings
//! nothing.

use super::{Ask, Handover};
use crate::service::App;
use queue_core::{Claimed, Detail, Duty, Moment, Pause, Result};
use std::time::Duration;
use tokio::{sync::oneshot, time::sleep};

/// How long a claim of a draining worker waits, so that a worker that ignores the drain does not
/// ask without a pause.
const DRAINING_WAIT: Duration = Duration::from_secs(1);

/// The answer to the claim of a worker that is to end.
pub(crate) async fn rest_at_the_end(app: &App, ask: &Ask, wait: Duration) -> Result<Handover> {
    tokio::select! {
        () = sleep(wait.min(DRAINING_WAIT)) => {}
        () = app.tasks.closing() => {}
    }
    nothing(app, ask, Pause::Off).await
}

/// Waits as long as the worker asked to wait, or until it is to work again or to end.
pub(crate) async fn rest(app: &App, ask: &Ask, wait: Duration) -> Result<Handover> {
    tokio::select! {
        () = sleep(wait) => {}
        () = app.duty_changed(&ask.worker, Duty::Pause) => {}
        () = app.tasks.closing() => {}
    }
    nothing(app, ask, Pause::UntilResumed).await
}

async fn nothing(app: &App, ask: &Ask, pause: Pause) -> Result<Handover> {
    // A read of no job returns the time of the store.
    let read = app.storage.get(&ask.queue, &[], Detail::Meta).await?;
    let nothing = Claimed::none(None, Moment { now: read.now, clock: read.clock });
    let (taken, _) = oneshot::channel();
    Ok(Handover { claimed: Claimed { pause, ..nothing }, taken, waited: Duration::ZERO })
}
