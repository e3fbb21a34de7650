//! The terms of a job, as JSON and as labels and values.

use super::{BudgetView, JobFact, KeepView};
use crate::words::age;
use queue_core::{JobTerms, Retention, Span};
use serde::Serialize;

/// The terms of a job, in the words in which an enqueue takes them. Every face shows these.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = JobTerms))]
pub struct TermsView {
    /// How long the handler may run.
    time_limit_ms: Option<i64>,
    /// Failures at which it is Failed.
    max_attempts: BudgetView,
    /// Lapsed leases at which it is Failed.
    max_stalls: BudgetView,
    /// How long the record is kept once Completed.
    keep_completed: KeepView,
    /// How long the record is kept once Failed or Cancelled.
    keep_failed: KeepView,
    /// The kind of the job that follows if this one fails for good.
    on_failure: Option<String>,
}

impl TermsView {
    /// These terms.
    pub fn of(terms: &JobTerms) -> Self {
        let JobTerms { max_attempts, max_stalls, time_limit, on_failure, retention, newer: _ } = terms;
        Self {
            time_limit_ms: time_limit.map(Span::as_millis),
            max_attempts: (*max_attempts).into(),
            max_stalls: (*max_stalls).into(),
            keep_completed: retention.completed.into(),
            keep_failed: retention.failed.into(),
            on_failure: on_failure.as_ref().map(ToString::to_string),
        }
    }
}

/// The terms that are not at their default, for people. How often a job may fail or stall stands
/// where its attempts are.
pub(super) fn term_facts(terms: &JobTerms) -> Vec<JobFact> {
    let JobTerms { max_attempts: _, max_stalls: _, time_limit, on_failure, retention, newer: _ } = terms;
    let default = JobTerms::default().retention;
    let kept =
        |label, kept: Retention, default| (kept != default).then(|| JobFact::plain(label, keep_words(kept)));
    let limit = time_limit.map(|limit| JobFact::plain("time limit", age(limit.as_duration())));
    let follows = |kind| JobFact::plain("if it fails", format!("a job of kind {kind} follows"));
    [
        limit,
        kept("kept completed", retention.completed, default.completed),
        kept("kept failed", retention.failed, default.failed),
        on_failure.as_ref().map(follows),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn keep_words(kept: Retention) -> String {
    match kept {
        Retention::Remove => "not at all".to_owned(),
        Retention::Keep(span) => age(span.as_duration()),
        Retention::Forever => "forever".to_owned(),
    }
}
