//! The options of a job that is not there yet, as labels and values: what a schedule's jobs have.

use super::{JobFact, terms::term_facts};
use crate::words::age;
use queue_core::{Budget, NewJob, Span};

/// The options of a job that are not at their default, without its id, kind and payload, which
/// faces show elsewhere; its headers only for those who may see the payload.
pub fn option_facts(job: &NewJob, with_headers: bool) -> Vec<JobFact> {
    let NewJob {
        id: _,
        kind: _,
        payload: _,
        headers,
        tags,
        priority,
        delay,
        expires_in,
        terms,
        on_failed: _,
        on_waiting: _,
        awaited: _,
        gate: _,
        end_signals: _,
        partition,
    } = job;
    let span = |label, span: &Span| JobFact::plain(label, age(span.as_duration()));
    let mut facts: Vec<JobFact> =
        tags.iter().map(|tag| JobFact::shared("tag", tag.as_str(), "tag")).collect();
    let headers = headers.iter().filter(|_| with_headers);
    facts.extend(headers.map(|(name, value)| JobFact::plain("header", format!("{name}={value}"))));
    facts.extend(
        partition.iter().map(|partition| JobFact::shared("partition", partition.as_str(), "partition")),
    );
    if *priority != 0 {
        facts.push(JobFact::plain("priority", priority.to_string()));
    }
    facts.extend((*delay != Span::ZERO).then(|| span("delay", delay)));
    facts.extend(expires_in.as_ref().map(|expiry| span("expires in", expiry)));
    facts.extend((terms.max_attempts != Budget::ATTEMPTS).then(|| budget("attempts", terms.max_attempts)));
    facts.extend((terms.max_stalls != Budget::STALLS).then(|| budget("stalls", terms.max_stalls)));
    facts.extend(term_facts(terms));
    facts
}

fn budget(label: &'static str, budget: Budget) -> JobFact {
    match budget {
        Budget::Limited(limit) => JobFact::plain(label, format!("at most {limit}")),
        Budget::Unlimited => JobFact::plain(label, "without a limit"),
    }
}

#[cfg(test)]
mod tests {
    use super::option_facts;
    use queue_core::{
        Budget, ContentType, Headers, JobId, JobTerms, Kind, NewJob, NewerTerms, OnFailed, OnWaiting,
        Payload, Retention, RetentionPolicy, Span, Tag, Tags,
    };

    #[test]
    fn each_option_that_a_schedule_keeps_is_shown_and_none_at_its_default() {
        let payload = Payload::new("{}", ContentType::from_static("application/json"));
        let plain = NewJob::new(JobId::from_static("a"), Kind::from_static("report"), payload);
        assert_eq!(option_facts(&plain, true), []);
        let rich = NewJob {
            headers: Headers::new([("tenant", "7")]).expect("a header"),
            tags: Tags::new([Tag::new("night").expect("a tag")]).expect("tags"),
            priority: -3,
            delay: Span::from_secs(4),
            expires_in: Some(Span::from_secs(50)),
            terms: JobTerms {
                max_attempts: Budget::from_raw(2),
                max_stalls: Budget::Unlimited,
                time_limit: Some(Span::from_secs(6)),
                on_failure: Some(Kind::from_static("mend")),
                retention: RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove },
                newer: NewerTerms::NONE,
            }
            .into(),
            on_failed: OnFailed::Block,
            on_waiting: OnWaiting::Block,
            awaited: false,
            ..plain
        };
        let labels = |with_headers| {
            option_facts(&rich, with_headers).into_iter().map(|fact| fact.label).collect::<Vec<_>>()
        };
        let all = [
            "tag",
            "header",
            "priority",
            "delay",
            "expires in",
            "attempts",
            "stalls",
            "time limit",
            "kept completed",
            "kept failed",
            "if it fails",
        ];
        assert_eq!(labels(true), all);
        assert!(!labels(false).contains(&"header"));
    }
}
