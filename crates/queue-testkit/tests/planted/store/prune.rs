//! Pruning, and its defects.

use super::state::State;
use crate::defect::Defect;
use queue_core::{JobMeta, Prune, PruneRequest, Seq, Timestamp};

impl State {
    pub(super) fn prune(&mut self, request: &PruneRequest) -> u64 {
        let doomed = self.doomed(request);
        for seq in &doomed {
            self.remove(&request.queue, *seq);
        }
        self.lane(&request.queue).pruned += doomed.len() as u64;
        doomed.len() as u64
    }

    fn doomed(&self, request: &PruneRequest) -> Vec<Seq> {
        let records = self.lanes.get(&request.queue).into_iter().flat_map(|lane| lane.records.values());
        let jobs = records.map(|record| &record.job.meta).filter(|job| self.is_doomed(job, request.what));
        jobs.take(request.limit).map(|job| job.seq).collect()
    }

    fn is_doomed(&self, job: &JobMeta, what: Prune) -> bool {
        match what {
            Prune::Everything => true,
            Prune::Expired => job.is_purged(self.now),
            Prune::FinishedBefore(_) if self.has(Defect::AgeIgnored) => job.state.is_terminal(),
            Prune::FinishedBefore(age) => {
                let latest = Timestamp::from_millis(self.now.as_millis() - age.as_millis());
                job.finished_at.is_some_and(|at| at <= latest)
            }
        }
    }
}
