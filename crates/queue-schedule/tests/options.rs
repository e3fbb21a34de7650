//! Each option of a job is that of a schedule's jobs too, or is refused by name.

use queue_core::{
    Budget, ContentType, EndSignal, Headers, JobId, JobTerms, Kind, NewGate, NewJob, NewerTerms, OnFailed,
    OnWaiting, Partition, Payload, Retention, RetentionPolicy, Span, Tag, Tags, Timestamp,
};
use queue_schedule::{ScheduleError, ScheduleSpec, Template, Timing};
use std::time::Duration;

fn plain() -> NewJob {
    let payload = Payload::new("{}", ContentType::from_static("application/json"));
    NewJob::new(JobId::from_static("tick"), Kind::from_static("report"), payload)
}

/// A job in which no part has its default.
fn unusual() -> NewJob {
    NewJob {
        id: JobId::from_static("another"),
        kind: Kind::from_static("other"),
        payload: Payload::new(vec![0xFF, 0], ContentType::from_static("application/octet-stream")),
        headers: Headers::new([("tenant", "7")]).expect("a header"),
        tags: Tags::new([Tag::new("a").expect("a tag")]).expect("tags"),
        priority: -3,
        delay: Span::from_millis(4),
        expires_in: Some(Span::from_millis(50)),
        terms: JobTerms {
            max_attempts: Budget::Unlimited,
            max_stalls: Budget::from_raw(9),
            time_limit: Some(Span::from_millis(6)),
            on_failure: Some(Kind::from_static("mend")),
            retention: RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove },
            newer: NewerTerms::NONE,
        }
        .into(),
        on_failed: OnFailed::Replace,
        on_waiting: OnWaiting::Replace { max_wait: None },
        awaited: true,
        gate: Some(NewGate { needs: 1, is_sealed: true, timeout: None }),
        end_signals: vec![EndSignal::to(JobId::from_static("b"))],
        partition: Some(Partition::from_static("acme")),
    }
}

/// Jobs that differ from a plain one in one part alone. A part that the list lacks is an unused
/// variable, which is an error.
#[deny(unused_variables)]
fn of_one_part_each() -> Vec<(&'static str, NewJob)> {
    let NewJob {
        id: _,
        kind,
        payload,
        headers,
        tags,
        priority,
        delay,
        expires_in,
        terms,
        on_failed,
        on_waiting,
        awaited,
        gate,
        end_signals,
        partition,
    } = unusual();
    let JobTerms { max_attempts, max_stalls, time_limit, on_failure, retention, newer: _ } =
        JobTerms::clone(&terms);
    let of_terms = |terms: JobTerms| NewJob { terms: terms.into(), ..plain() };
    let terms = JobTerms::default;
    vec![
        ("kind", NewJob { kind, ..plain() }),
        ("payload", NewJob { payload, ..plain() }),
        ("headers", NewJob { headers, ..plain() }),
        ("tags", NewJob { tags, ..plain() }),
        ("priority", NewJob { priority, ..plain() }),
        ("delay", NewJob { delay, ..plain() }),
        ("expires_in", NewJob { expires_in, ..plain() }),
        ("time_limit", of_terms(JobTerms { time_limit, ..terms() })),
        ("max_attempts", of_terms(JobTerms { max_attempts, ..terms() })),
        ("max_stalls", of_terms(JobTerms { max_stalls, ..terms() })),
        ("retention", of_terms(JobTerms { retention, ..terms() })),
        ("on_failed", NewJob { on_failed, ..plain() }),
        ("on_waiting", NewJob { on_waiting, ..plain() }),
        ("on_failure", of_terms(JobTerms { on_failure, ..terms() })),
        ("awaited", NewJob { awaited, ..plain() }),
        ("gate", NewJob { gate, ..plain() }),
        ("end_signals", NewJob { end_signals, ..plain() }),
        ("partition", NewJob { partition, ..plain() }),
    ]
}

fn spec(job: Template) -> ScheduleSpec {
    let timing = Timing::every(Duration::from_secs(60)).expect("a period");
    ScheduleSpec::new("nightly", timing, job, Timestamp::default())
}

#[test]
fn each_option_is_in_the_stored_form_and_makes_another_schedule_or_is_refused() {
    let plain = spec(Template::of(&plain()).expect("a template"));
    let mut refused = Vec::new();
    for (part, job) in of_one_part_each() {
        let given = match Template::of(&job) {
            Ok(template) => spec(template),
            Err(ScheduleError::Option { option, .. }) => {
                assert_eq!(option, part);
                refused.push(option);
                continue;
            }
            Err(other) => panic!("{part}: {other}"),
        };
        let read = ScheduleSpec::from_bytes(&given.to_bytes()).expect("a schedule");
        assert_eq!(read.job.job(job.id.clone(), Timestamp::default(), Span::ZERO), job, "{part}");
        assert!(!given.says_the_same(&plain), "{part}");
    }
    assert_eq!(refused, ["on_failed", "on_waiting", "awaited", "gate", "end_signals"]);
}

#[test]
fn an_option_that_this_version_does_not_know_is_an_error_and_not_ignored() {
    let given = spec(Template::of(&plain()).expect("a template"));
    let text = String::from_utf8(given.to_bytes()).expect("text");
    let grown = text.replace(r#""kind":"report""#, r#""kind":"report","shard":"a""#);
    assert_ne!(grown, text);
    let refused = ScheduleSpec::from_bytes(grown.as_bytes()).expect_err("it would be lost");
    assert!(matches!(refused, ScheduleError::UnreadableHere { .. }), "{refused:?}");
    assert!(refused.to_string().contains("`shard`"), "{refused}");
}
