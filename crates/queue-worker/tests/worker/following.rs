//! What goes with an answer that is no completion.

use crate::support::{Rig, job, millis, router, span};
use queue_core::{Budget, State};
use queue_worker::{Context, JobError};

#[tokio::test(start_paused = true)]
async fn a_job_follows_a_snooze_a_release_and_a_final_failure_and_no_retry() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_max_attempts(Budget::from_raw(2))]).await;
    let handler = router(|n, context: Context| async move {
        if n != 1 {
            return Ok(());
        }
        let epoch = context.epoch();
        let next = job(&format!("after {epoch}"), 2).with_delay(span(5));
        Err(match epoch {
            1 => JobError::snooze(millis(10)).then(next),
            2 => JobError::release().then(next),
            _ => JobError::from("out of luck").then(next),
        })
    });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!((report.completed, report.released, report.failing, report.failed), (3, 2, 1, 1));
    for after in ["after 1", "after 2", "after 4"] {
        assert_eq!(rig.meta(after).await.state, State::Completed, "{after}");
    }
    assert_eq!(rig.find("after 3").await, None, "a failure that is retried");
}

#[tokio::test(start_paused = true)]
async fn what_was_reported_last_goes_with_a_snooze() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        let so_far = context.meta().progress.as_ref().map_or(0, |bytes| bytes[0] - b'0');
        context.report_progress(&(so_far + 1))?;
        match so_far {
            0 => Err(JobError::snooze(millis(10))),
            1 => Err(JobError::release()),
            _ => Ok(so_far),
        }
    });
    rig.drain(rig.worker(handler)).await;
    let result = rig.record("a").await.body.expect("asked for").result.expect("completed");
    assert_eq!(&result.bytes[..], b"2");
}
