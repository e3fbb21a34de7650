//! How long a whole job is in its stored form, without writing it.

use super::{
    gate::{END_SIGNAL_BYTES, GATE_BYTES},
    options::has_options,
};
use queue_core::{Attempt, EndSignal, Signalling};
use queue_memory::{Course, PackedJob};

/// Kind and life, the rest of what is written once, what always moves, the lengths of the payload,
/// and whether there is a result and details of an error.
const ALWAYS: usize = (1 + 8) + (2 + 8) + (8 + 1 + 1 + 8 + 8 + 4 + 4 + 2) + 4 + 1 + 1;
const TIME: usize = 8;
const TOKEN: usize = 16;
/// What a change of the queue takes up besides its name.
const QUEUE: u64 = 1 + 1;

/// How much a job takes up besides the bytes of its payload and its result, where it is written
/// whole and named with its queue.
pub(crate) fn whole_len(stored: &PackedJob) -> u64 {
    QUEUE + stored.queue().as_str().len() as u64 + put_len(stored)
}

/// How much [`put`](super::write::put) writes of a job besides the bytes of its payload and its
/// result.
fn put_len(stored: &PackedJob) -> u64 {
    let course = stored.course();
    let result = course.result.as_ref().map_or(0, |result| name(&result.content_type) + blob(0));
    let details = course.error_details.as_ref().map_or(0, |details| blob(details.len()));
    let names = name(&stored.id) + name(&stored.traits.kind) + name(&stored.traits.content_type);
    (ALWAYS + names + options(stored) + claimed(stored) + fields(course) + result + details) as u64
}

/// What few jobs have of what is written once.
fn options(stored: &PackedJob) -> usize {
    if !has_options(stored) {
        return 0;
    }
    let traits = &*stored.traits;
    1 + traits.expires_in.map_or(0, |_| TIME)
        + if traits.terms.is_plain() { 0 } else { blob(traits.terms.to_bytes().len()) }
        + traits.tags.to_text().map_or(0, |tags| blob(tags.len()))
        + stored.headers.to_text().map_or(0, |headers| blob(headers.len()))
        + end_signals(stored)
        + traits.partition.as_ref().map_or(0, name)
}

fn end_signals(stored: &PackedJob) -> usize {
    let one = |signal: &EndSignal| name(&signal.to) + END_SIGNAL_BYTES;
    let count = usize::from(stored.signalling != Signalling::None);
    count + stored.course().end_signals().iter().map(one).sum::<usize>()
}

fn claimed(stored: &PackedJob) -> usize {
    if stored.epoch > 0 { TIME } else { 0 }
}

/// The optional parts of what a life changes.
fn fields(course: &Course) -> usize {
    let Course { lease, progress, last_error, .. } = course;
    lease.as_ref().map_or(0, |lease| name(&lease.worker) + TIME)
        + course.token.map_or(0, |_| TOKEN)
        + course.last_settle.map_or(0, |_| TOKEN + 1)
        + progress.as_ref().map_or(0, |progress| blob(progress.len()))
        + last_error.as_ref().map_or(0, |error| blob(error.name().len()) + blob(error.message().len()) + TIME)
        + course.finished_at.map_or(0, |_| TIME)
        + course.purge_at.map_or(0, |_| TIME)
        + course.gate().map_or(0, |_| GATE_BYTES)
        + attempts(course.attempts())
}

