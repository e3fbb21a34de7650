//! The events of a worker as lines that people read.

use super::{HookStage, JobEnd, WorkerEvent};
use queue_core::{JobMeta, QueueName};
use queue_view::words::escaped;
use std::fmt;

/// One line of plain words without its time, such as `completed "a" of "mail" at attempt 1 in
/// 12ms`. Names and messages of others are escaped, so that none of them begins a second line or
/// acts on a terminal. The words may change between versions: a program reads the fields instead.
impl fmt::Display for WorkerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&words(self)))
    }
}

fn words(event: &WorkerEvent) -> String {
    match event {
        WorkerEvent::Started(job) => format!("started {}", job_of(job)),
        WorkerEvent::Completed(end) => format!("completed {}", end_of(end)),
        WorkerEvent::Failing(end) => format!("failed for now, another attempt follows: {}", end_of(end)),
        WorkerEvent::Failed(end) => format!("failed for good: {}", end_of(end)),
        WorkerEvent::Released(end) => format!("given back uncharged: {}", end_of(end)),
        WorkerEvent::Cancelled(end) => format!("cancelled {}", end_of(end)),
        WorkerEvent::Stalled(job) => {
            format!("the lease of {} lapsed at another worker; it is now {}", job_of(job), job.state.as_str())
        }
        WorkerEvent::LeaseLost { queue, id, .. } => {
            format!("what was done for {} no longer counts: its lease is lost", job_in(queue, id))
        }
        WorkerEvent::Abandoned { queue, id, still_runs: Some(lease), .. } => format!(
            "the blocking handler of {} still runs and cannot be stopped; its lease ends in {lease:.1?}, then \
             the job runs again",
            job_in(queue, id)
        ),
        WorkerEvent::Abandoned { queue, id, .. } => {
            format!("the outcome of {} could not be stored; the job runs again", job_in(queue, id))
        }
        WorkerEvent::Replayed { queue, id, .. } => {
            format!("the outcome of {} was sent again, and is stored", job_in(queue, id))
        }
        WorkerEvent::TicksSkipped { schedule, ticks } => {
            format!("{} left out at least {ticks} of its ticks", job_of(schedule))
        }
        WorkerEvent::ScheduleAhead { schedule, ahead } => format!("{}: {ahead}", job_of(schedule)),
        WorkerEvent::Unreadable { job, reason } => {
            format!("{} is left to other programs, since this one cannot read it: {reason}", job_of(job))
        }
        WorkerEvent::FollowerOrphaned { queue, id, follower, raises, batch } => {
            let of = batch.as_ref().map_or_else(String::new, |batch| format!(", the batch {batch:?}"));
            let after = job_in(queue, id);
            format!("{follower:?} was not enqueued after {after}: {raises:?}{of} takes no more")
        }
        WorkerEvent::HookFailed { job, hook, stage, failure } => {
            let stage = match stage {
                HookStage::Before => "before",
                HookStage::After => "after",
            };
            format!("the hook {hook:?} failed {stage} {}: {failure}", job_of(job))
        }
        WorkerEvent::RuntimeBlocked { blocked_for } => format!(
            "no task of this worker ran for {blocked_for:.1?}, longer than its leases last: does a handler block \
             its thread? `Router::handle_blocking` runs it on another one"
        ),
        WorkerEvent::Draining => "this worker was asked to drain, and stops".to_owned(),
        WorkerEvent::Paused => "this worker was paused".to_owned(),
        WorkerEvent::Resumed => "this worker was resumed".to_owned(),
        WorkerEvent::Error(error) => format!("the store refused a call: {error}"),
        WorkerEvent::Lagged(lost) => format!("{lost} events were lost to this reader"),
    }
}

fn job_in(queue: &QueueName, id: &queue_core::JobId) -> String {
    format!("{id:?} of {queue:?}")
}

fn job_of(job: &JobMeta) -> String {
    job_in(&job.queue, &job.id)
}

