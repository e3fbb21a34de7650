use queue_core::{JobMeta, lifecycle::TrackedJob};
use queue_memory::StoredJob;

/// Kind and life, the rest of what is written once, what always moves, the lengths of the payload, and whether there
/// is a result and details of an error.
const ALWAYS: usize = (1 + 8) + (2 + 8 + 4 + 4 + 8 + 8) + (8 + 1 + 1 + 8 + 8 + 4 + 4 + 2) + 4 + 1 + 1;
const TIME: usize = 8;
const TOKEN: usize = 16;

/// How much [`put`](super::write::put) writes of a job besides the bytes of its payload and its result.
pub(crate) fn put_len(stored: &StoredJob) -> u64 {
    let body = &stored.body;
    let result = body.result.as_ref().map_or(0, |result| name(&result.content_type) + blob(0));
    let details = body.error_details.as_ref().map_or(0, |details| blob(details.len()));
    let names = name(&stored.job.meta.id) + name(&stored.job.meta.kind);
    let len = ALWAYS + names + moving(&stored.job) + name(&body.payload.content_type) + result + details;
    len as u64
}

/// The optional parts of what a life changes.
fn moving(job: &TrackedJob) -> usize {
    let JobMeta { lease, progress, last_error, finished_at, purge_at, .. } = &job.meta;
    lease.as_ref().map_or(0, |lease| name(&lease.worker) + TIME)
        + job.token.map_or(0, |_| TOKEN)
        + job.last_settle.map_or(0, |_| TOKEN + 1)
        + progress.as_ref().map_or(0, |progress| blob(progress.len()))
        + last_error.as_ref().map_or(0, |error| blob(error.name().len()) + blob(error.message().len()))
        + finished_at.map_or(0, |_| TIME)
        + purge_at.map_or(0, |_| TIME)
}

fn name(name: &impl AsRef<str>) -> usize {
    1 + name.as_ref().len()
}

fn blob(bytes: usize) -> usize {
    4 + bytes
}

#[cfg(test)]
mod tests {
    use super::{super::write, *};
    use bytes::Bytes;
    use queue_core::{
        ContentType, Failure, JobBody, JobId, Kind, LeaseInfo, LeaseToken, NewJob, Payload, QueueName, Seq,
        Timestamp, WorkerId,
        lifecycle::{LastSettle, Settle},
    };
    use queue_memory::Engine;

    fn payload() -> Payload {
        Payload::new("some bytes", ContentType::from_static("text/plain"))
    }

    fn fresh() -> StoredJob {
        let (queue, mut engine) = (QueueName::from_static("q"), Engine::default());
        let job = NewJob::new(JobId::from_static("id"), Kind::from_static("kind"), payload());
        engine.enqueue(&queue, vec![vec![job]], Timestamp::default());
        engine.stored(&queue, Seq::new(1)).expect("it is there").clone()
    }

    fn with_everything() -> StoredJob {
        let StoredJob { mut job, .. } = fresh();
        let token = LeaseToken::from_bytes([7; 16]);
        let at = Some(Timestamp::default());
        (job.token, job.last_settle) = (Some(token), Some(LastSettle { token, settle: Settle::Complete }));
        job.meta.lease =
            Some(LeaseInfo { worker: WorkerId::from_static("w"), expires_at: Timestamp::default() });
        job.meta.progress = Some(Bytes::from_static(b"half"));
        job.meta.last_error = Some(Failure::new("Io", "broken"));
        (job.meta.finished_at, job.meta.purge_at) = (at, at);
        let error_details = Some(Bytes::from_static(b"why"));
        StoredJob {
            body: JobBody { result: Some(payload()), error_details, payload: payload() },
            ..StoredJob::new(job, payload())
        }
    }

    #[test]
    fn it_is_what_is_written() {
        for stored in [fresh(), with_everything()] {
            let mut out = Vec::new();
            let (payload, result) = write::put(&mut out, &stored);
            let blobs = payload.len() + result.map_or(0, |result| result.len());
            assert_eq!(put_len(&stored), (out.len() - blobs) as u64);
        }
    }
}
