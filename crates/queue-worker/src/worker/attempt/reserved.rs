//! Jobs of the library's own kinds. They are claimed, held and settled with all others, but under
//! no hook, no rate limit and no handler of the application's.

use crate::{
    reserved::{RESERVED_RETRY, ReservedJob, ReservedOutcome, handle_reserved, put_back},
    runtime::caught,
    worker::{hold::HeldJob, run::WorkerRun, settle::Settlement, watch::WorkerEvent},
};
use queue_core::JobMeta;
use std::sync::Arc;

/// Does what a reserved job asks for, and answers how to settle it.
pub(super) async fn settlement(run: &WorkerRun, job: Arc<HeldJob>) -> Settlement {
    let (meta, payload, token) = (job.meta(), job.payload(), job.token());
    let reserved = ReservedJob { meta, payload, token, unreadable: &run.unreadable };
    let handled = tokio::select! {
        biased;
        handled = caught(handle_reserved(&*run.storage, reserved)) => handled,
        () = run.shutdown.abort.cancelled() => return Settlement::release(job),
    };
    let handled = match handled {
        Ok(handled) => handled,
        // A bug of this version, which another may not have.
        Err(panic) => {
            tracing::error!(job = %job.meta().id, panic, "a handler of the library panicked");
            Ok(put_back(reserved, format!("a handler of the library panicked: {panic}")))
        }
    };
    match handled {
        Ok(handled) => {
            report(run, job.meta(), &handled);
            Settlement::of_reserved(job, handled.event)
        }
        Err(error) => {
            run.report_error_of(&job.meta().queue, error);
            Settlement::put_back(job, RESERVED_RETRY)
        }
    }
}

/// Emits as an event what the log has already.
fn report(run: &WorkerRun, job: &JobMeta, handled: &ReservedOutcome) {
    if handled.ticks_skipped > 0 {
        let (schedule, ticks) = (job.clone(), handled.ticks_skipped);
        run.events.emit(&WorkerEvent::TicksSkipped { schedule, ticks });
    }
    if let Some(ahead) = handled.ahead {
        run.events.emit(&WorkerEvent::ScheduleAhead { schedule: job.clone(), ahead });
    }
    if let Some(reason) = handled.unreadable.clone() {
        run.events.emit(&WorkerEvent::Unreadable { job: job.clone(), reason });
    }
}
