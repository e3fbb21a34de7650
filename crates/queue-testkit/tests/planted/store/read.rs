use super::{LIMITS, record::Lane, state::State};
use crate::defect::Defect;
use queue_core::{
    AnswerRoom, Counts, Cursor, Detail, JobId, JobMeta, JobRecord, ListFilter, ListQuery, Page, PageEnd,
    QueueName, QueueStatus, QueuesPage, QueuesQuery, Result, Seq, State as JobState, Timestamp,
    lifecycle::TrackedJob,
};

/// Whose cursors they are.
const CURSORS: &str = "planted";

/// Where a listing stands: by time for lapsed leases, by number alone otherwise.
type Position = (Timestamp, Seq);

impl State {
    pub(super) fn get(&self, queue: &QueueName, ids: &[JobId], what: Detail) -> Vec<Option<JobRecord>> {
        let lane = self.lanes.get(queue);
        let find = |id| {
            let record = lane.and_then(|lane| lane.by_id(id))?;
            self.is_shown(&record.job.meta).then(|| record.read(what))
        };
        let mut found: Vec<_> = ids.iter().map(find).collect();
        AnswerRoom::new(LIMITS().answer_bytes_max).trim_records(&mut found);
        found
    }

    /// One page, unless the cursor is not one of this store.
    pub(super) fn list(&self, query: &ListQuery) -> Result<Page> {
        let PageEnd { expires_at, seq } = PageEnd::parse(query.after.as_ref(), CURSORS)?;
        let after = (expires_at, Seq::new(seq));
        let mut found: Vec<(Position, &JobMeta)> = self
            .tracked(&query.queue)
            .filter(|job| self.matches(query, job))
            .map(|job| (position(&query.filter, &job.meta), &job.meta))
            .filter(|(position, _)| *position > after)
            .collect();
        found.sort_unstable_by_key(|(position, _)| *position);
        let skipped = usize::from(self.has(Defect::CursorSkips));
        let last = found.get((query.limit + skipped).saturating_sub(1)).or(found.last());
        let next = last.filter(|_| found.len() > query.limit).map(|(position, _)| cursor(*position));
        let jobs = found.iter().take(query.limit).map(|(_, job)| (*job).clone()).collect();
        Ok(Page { jobs, next, now: self.now, clock: self.moment().clock })
    }

    pub(super) fn counts(&self, queue: &QueueName) -> Counts {
        let mut counts = Counts::empty(self.moment());
        for job in self.jobs(queue) {
            counts.set(job.state, counts.of(job.state) + 1);
            counts.scheduled += u64::from(job.is_scheduled(self.now));
        }
        let due = self.jobs(queue).filter(|job| job.is_due(self.now));
        counts.oldest_due = due.map(|job| job.run_at).min();
        if self.has(Defect::CountsDrift) {
            let pruned = self.lanes.get(queue).map_or(0, |lane| lane.pruned);
            counts.set(JobState::Completed, counts.of(JobState::Completed) + pruned);
        }
        counts
    }

    /// One page of the queues.
    pub(super) fn queues(&self, query: &QueuesQuery) -> QueuesPage {
        let is_listed = |lane: &Lane| {
            lane.is_listed && (!self.has(Defect::QueueForgotten) || lane.paused || !lane.records.is_empty())
        };
        let mut names: Vec<&QueueName> =
            self.lanes.iter().filter(|(_, lane)| is_listed(lane)).map(|(name, _)| name).collect();
        if self.has(Defect::QueuesInOrderOfLanguage) {
            names.sort_by_key(|name| name.as_str().to_lowercase());
        }
        let is_wanted = |name: &&&QueueName| name.as_str() >= query.start();
        let skipped = usize::from(self.has(Defect::QueueSkipped) && !query.start().is_empty());
        let wanted = names.iter().filter(is_wanted).skip(skipped).take(query.limit());
        query.page(wanted.map(|name| self.status(name)).collect())
    }

    fn status(&self, name: &QueueName) -> QueueStatus {
        let lane = self.lanes.get(name);
        let paused = lane.is_some_and(|lane| lane.paused);
        let any_paused = || self.lanes.values().any(|lane| lane.paused);
        let paused = if self.has(Defect::PauseOfAnother) { any_paused() } else { paused };
        let mut counts = self.counts(name);
        if self.has(Defect::ListedCountsDrift) {
            let pruned = lane.map_or(0, |lane| lane.pruned);
            counts.set(JobState::Completed, counts.of(JobState::Completed) + pruned);
        }
        QueueStatus { name: name.clone(), paused, counts }
    }

    pub(super) fn verify(&self) -> Vec<String> {
        self.lanes.iter().flat_map(|(queue, lane)| findings(queue, lane)).collect()
    }

    fn jobs(&self, queue: &QueueName) -> impl Iterator<Item = &JobMeta> {
        self.tracked(queue).map(|job| &job.meta)
    }

    fn tracked(&self, queue: &QueueName) -> impl Iterator<Item = &TrackedJob> {
        let lane = self.lanes.get(queue).into_iter();
        lane.flat_map(|lane| lane.records.values()).map(|record| &record.job)
    }

    fn is_shown(&self, job: &JobMeta) -> bool {
        self.has(Defect::OverdueShown) || !job.is_purged(self.now)
    }

    fn matches(&self, query: &ListQuery, job: &TrackedJob) -> bool {
        let now = if self.has(Defect::OverdueShown) && !job.meta.is_lapsed(self.now) {
            Timestamp::from_millis(i64::MIN)
        } else {
            self.now
        };
        let held = job.token.filter(|_| !self.has(Defect::HeldNotFound));
        query.filter.matches(&job.meta, held, now)
    }
}

fn findings(queue: &QueueName, lane: &Lane) -> Vec<String> {
    let mut findings = Vec::new();
    if lane.ids.len() != lane.records.len() {
        findings.push(format!("{queue}: {} ids for {} records", lane.ids.len(), lane.records.len()));
    }
    for (seq, record) in &lane.records {
        let meta = &record.job.meta;
        if lane.ids.get(&meta.id) != Some(seq) {
            findings.push(format!("{queue}: {:?} does not lead to its life", meta.id));
        }
    }
    findings
}

fn position(filter: &ListFilter, job: &JobMeta) -> Position {
    let lapse = job.lease.as_ref().filter(|_| *filter == ListFilter::Lapsed);
    (lapse.map_or(Timestamp::from_millis(0), |lease| lease.expires_at), job.seq)
}

fn cursor((expires_at, seq): Position) -> Cursor {
    PageEnd { expires_at, seq: seq.get() }.cursor(CURSORS)
}
