//! The sizes that a store accepts, and their checks.

use crate::{
    Error, NewJob, OnWaiting, Result, Span,
    lifecycle::{Patch, Transition},
};

/// The sizes that a store accepts. All of them are checked before anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest payload and largest result, in bytes. Default 1 MiB.
    pub payload_bytes_max: usize,
    /// Largest progress report and largest error details, in bytes. Default 16 KiB.
    pub note_bytes_max: usize,
    /// Most jobs or transitions in one call. Default 10,000.
    pub batch_max: usize,
    /// Most bytes of payloads, results and notes in one call together. Default 256 MiB.
    pub call_bytes_max: usize,
    /// Most bytes of bodies in the answer of one `get` or `enqueue`, but at least one body. Bodies
    /// that do not fit are left out, and the caller asks for them again. See
    /// [`AnswerRoom`](crate::AnswerRoom). Default 16 MiB.
    pub answer_bytes_max: usize,
}

/// The bytes of the payloads of jobs, and of their headers.
pub fn payload_bytes(jobs: &[NewJob]) -> usize {
    jobs.iter().map(|job| job.payload.bytes.len() + job.headers.bytes()).sum()
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            payload_bytes_max: 1 << 20,
            note_bytes_max: 16 << 10,
            batch_max: 10_000,
            call_bytes_max: 256 << 20,
            answer_bytes_max: 16 << 20,
        }
    }
}

impl Limits {
    /// Refuses an enqueue that is too large.
    pub fn check_enqueue(&self, groups: &[Vec<NewJob>]) -> Result<()> {
        self.check_batch("enqueue", groups.iter().map(Vec::len).sum())?;
        self.check_call("enqueue", groups.iter().map(|group| payload_bytes(group)).sum())?;
        groups.iter().flatten().try_for_each(|job| self.check_job("enqueue", job))
    }

    /// Refuses a batch of transitions that is too large in any part.
    pub fn check_apply(&self, batch: &[Transition]) -> Result<()> {
        self.check_batch("apply", batch.iter().map(Transition::weight).sum())?;
        self.check_call("apply", batch.iter().map(Transition::large_bytes).sum())?;
        batch.iter().try_for_each(|transition| self.check_transition(transition))
    }

    /// Refuses one transition that is too large in any part.
    pub fn check_transition(&self, transition: &Transition) -> Result<()> {
        if !transition.then.is_empty() && transition.guard.proof.is_repeatable() {
            return Err(Error::invalid("apply", "a heartbeat may be sent twice, so no job can follow it"));
        }
        transition.then.iter().try_for_each(|job| self.check_job("apply", job))?;
        match &transition.patch {
            Patch::Finish(finish) => {
                let details = finish.error.as_ref().and_then(|error| error.details());
                self.check_note("error details", details.map_or(0, bytes::Bytes::len))?;
                self.check_payload(
                    "apply",
                    "result",
                    finish.result.as_ref().map_or(0, |result| result.bytes.len()),
                )
            }
            Patch::Requeue(requeue) => {
                let details = requeue.error.as_ref().and_then(|error| error.details());
                self.check_note("error details", details.map_or(0, bytes::Bytes::len))?;
                self.check_note("progress", requeue.progress.as_ref().map_or(0, bytes::Bytes::len))
            }
            Patch::Extend { progress, .. } => {
                self.check_note("progress", progress.as_ref().map_or(0, bytes::Bytes::len))
            }
            Patch::Amend(to) => self.check_payload("apply", "payload", to.payload_bytes()),
            Patch::Remove | Patch::Flag(_) | Patch::Retain(_) => Ok(()),
        }
    }

    /// Refuses more items than one call may have.
    pub fn check_batch(&self, operation: &'static str, items: usize) -> Result<()> {
        if items <= self.batch_max {
            return Ok(());
        }
        let most = self.batch_max;
        Err(Error::invalid(operation, format!("at most {most} jobs fit one call, not {items}; send several")))
    }

    fn check_call(&self, operation: &'static str, bytes: usize) -> Result<()> {
        if bytes <= self.call_bytes_max {
            return Ok(());
        }
        let message =
            format!("at most {} bytes fit one call, not {bytes}; send several", self.call_bytes_max);
        Err(Error::invalid(operation, message))
    }

    fn check_job(&self, operation: &'static str, job: &NewJob) -> Result<()> {
        self.check_payload(operation, "payload", job.payload.bytes.len())?;
        check_times(operation, job)
    }

