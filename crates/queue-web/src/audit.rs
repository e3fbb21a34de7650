//! The record of actions: who did what, to what, with which outcome.
//!
//! A record is an entry of a series of the store, so it is copied with the jobs and expires by
//! itself. It is written before its action begins, and again with the outcome under the same key.
//! An action whose outcome could not be written is therefore recorded too.

use crate::{problem::Result, visit::Visit};
use bytes::Bytes;
use queue_core::{Detail, QueueName, SeriesEntry, SeriesName, SeriesQuery, Storage, Timestamp, WorkerId};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// The series of the records.
const SERIES: &str = "queue.audit";
/// How long records are kept, as operations are.
const KEPT: Duration = Duration::from_hours(90 * 24);
/// The length of a slot of the series.
const HOUR_MS: i64 = 3_600_000;
/// How many hours a page looks back at once, and how often, until it has enough records.
const HOURS_A_LOOK: i64 = 24;
const LOOKS_MAX: i64 = 7;
/// The most records that a page shows.
const SHOWN_MAX: usize = 200;
/// The longest text of a record.
const TEXT_CHARS_MAX: usize = 400;

/// An action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AuditRecord {
    pub(crate) at_ms: i64,
    /// The note of the token and its id, or what the application calls its user.
    pub(crate) who: String,
    /// What was done, in a word or two.
    pub(crate) action: String,
    #[serde(default)]
    pub(crate) queue: String,
    /// To what.
    pub(crate) subject: String,
    /// The outcome; absent while it is unknown.
    #[serde(default)]
    pub(crate) outcome: Option<String>,
}

/// An action that has begun.
pub(crate) struct AuditEntry {
    record: AuditRecord,
    key: (i64, WorkerId),
}

/// Records, the newest first.
#[derive(Debug)]
pub(crate) struct AuditPage {
    pub(crate) records: Vec<AuditRecord>,
    /// How many days were looked at.
    pub(crate) days: i64,
    pub(crate) is_cut: bool,
    pub(crate) now: Timestamp,
}

impl Visit {
    /// Writes that an action begins; without that it does not.
    pub(crate) async fn begin(
        &self,
        action: &str,
        queue: &str,
        subject: impl fmt::Display,
    ) -> Result<AuditEntry> {
        let now = store_time(&**self.storage()).await?;
        let record = AuditRecord {
            at_ms: now.as_millis(),
            who: cut(&self.who()),
            action: action.to_owned(),
            queue: queue.to_owned(),
            subject: cut(&subject.to_string()),
            outcome: None,
        };
        let name = format!("{:020}-{:016x}", now.as_millis().max(0), self.app.rng.next_u64());
        let key = (now.as_millis().div_euclid(HOUR_MS), WorkerId::new(name)?);
        let entry = AuditEntry { record, key };
        tracing::info!(
            who = &*self.who(),
            action,
            queue,
            subject = entry.record.subject,
            "an action of the dashboard"
        );
        write(&**self.storage(), &entry).await?;
        Ok(entry)
    }

    /// Adds the outcome, and makes pages read the store again. If the outcome cannot be written,
    /// the record stays without one, and the action is not undone.
    pub(crate) async fn end(&self, mut entry: AuditEntry, outcome: impl fmt::Display) {
        // The next page of the acting visitor must show the outcome, not a snapshot from before.
        self.app.snapshots.forget();
        entry.record.outcome = Some(cut(&outcome.to_string()));
        if let Err(problem) = write(&**self.storage(), &entry).await {
            tracing::warn!(why = %problem.words, "the outcome of an action could not be recorded");
        }
    }

    /// The newest records.
    pub(crate) async fn audit(&self) -> Result<Option<AuditPage>> {
        let storage = self.storage();
        if !storage.capabilities().series {
            return Ok(None);
        }
        let now = store_time(&**storage).await?;
        let mut page = AuditPage { records: Vec::new(), days: 0, is_cut: false, now };
        let mut end = now.as_millis().div_euclid(HOUR_MS) + 1;
        while page.days < LOOKS_MAX && page.records.len() < SHOWN_MAX {
            let (found, is_cut) = look(&**storage, end - HOURS_A_LOOK..end).await?;
            // The bound is on what the visitor sees: the actions of others take no place of it.
            page.records.extend(found.into_iter().rev().filter(|record| may_see(self, record)));
            page.is_cut |= is_cut;
            page.days += 1;
            end -= HOURS_A_LOOK;
        }
        page.records.truncate(SHOWN_MAX);
        Ok(Some(page))
    }
}

fn may_see(visit: &Visit, record: &AuditRecord) -> bool {
    visit.sees_all() || QueueName::new(&record.queue).is_ok_and(|queue| visit.sees(&queue))
}

/// A day of records, the oldest first, and whether there are more than are read.
async fn look(storage: &dyn Storage, hours: std::ops::Range<i64>) -> Result<(Vec<AuditRecord>, bool)> {
    const PAGES_MAX: usize = 4;
    let mut next = Some(SeriesQuery::new(SeriesName::from_static(SERIES), hours, SeriesQuery::LIMIT_MAX));
    let mut found = Vec::new();
    for _ in 0..PAGES_MAX {
        let Some(query) = next else { break };
        let page = storage.read_series(query).await?.value;
        found.extend(page.entries.iter().filter_map(|entry| serde_json::from_slice(&entry.bytes).ok()));
        next = page.next;
    }
    Ok((found, next.is_some()))
}

async fn write(storage: &dyn Storage, entry: &AuditEntry) -> Result<()> {
    let bytes = serde_json::to_vec(&entry.record).expect("text and numbers are JSON");
    let (slot, writer) = entry.key.clone();
    let series = SeriesName::from_static(SERIES);
    Ok(storage.write_series(SeriesEntry { series, slot, writer, bytes: Bytes::from(bytes) }, KEPT).await?)
}

async fn store_time(storage: &dyn Storage) -> Result<Timestamp> {
    let anywhere = QueueName::from_static(queue::operations::OPERATIONS_QUEUE);
    Ok(storage.get(&anywhere, &[], Detail::Meta).await?.now)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
