//! Reads by id, counts, the list of queues and verification, and their defects.

use super::{LIMITS, record::Lane, state::State};
use crate::defect::Defect;
use queue_core::{
    AnswerRoom, Counts, Detail, JobId, JobMeta, JobRecord, QueueName, QueueStatus, QueuesPage, QueuesQuery,
    State as JobState, lifecycle::TrackedJob,
};

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

    pub(super) fn counts(&self, queue: &QueueName) -> Counts {
        let mut counts = Counts::empty(self.moment());
        for job in self.jobs(queue) {
            counts.set(job.state, counts.of(job.state) + 1);
            let is_gated = job.is_gated(self.now);
            let is_mixed = is_gated && self.has(Defect::GatedScheduled);
            counts.scheduled += u64::from(job.is_scheduled(self.now) || is_mixed);
            counts.gated += u64::from(is_gated && !is_mixed);
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
            lane.is_listed
                && (!self.has(Defect::QueueForgotten)
                    || lane.pauses.values().any(|pause| pause.is_on())
                    || !lane.records.is_empty())
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
        let now = self.now;
        let (mut pause, paused_kinds) = lane.map(|lane| lane.pauses_at(now)).unwrap_or_default();
        if self.has(Defect::PauseOfAnother) {
            let mut pauses = self.lanes.values().map(|lane| lane.pauses_at(now).0);
            pause = pauses.find(|pause| pause.is_on()).unwrap_or_default();
        }
        let mut counts = self.counts(name);
        if self.has(Defect::ListedCountsDrift) {
            let pruned = lane.map_or(0, |lane| lane.pruned);
            counts.set(JobState::Completed, counts.of(JobState::Completed) + pruned);
        }
        QueueStatus { name: name.clone(), pause, paused_kinds, counts }
    }

    pub(super) fn verify(&self) -> Vec<String> {
        self.lanes.iter().flat_map(|(queue, lane)| findings(queue, lane)).collect()
    }

    fn jobs(&self, queue: &QueueName) -> impl Iterator<Item = &JobMeta> {
        self.tracked(queue).map(|job| &job.meta)
    }

    pub(super) fn tracked(&self, queue: &QueueName) -> impl Iterator<Item = &TrackedJob> {
        let lane = self.lanes.get(queue).into_iter();
        lane.flat_map(|lane| lane.records.values()).map(|record| &record.job)
    }

    pub(super) fn is_shown(&self, job: &JobMeta) -> bool {
        self.has(Defect::OverdueShown) || !job.is_purged(self.now)
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