    fn check_payload(&self, operation: &'static str, what: &str, bytes: usize) -> Result<()> {
        check_bytes(operation, what, bytes, self.payload_bytes_max)
    }

    fn check_note(&self, what: &str, bytes: usize) -> Result<()> {
        check_bytes("apply", what, bytes, self.note_bytes_max)
    }
}

/// A job that expires before it may be claimed would never run, and a handler without time could do
/// nothing.
fn check_times(operation: &'static str, job: &NewJob) -> Result<()> {
    if job.terms.time_limit == Some(Span::ZERO) {
        return Err(Error::invalid(operation, "the time limit of a job must be longer than zero"));
    }
    if job.expires_in.is_some() && job.on_waiting != OnWaiting::Block {
        let message =
            "a job that may replace a waiting one cannot expire: its time is counted from the first of them";
        return Err(Error::invalid(operation, message));
    }
    let Some(expires_in) = job.expires_in.filter(|expires_in| *expires_in <= job.delay) else {
        return Ok(());
    };
    let (expires_in, delay) = (expires_in.as_duration(), job.delay.as_duration());
    let message = format!(
        "a job that expires {expires_in:?} after its enqueue and is due after {delay:?} can never run; \
         let it expire later than it is due"
    );
    Err(Error::invalid(operation, message))
}