fn attempts(attempts: &[Attempt]) -> usize {
    let one = |attempt: &Attempt| {
        let error = blob(attempt.error_name.len()) + blob(attempt.error_message.len());
        8 + name(&attempt.worker) + 2 * TIME + 1 + error
    };
    usize::from(!attempts.is_empty()) + attempts.iter().map(one).sum::<usize>()
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
        AttemptOutcome, ContentType, Failure, Gate, Headers, JobId, JobTerms, Kind, LeaseInfo, LeaseToken,
        NewJob, Partition, Payload, QueueName, Seq, SharedTerms, Span, Tag, Tags, Timestamp, WorkerId,
        lifecycle::{LastSettle, Settle},
    };
    use queue_memory::{Engine, Rare, Traits};

    fn payload() -> Payload {
        Payload::new("some bytes", ContentType::from_static("text/plain"))
    }

    /// One that has these of its options.
    fn with_options(has: [bool; 6]) -> PackedJob {
        let traits = Traits {
            expires_in: has[0].then(|| Span::from_secs(1)),
            terms: if has[1] { terms().into() } else { SharedTerms::PLAIN },
            tags: if has[2] { Tags::new(["b", "a"].map(tag)).expect("two") } else { Tags::NONE },
            partition: has[5].then(|| Partition::from_static("acme")),
            ..Traits::clone(&fresh().traits)
        };
        let headers =
            if has[3] { Headers::new([("a", ""), ("b", "c")]).expect("two") } else { Headers::NONE };
        let mut job = PackedJob { traits: traits.into(), headers, ..with_everything() };
        if has[4] {
            job.signalling = Signalling::Owed(2);
            *job.end_signals_mut() = ["sum", "end"].map(|to| EndSignal::to(JobId::from_static(to))).into();
        }
        job
    }

    fn terms() -> JobTerms {
        let kind = Kind::from_static("alert");
        JobTerms { time_limit: Some(Span::from_secs(2)), on_failure: Some(kind), ..JobTerms::default() }
    }

    fn tag(text: &str) -> Tag {
        Tag::new(text).expect("a valid tag")
    }

    fn attempt(epoch: u64) -> Attempt {
        Attempt {
            epoch,
            worker: WorkerId::from_static("w"),
            claimed_at: Timestamp::default(),
            ended_at: Timestamp::default(),
            outcome: AttemptOutcome::Failed,
            error_name: "Io".to_owned(),
            error_message: "broken".to_owned(),
        }
    }

    fn fresh() -> PackedJob {
        let queue = QueueName::from_static("queue");
        let mut engine = Engine::default();
        let job = NewJob::new(JobId::from_static("id"), Kind::from_static("kind"), payload());
        engine.enqueue(&queue, vec![vec![job]], Timestamp::default());
        engine.stored(&queue, Seq::new(1)).expect("it is there").clone()
    }

    fn with_everything() -> PackedJob {
        let token = LeaseToken::from_bytes([7; 16]);
        let at = Some(Timestamp::default());
        let course = Course {
            token: Some(token),
            last_settle: Some(LastSettle { token, settle: Settle::Complete }),
            lease: Some(LeaseInfo { worker: WorkerId::from_static("w"), expires_at: Timestamp::default() }),
            progress: Some(Box::new(Bytes::from_static(b"half"))),
            last_error: Some(Failure::new("Io", "broken")),
            finished_at: at,
            purge_at: at,
            result: Some(payload()),
            error_details: Some(Bytes::from_static(b"why")),
            claimed_at: at,
            failed_at: at,
            rare: Some(Box::new(Rare {
                attempts: vec![attempt(1), attempt(2)],
                gate: Some(Gate::default()),
                end_signals: Vec::new(),
            })),
        };
        PackedJob { course: Some(Box::new(course)), epoch: 2, ..fresh() }
    }

    #[test]
    fn it_is_what_is_written() {
        let options = (0..64).map(|bits| with_options([1, 2, 4, 8, 16, 32].map(|bit| bits & bit != 0)));
        for stored in [fresh(), with_everything()].into_iter().chain(options) {
            let mut out = Vec::new();
            write::queue(&mut out, stored.queue());
            let (payload, result) = write::put(&mut out, &stored);
            let blobs = payload.len() + result.map_or(0, |result| result.len());
            assert_eq!(whole_len(&stored), (out.len() - blobs) as u64);
        }
    }
}
