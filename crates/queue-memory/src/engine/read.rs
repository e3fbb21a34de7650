use super::{Engine, queue_state::QueueState};
use queue_core::{
    Counts, Cursor, Detail, JobId, JobMeta, JobRecord, ListFilter, ListQuery, Moment, Page, PageEnd,
    QueueName, QueueStatus, QueuesPage, QueuesQuery, Result, Seq, State, Timestamp,
};
use std::ops::Bound;

/// A page looks at most at this many records.
const SCAN_MAX: usize = 10_000;
/// Whose cursors they are.
const CURSORS: &str = "memory";

impl Engine {
    /// Reads jobs, in the order of the ids.
    pub fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
        now: Timestamp,
    ) -> Vec<Option<JobRecord>> {
        let state = self.queues.get(queue);
        let find = |id| state.and_then(|state| state.by_id(id)).filter(|entry| !entry.is_purged(now));
        ids.iter().map(|id| find(id).map(|entry| entry.record(what))).collect()
    }

    /// Counts jobs by state.
    pub fn counts(&mut self, queue: &QueueName, moment: Moment) -> Counts {
        let (now, mut counts) = (moment.now, Counts::empty(moment));
        if let Some(state) = self.queues.get_mut(queue) {
            state.indexes.promote(now);
            for each in State::ALL {
                counts.set(each, state.indexes.count(each));
            }
            counts.scheduled = state.indexes.scheduled.len() as u64;
            counts.oldest_due = state.indexes.ready.oldest();
        }
        counts
    }

    /// One page of the queues.
    pub fn queues(&mut self, query: &QueuesQuery, moment: Moment) -> QueuesPage {
        let names: Vec<QueueName> =
            self.queues.names_from(query.start()).take(query.limit()).cloned().collect();
        let status = |name: QueueName| {
            let (paused, counts) = (self.is_paused(&name), self.counts(&name, moment));
            QueueStatus { name, paused, counts }
        };
        query.page(names.into_iter().map(status).collect())
    }

    /// One page of a listing.
    ///
    /// # Errors
    /// `Invalid` if the cursor is not one of this store.
    pub fn list(&self, query: &ListQuery, moment: Moment) -> Result<Page> {
        let Moment { now, clock } = moment;
        let after = PageEnd::parse(query.after.as_ref(), CURSORS)?;
        let (jobs, next) = match self.queues.get(&query.queue) {
            None => (Vec::new(), None),
            Some(state) if query.filter == ListFilter::Lapsed => lapsed(state, query.limit, after, now),
            Some(state) => matching(state, query, after, now),
        };
        Ok(Page { jobs, next, now, clock })
    }
}

fn lapsed(
    state: &QueueState,
    limit: usize,
    after: PageEnd,
    now: Timestamp,
) -> (Vec<JobMeta>, Option<Cursor>) {
    let end = (now, Seq::new(u64::MAX));
    let after = (after.expires_at, Seq::new(after.seq));
    let keys = state.indexes.leases.range((Bound::Excluded(after), Bound::Unbounded));
    let mut keys = keys.take_while(|key| **key <= end);
    let page: Vec<_> = keys.by_ref().take(limit).copied().collect();
    let next = page
        .last()
        .filter(|_| keys.next().is_some())
        .map(|&(expires_at, seq)| PageEnd { expires_at, seq: seq.get() }.cursor(CURSORS));
    let meta = |(_, seq): &(Timestamp, Seq)| state.entries.get(seq).map(|entry| entry.meta());
    (page.iter().filter_map(meta).collect(), next)
}

fn matching(
    state: &QueueState,
    query: &ListQuery,
    after: PageEnd,
    now: Timestamp,
) -> (Vec<JobMeta>, Option<Cursor>) {
    let mut jobs = Vec::new();
    let from = Seq::new(after.seq + 1);
    for (scanned, (seq, entry)) in state.entries.range(from..).enumerate() {
        if jobs.len() == query.limit || scanned == SCAN_MAX {
            let end = PageEnd { seq: seq.get() - 1, ..after };
            return (jobs, Some(end.cursor(CURSORS)));
        }
        let meta = entry.meta();
        if query.filter.matches(&meta, entry.course().token, now) {
            jobs.push(meta);
        }
    }
    (jobs, None)
}
