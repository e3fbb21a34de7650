//! What was changed by hand: operations on many jobs, and the record of every action.

use crate::{
    answer::{self, Answer},
    audit::{AuditPage, AuditRecord},
    problem::Result,
    visit::{Frame, Visit},
    words::{StateWord, state_word},
};
use askama::Template;
use queue::{
    UnreadableJob,
    operations::{OperationStatus, Operations},
};
use queue_core::{Cursor, Timestamp};
use queue_view::{
    JobFilter,
    words::{Moment, moment, number},
};

/// The operations of one page.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "operations.html")]
struct OperationsPage {
    frame: Frame,
    rows: Vec<OperationRow>,
    unreadable: Vec<UnreadableRow>,
    older: Option<String>,
    audit: Vec<AuditRow>,
    is_recorded: bool,
    days: i64,
    is_cut: bool,
    /// Operations wait, and no worker is there to run them.
    lacks_worker: bool,
}

struct OperationRow {
    id: String,
    state: StateWord,
    what: String,
    queue: String,
    queue_href: String,
    begun: Moment,
    done: String,
    gone: String,
    skipped: String,
    failed: String,
    in_flight: u64,
    is_over: bool,
    is_cut: bool,
    error: Option<String>,
}

/// An operation that this server cannot read, and another program may.
struct UnreadableRow {
    id: String,
    error: String,
}

struct AuditRow {
    at: Moment,
    who: String,
    action: String,
    queue: String,
    subject: String,
    outcome: String,
}

/// `GET /operations`
pub(crate) async fn operations(visit: Visit) -> Result<Answer> {
    let after = visit.query.get("after").map(|after| Cursor(after.to_owned()));
    let page = Operations::of(visit.storage().clone()).page_of(&visit.seen_queues(), after, SHOWN).await?;
    let (found, next) = (page.operations, page.next);
    let audit = visit.audit().await?;
    let now = match &audit {
        Some(AuditPage { now, .. }) => *now,
        None => found.iter().map(|status| status.meta().entered_at()).max().unwrap_or_default(),
    };
    let waits = found.iter().any(|status| !status.is_over());
    answer::page(&OperationsPage {
        lacks_worker: waits && visit.lacks_operation_worker().await?,
        rows: found.iter().map(|status| row(&visit, status, now)).collect(),
        unreadable: page.unreadable.iter().map(unreadable_row).collect(),
        older: next.map(|Cursor(next)| visit.link("operations", &[("after", &next)])),
        is_recorded: audit.is_some(),
        days: audit.as_ref().map_or(0, |audit| audit.days),
        is_cut: audit.as_ref().is_some_and(|audit| audit.is_cut),
        audit: audit
            .map(|audit| audit.records)
            .unwrap_or_default()
            .into_iter()
            .map(|record| audit_row(record, now))
            .collect(),
        frame: visit.live_frame("Operations", None),
    })
}

fn row(visit: &Visit, status: &OperationStatus, now: Timestamp) -> OperationRow {
    let spec = status.spec();
    let counts = status.counts();
    OperationRow {
        id: status.id().to_string(),
        state: state_word(status.meta(), now),
        what: format!("{} {}", spec.action, described(&spec.filter)),
        queue: spec.queue.to_string(),
        queue_href: visit.link("queue", &[("queue", spec.queue.as_str())]),
        begun: moment(spec.begun(), now),
        done: number(counts.done),
        gone: number(counts.gone),
        skipped: number(counts.skipped),
        failed: number(counts.failed),
        in_flight: status.in_flight(),
        is_over: status.is_over(),
        is_cut: status.is_cut(),
        error: status.error().map(str::to_owned),
    }
}

fn unreadable_row(unreadable: &UnreadableJob) -> UnreadableRow {
    UnreadableRow { id: unreadable.name().to_owned(), error: unreadable.error().message().to_owned() }
}

/// A filter in words.
fn described(filter: &JobFilter) -> String {
    let standings: Vec<&str> = filter.states.iter().map(|standing| standing.as_str()).collect();
    let mut words = format!("{} jobs", standings.join(", "));
    let parts = [
        ("of kind", filter.kind.as_ref().map(ToString::to_string)),
        ("with tag", filter.tag.as_ref().map(ToString::to_string)),
        ("of partition", filter.partition.as_ref().map(ToString::to_string)),
        ("held by", filter.worker.as_ref().map(ToString::to_string)),
        ("whose id begins with", filter.id_prefix.clone()),
    ];
    for (name, value) in parts.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        words = format!("{words} {name} {value}");
    }
    if let Some(since) = filter.since {
        words = format!("{words} since {}", moment(since, since).absolute);
    }
    words
}

fn audit_row(record: AuditRecord, now: Timestamp) -> AuditRow {
    AuditRow {
        at: moment(Timestamp::from_millis(record.at_ms), now),
        who: record.who,
        action: record.action,
        queue: record.queue,
        subject: record.subject,
        outcome: record.outcome.unwrap_or_else(|| "begun; nobody knows how it ended".to_owned()),
    }
}
