//! Which imports are refused.

use super::{request, whole};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Attempt, AttemptOutcome, ImportRequest, LeaseInfo, Seq, Timestamp, WholeJob};

cases! { "import":
    a_running_job_is_refused [I3] (Import);
    a_record_that_contradicts_itself_is_refused [I20] (Import);
    what_is_too_large_is_refused_whole [I17] (Import);
}

async fn assert_refused_import(bench: &Bench, job: WholeJob) {
    let good = whole(&bench.on_queue("from"), "good").await;
    let refused = bench.store().import(request(bench, vec![good, job.clone()])).await;
    assert_refused(&refused.expect_err(&format!("{job:?} is refused")));
    assert_eq!(bench.find("good").await, None, "nothing of the batch is stored");
}

async fn a_running_job_is_refused(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_and_claim("held").await;
    from.put("good").await;
    let held = whole(&from, "held").await;
    assert_refused_import(bench, held).await;
    let mut leased = whole(&from, "good").await;
    let expires_at = bench.now() + LEASE;
    leased.meta.lease = Some(LeaseInfo { worker: worker("w"), expires_at });
    assert_refused_import(bench, leased).await;
}

async fn a_record_that_contradicts_itself_is_refused(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    from.put("good").await;
    let (queued, completed) = (whole(&from, "queued").await, whole(&from, "completed").await);
    let (failed, failing) = (whole(&from, "failed").await, whole(&from, "failing").await);
    let changed = |job: &WholeJob, change: fn(&mut WholeJob)| {
        let mut job = job.clone();
        change(&mut job);
        job
    };
    let attempt = |epoch| Attempt {
        epoch,
        worker: worker("w"),
        claimed_at: Timestamp::from_millis(1),
        ended_at: Timestamp::from_millis(2),
        outcome: AttemptOutcome::Failed,
        error_name: "E".to_owned(),
        error_message: "m".to_owned(),
    };
    let mut wild = failing.clone();
    wild.attempts = vec![attempt(failing.meta.epoch + 1)];
    for job in [
        wild,
        changed(&queued, |job| job.meta.finished_at = Some(job.meta.created_at)),
        changed(&queued, |job| job.meta.purge_at = Some(job.meta.created_at)),
        changed(&queued, |job| job.body.result = Some(job.body.payload.clone())),
        changed(&queued, |job| job.meta.revision = 0),
        changed(&queued, |job| job.meta.epoch = 1),
        changed(&queued, |job| job.meta.failures = 1),
        changed(&queued, |job| job.meta.revision = u64::MAX),
        changed(&queued, |job| job.meta.run_at = Timestamp::from_millis(i64::MAX)),
        changed(&completed, |job| job.body.result = None),
        changed(&completed, |job| job.meta.claimed_at = None),
        changed(&failed, |job| job.meta.reason = None),
        changed(&failed, |job| job.meta.finished_at = None),
        changed(&failing, |job| job.meta.failed_at = None),
        changed(&failing, |job| job.meta.failures = 3),
    ] {
        assert_refused_import(bench, job).await;
    }
    let foreign = ImportRequest { jobs: vec![queued], ..request(bench, Vec::new()) };
    assert_refused(&bench.store().import(foreign).await.expect_err("it is of another queue"));
    let endless = ImportRequest { after: Seq::new(u64::MAX), ..request(bench, Vec::new()) };
    assert_refused(&bench.store().import(endless).await.expect_err("no number follows"));
}

async fn what_is_too_large_is_refused_whole(bench: &Bench) {
    let limits = bench.store().capabilities().limits;
    let from = bench.on_queue("from");
    from.put("good").await;
    let good = whole(&from, "good").await;
    let mut large = good.clone();
    large.body.payload = bytes_payload(vec![0; limits.payload_bytes_max + 1]);
    assert_refused_import(bench, large).await;
    let mut talkative = good.clone();
    talkative.meta.progress = Some(Box::new(vec![0; limits.note_bytes_max + 1].into()));
    assert_refused_import(bench, talkative).await;
    let many = vec![good; limits.batch_max + 1];
    assert_refused(&bench.store().import(request(bench, many)).await.expect_err("they are too many"));
    assert_eq!(bench.find("good").await, None);
}