fn check_bytes(operation: &'static str, what: &str, bytes: usize, most: usize) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let advice = "store large data elsewhere and enqueue a reference to it";
    Err(Error::invalid(
        operation,
        format!("a {what} has at most {most} bytes, this one has {bytes}; {advice}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ContentType, ErrorKind, Failure, JobId, JobMeta, Kind, LeaseToken, Payload, QueueName, Seq, State,
        Timestamp,
        lifecycle::{Cause, Event, Policy, decide},
    };

    const LIMITS: Limits = Limits {
        payload_bytes_max: 4,
        note_bytes_max: 2,
        batch_max: 2,
        call_bytes_max: 9,
        answer_bytes_max: 9,
    };
    const TOKEN: LeaseToken = LeaseToken::from_bytes([1; 16]);

    /// An event with a part of this many bytes.
    type OfSize = fn(usize) -> Event;

    fn bytes(len: usize) -> bytes::Bytes {
        vec![0; len].into()
    }

    fn payload(len: usize) -> Payload {
        Payload::new(bytes(len), ContentType::from_static("x/y"))
    }

    fn job(payload_len: usize) -> NewJob {
        NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload(payload_len))
    }

    fn transition(event: Event) -> Transition {
        let meta = JobMeta::begin(QueueName::from_static("q"), &job(0), Seq::new(1), Timestamp::default());
        let held = JobMeta { state: State::Processing, ..meta };
        decide(&held, event, &Policy::default()).expect("the job is held")
    }

    fn complete(result_len: usize, then: Vec<NewJob>) -> Event {
        Event::Complete { token: TOKEN, result: payload(result_len), retention: None, then }
    }

    fn fail(details_len: usize, cause: Cause) -> Event {
        let failure = Failure::new("Io", "").with_details(bytes(details_len));
        Event::Fail { token: TOKEN, failure, cause, delay: None, retention: None, then: Vec::new() }
    }

    fn extend(progress_len: usize) -> Event {
        Event::Extend { token: TOKEN, by: Span::from_secs(1), progress: Some(bytes(progress_len)) }
    }

    fn snooze(progress_len: usize, then: Vec<NewJob>) -> Event {
        let progress = Some(bytes(progress_len));
        Event::Snooze { token: TOKEN, delay: Span::from_secs(1), progress, then }
    }

    #[test]
    fn each_part_is_taken_at_its_limit_and_refused_one_byte_above() {
        let parts: [(usize, OfSize); 10] = [
            (4, |len| complete(len, Vec::new())),
            (4, |len| complete(0, vec![job(len)])),
            (2, |len| fail(len, Cause::Retryable)),
            (2, |len| fail(len, Cause::Terminal)),
            (2, extend),
            (2, |len| snooze(len, Vec::new())),
            (4, |len| snooze(0, vec![job(len)])),
            (2, |len| Event::Interrupt { token: TOKEN, progress: Some(bytes(len)), then: Vec::new() }),
            (4, |len| Event::Interrupt { token: TOKEN, progress: None, then: vec![job(len)] }),
            (4, |len| Event::Release { token: TOKEN, then: vec![job(len)] }),
        ];
        for (part, (most, event)) in parts.into_iter().enumerate() {
            assert!(LIMITS.check_transition(&transition(event(most))).is_ok(), "part {part}");
            let refused = LIMITS.check_transition(&transition(event(most + 1))).expect_err("it is too large");
            assert_eq!(refused.kind(), ErrorKind::Invalid, "part {part}");
        }
    }

    #[test]
    fn an_enqueue_counts_the_jobs_of_all_its_groups_and_looks_at_each() {
        assert!(LIMITS.check_enqueue(&[vec![job(4)], vec![job(4)]]).is_ok());
        assert!(LIMITS.check_enqueue(&[vec![job(4)], vec![job(4), job(4)]]).is_err());
        assert!(LIMITS.check_enqueue(&[vec![job(4)], vec![job(5)]]).is_err());
    }

    #[test]
    fn a_job_that_could_never_run_is_refused() {
        let (delay, later) = (Span::from_secs(5), Span::from_millis(5_001));
        let expiring = |at| job(0).with_delay(delay).with_expires_in(at);
        for operation in [
            |job| LIMITS.check_enqueue(&[vec![job]]),
            |job| LIMITS.check_transition(&transition(complete(0, vec![job]))),
        ] {
            assert!(operation(expiring(later)).is_ok());
            assert!(operation(job(0).with_expires_in(Span::from_millis(1))).is_ok());
            for at in [delay, Span::ZERO] {
                let refused = operation(expiring(at)).expect_err("it would never run");
                assert_eq!(refused.kind(), ErrorKind::Invalid);
                assert!(refused.to_string().contains("can never run"), "{refused}");
            }
            assert!(operation(job(0).with_time_limit(Span::from_millis(1))).is_ok());
            assert!(operation(job(0).with_time_limit(Span::ZERO)).is_err());
        }
    }

    #[test]
    fn a_call_counts_the_bytes_of_all_its_parts() {
        let limits = Limits { call_bytes_max: 5, ..LIMITS };
        assert!(limits.check_enqueue(&[vec![job(4)], vec![job(1)]]).is_ok());
        assert!(limits.check_enqueue(&[vec![job(4)], vec![job(2)]]).is_err());
        assert!(limits.check_apply(&[transition(complete(4, vec![job(1)]))]).is_ok());
        assert!(limits.check_apply(&[transition(complete(4, vec![job(2)]))]).is_err());
        assert!(limits.check_apply(&[transition(snooze(2, vec![job(3)]))]).is_ok());
        assert!(limits.check_apply(&[transition(snooze(2, vec![job(4)]))]).is_err());
    }

    #[test]
    fn no_job_follows_a_heartbeat() {
        let mut beat = transition(extend(0));
        assert!(LIMITS.check_transition(&beat).is_ok());
        beat.then = vec![job(0)];
        let refused = LIMITS.check_transition(&beat).expect_err("it may be sent twice");
        assert_eq!(refused.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn a_job_that_may_replace_a_waiting_one_cannot_expire() {
        let expiring = job(0).with_expires_in(Span::from_secs(1));
        assert!(LIMITS.check_enqueue(&[vec![expiring.clone()]]).is_ok());
        for max_wait in [None, Some(Span::ZERO), Some(Span::MAX)] {
            let replace = OnWaiting::Replace { max_wait };
            assert!(LIMITS.check_enqueue(&[vec![job(0).with_on_waiting(replace)]]).is_ok());
            let both = expiring.clone().with_on_waiting(replace);
            let refused = LIMITS.check_enqueue(&[vec![both]]).expect_err("its time is another's");
            assert_eq!(refused.kind(), ErrorKind::Invalid);
        }
    }

    #[test]
    fn a_batch_counts_what_follows_too() {
        let alone = || transition(complete(0, Vec::new()));
        let followed = || transition(complete(0, vec![job(0)]));
        assert!(LIMITS.check_apply(&[alone(), alone()]).is_ok());
        assert!(LIMITS.check_apply(&[followed()]).is_ok());
        assert!(LIMITS.check_apply(&[alone(), followed()]).is_err());
        assert!(LIMITS.check_apply(&[transition(snooze(0, vec![job(0)]))]).is_ok());
        assert!(LIMITS.check_apply(&[alone(), transition(snooze(0, vec![job(0)]))]).is_err());
    }
}
