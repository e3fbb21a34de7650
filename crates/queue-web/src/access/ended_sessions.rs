//! Sessions that ended by logging out, at any server of the store.
//!
//! A server writes each logout into a series of the store, and reads the logouts of other servers:
//! all of them in one read, at most once in [`FRESH_FOR`], and only while pages with sessions are
//! requested. While the store does not answer, a server knows what it read before and its own
//! logouts.

use bytes::Bytes;
use parking_lot::Mutex;
use queue_core::{Result, SeriesEntry, SeriesName, SeriesQuery, Storage, Timestamp, WorkerId};
use std::{collections::HashMap, ops::Range, time::Duration};
use tokio::{
    sync::Mutex as AsyncMutex,
    time::{Instant, timeout},
};

/// The series of the logouts, by the minute.
const SERIES: &str = "queue.logouts";
const MINUTE_MS: i64 = 60_000;
/// How old an answer of the store may be.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// The longest that a page waits for the store to tell logouts, or to take one.
const CALL_MAX: Duration = Duration::from_secs(1);
/// How many minutes are read again, since the clocks of servers differ.
const READ_AGAIN: i64 = 15;
/// The most pages of the series that one look reads.
const PAGES_MAX: usize = 16;
/// The most logouts that a server remembers. Further ones push out that which would have ended
/// first.
const KNOWN_MAX: usize = 10_000;

/// Sessions that have ended before their time, until they would have ended.
#[derive(Debug)]
pub(super) struct EndedSessions {
    lasts: Duration,
    known: Mutex<HashMap<String, Timestamp>>,
    /// Held while the store is asked, so that requests share the answer.
    last_look: AsyncMutex<Option<Look>>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    /// From which minute on the next one reads.
    from: i64,
}

impl EndedSessions {
    /// For sessions that last this long.
    pub(super) fn new(lasts: Duration) -> Self {
        Self { lasts, known: Mutex::default(), last_look: AsyncMutex::default() }
    }

    /// Whether a session was logged out, at any server, up to a second ago.
    pub(super) async fn has(&self, store: &dyn Storage, name: &str, now: Timestamp) -> bool {
        self.refresh(store, now).await;
        self.known.lock().contains_key(name)
    }

    /// Ends a session here at once, and at the other servers within a second or two.
    pub(super) async fn add(&self, store: &dyn Storage, name: &str, now: Timestamp) {
        self.note(name, now, now);
        if !store.capabilities().series {
            return;
        }
        let Ok(writer) = WorkerId::new(name) else { return };
        let series = SeriesName::from_static(SERIES);
        let entry = SeriesEntry { series, slot: minute(now), writer, bytes: Bytes::new() };
        let written = timeout(CALL_MAX, store.write_series(entry, self.lasts)).await;
        if !matches!(written, Ok(Ok(()))) {
            tracing::warn!("a logout could not be written; other servers do not know of it");
        }
    }

    async fn refresh(&self, store: &dyn Storage, now: Timestamp) {
        let mut last = self.last_look.lock().await;
        let at = Instant::now();
        let is_fresh = last.is_some_and(|last| at.saturating_duration_since(last.at) < FRESH_FOR);
        if is_fresh || !store.capabilities().series {
            return;
        }
        let all = minute(now) - i64::try_from(self.lasts.as_secs() / 60).unwrap_or(i64::MAX) - READ_AGAIN;
        let from = last.map_or(all, |last| last.from.max(all));
        let read = timeout(CALL_MAX, logouts(store, from..minute(now) + READ_AGAIN)).await;
        // What fails is asked for again after the same while.
        let from = if let Ok(Ok(names)) = read {
            for (name, slot) in &names {
                self.note(name, Timestamp::from_millis(slot.saturating_mul(MINUTE_MS)), now);
            }
            minute(now) - READ_AGAIN
        } else {
            from
        };
        *last = Some(Look { at, from });
    }

    fn note(&self, name: &str, ended_at: Timestamp, now: Timestamp) {
        // It would have ended no later than one that began at the end of that minute.
        let lasts = self.lasts + Duration::from_millis(MINUTE_MS.unsigned_abs());
        let until = ended_at + queue_core::Span::at_most(lasts);
        let mut known = self.known.lock();
        if known.len() >= KNOWN_MAX {
            known.retain(|_, until| *until > now);
        }
        if known.len() >= KNOWN_MAX && !known.contains_key(name) {
            let first = known.iter().min_by_key(|(_, until)| **until).map(|(name, _)| name.clone());
            first.and_then(|name| known.remove(&name));
        }
        known.insert(name.to_owned(), until);
    }
}

/// The names of the sessions that ended in these minutes, and when.
async fn logouts(store: &dyn Storage, minutes: Range<i64>) -> Result<Vec<(String, i64)>> {
    let series = SeriesName::from_static(SERIES);
    let mut next = Some(SeriesQuery::new(series, minutes, SeriesQuery::LIMIT_MAX));
    let mut found = Vec::new();
    for _ in 0..PAGES_MAX {
        let Some(query) = next else { break };
        let page = store.read_series(query).await?.value;
        found.extend(page.entries.iter().map(|entry| (entry.writer.as_str().to_owned(), entry.slot)));
        next = page.next;
    }
    Ok(found)
}

fn minute(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(MINUTE_MS)
}