/// The job, its attempt, how long the handler ran, and the error.
fn end_of(end: &JobEnd) -> String {
    let ran = end.ran_for.map_or_else(String::new, |ran_for| format!(" in {ran_for:.1?}"));
    let error = end.error.as_ref().map_or_else(String::new, |error| format!(": {error}"));
    format!("{} at attempt {}{ran}{error}", job_of(&end.meta), end.attempt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{
        ContentType, Error, Failure, JobId, Kind, NewJob, Payload, Seq, Span, State, Timestamp,
    };
    use queue_schedule::Ahead;
    use std::time::Duration;

    fn job() -> JobMeta {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let new = NewJob::new(JobId::from_static("a"), Kind::from_static("k"), payload);
        JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), Timestamp::default())
    }

    fn end(ran_ms: Option<u64>, error: Option<&str>) -> JobEnd {
        let error = error.map(|message| Failure::new("Smtp", message));
        JobEnd::new(job(), 2, ran_ms.map(Duration::from_millis), error)
    }

    fn of_the_job() -> (QueueName, JobId, Seq) {
        (QueueName::from_static("q"), JobId::from_static("a"), Seq::new(1))
    }

    fn of_jobs() -> Vec<(WorkerEvent, &'static str)> {
        use WorkerEvent as E;
        let (queue, id, seq) = of_the_job();
        let id_of = || (queue.clone(), id.clone());
        vec![
            (E::Started(job()), r#"started "a" of "q""#),
            (E::Completed(end(Some(12), None)), r#"completed "a" of "q" at attempt 2 in 12.0ms"#),
            (
                E::Failing(end(Some(1_500), Some("away"))),
                r#"failed for now, another attempt follows: "a" of "q" at attempt 2 in 1.5s: Smtp: away"#,
            ),
            (
                E::Failed(end(None, Some("one\ntwo"))),
                r#"failed for good: "a" of "q" at attempt 2: Smtp: one\ntwo"#,
            ),
            (E::Released(end(None, None)), r#"given back uncharged: "a" of "q" at attempt 2"#),
            (E::Cancelled(end(None, None)), r#"cancelled "a" of "q" at attempt 2"#),
            (
                E::Stalled(JobMeta { state: State::Failing, ..job() }),
                r#"the lease of "a" of "q" lapsed at another worker; it is now failing"#,
            ),
            (
                {
                    let (queue, id) = id_of();
                    E::LeaseLost { queue, id, seq }
                },
                r#"what was done for "a" of "q" no longer counts: its lease is lost"#,
            ),
            (
                {
                    let (queue, id) = id_of();
                    E::Abandoned { queue, id, seq, still_runs: None }
                },
                r#"the outcome of "a" of "q" could not be stored; the job runs again"#,
            ),
            (
                {
                    let (queue, id) = id_of();
                    E::Abandoned { queue, id, seq, still_runs: Some(Duration::from_millis(20_500)) }
                },
                "the blocking handler of \"a\" of \"q\" still runs and cannot be stopped; its lease ends in \
                 20.5s, then the job runs again",
            ),
            (
                {
                    let (queue, id) = id_of();
                    E::Replayed { queue, id, seq }
                },
                r#"the outcome of "a" of "q" was sent again, and is stored"#,
            ),
        ]
    }

    fn of_others() -> Vec<(WorkerEvent, &'static str)> {
        use WorkerEvent as E;
        let (queue, id, _) = of_the_job();
        let (follower, raises) = (JobId::from_static("b"), JobId::from_static("queue.batch:c"));
        let ahead = Ahead { by: Span::from_secs(60), is_set_back: true };
        let (hook, failure) = ("audit".to_owned(), Failure::new("Panic", "no"));
        vec![
            (E::TicksSkipped { schedule: job(), ticks: 3 }, r#""a" of "q" left out at least 3 of its ticks"#),
            (
                E::ScheduleAhead { schedule: job(), ahead },
                r#""a" of "q": a schedule was 60s ahead of the store's clock, and is set back to it"#,
            ),
            (
                E::Unreadable { job: job(), reason: "newer".to_owned() },
                r#""a" of "q" is left to other programs, since this one cannot read it: newer"#,
            ),
            (
                E::FollowerOrphaned { queue, id, follower, raises, batch: Some("c".to_owned()) },
                r#""b" was not enqueued after "a" of "q": "queue.batch:c", the batch "c" takes no more"#,
            ),
            (
                E::HookFailed { job: job(), hook, stage: HookStage::After, failure },
                r#"the hook "audit" failed after "a" of "q": Panic: no"#,
            ),
            (
                E::RuntimeBlocked { blocked_for: Duration::from_secs(41) },
                "no task of this worker ran for 41.0s, longer than its leases last: does a handler block its \
                 thread? `Router::handle_blocking` runs it on another one",
            ),
            (E::Draining, "this worker was asked to drain, and stops"),
            (E::Paused, "this worker was paused"),
            (E::Resumed, "this worker was resumed"),
            (E::Error(Error::invalid("claim", "no")), "the store refused a call: claim: no"),
            (E::Lagged(7), "7 events were lost to this reader"),
        ]
    }

    #[test]
    fn every_event_is_one_plain_line() {
        for (event, line) in of_jobs().into_iter().chain(of_others()) {
            assert_eq!(event.to_string(), line);
        }
    }
}
