//! Whole records of another store.

pub(super) mod going_on;
pub(super) mod kept;
pub(super) mod refused;

use crate::bench::prelude::*;
use queue_core::{ErrorKind, ImportRequest, Imported, Seq, StorageExt, WholeJob};

pub(super) async fn whole(bench: &Bench, text: &str) -> WholeJob {
    let record = bench.record(text).await;
    let store = bench.store();
    let attempts = match store.attempts_of(bench.queue(), &id(text)).await {
        Ok(answer) => answer.value.expect("the job is there").attempts,
        Err(error) if error.kind() == ErrorKind::Unsupported => Vec::new(),
        Err(error) => panic!("attempts answers: {error}"),
    };
    WholeJob { meta: record.meta, body: record.body.expect("it was asked for"), attempts }
}

pub(super) fn moved(bench: &Bench, mut job: WholeJob) -> WholeJob {
    job.meta.queue = bench.queue().clone();
    job.meta.seq = Seq::new(0);
    job
}

pub(super) fn request(bench: &Bench, jobs: Vec<WholeJob>) -> ImportRequest {
    let queue = bench.queue().clone();
    ImportRequest { queue, after: Seq::new(0), jobs: jobs.into_iter().map(|job| moved(bench, job)).collect() }
}

pub(super) async fn import(bench: &Bench, jobs: Vec<WholeJob>) -> Vec<Imported> {
    bench.store().import(request(bench, jobs)).await.expect("import answers").value
}

pub(super) async fn import_one(bench: &Bench, job: WholeJob) -> Imported {
    import(bench, vec![job]).await[0]
}

pub(super) async fn waiting(bench: &Bench, texts: &[&str]) -> Vec<WholeJob> {
    let from = bench.on_queue("from");
    let mut jobs = Vec::new();
    for text in texts {
        from.put(text).await;
        jobs.push(whole(&from, text).await);
    }
    jobs
}
