//! Claims and leases, and their defects.

use super::{record::Lane, state::State};
use crate::defect::Defect;
use queue_core::{
    AnswerRoom, ClaimRequest, Claimed, ClaimedJob, Detail, Headers, JobMeta, Pause, PausedKind, QueueName,
    Seq, Timestamp, lifecycle::lease,
};

impl State {
    /// The jobs that a claim gets, in order.
    pub(super) fn due(&self, request: &ClaimRequest) -> Vec<Seq> {
        let Some(lane) = self.lanes.get(&request.queue) else { return Vec::new() };
        let (pause, kinds) = self.pauses(lane);
        if pause.is_on() && !self.has(Defect::PauseIgnored) {
            return Vec::new();
        }
        let jobs = lane.records.values().map(|record| &record.job.meta);
        let is_open = |job: &&JobMeta| {
            self.has(Defect::KindPauseIgnored) || kinds.iter().all(|paused| paused.kind != job.kind)
        };
        let jobs = jobs.filter(is_open);
        let mut due: Vec<_> = jobs.filter(|job| self.is_claimable(job)).map(|job| self.rank(job)).collect();
        due.sort_unstable();
        let one_more = self.has(Defect::GivesOneMore) && request.limit > 0;
        let is_refused = request.is_late(self.now) && !self.has(Defect::LateClaimsLease);
        let limit = if is_refused { 0 } else { request.limit + usize::from(one_more) };
        let mut room = AnswerRoom::new(request.bytes_max);
        let fits = |seq: &Seq| self.has(Defect::RoomIgnored) || room.takes(lane.records[seq].payload_bytes);
        due.into_iter().take(limit).map(|(.., seq)| seq).take_while(fits).collect()
    }

    /// Leases these jobs, as they are now.
    pub(super) fn lease(&mut self, request: &ClaimRequest, due: Vec<Seq>) -> Claimed {
        if !due.is_empty() || (self.moment().is_ahead() && !self.has(Defect::EmptyClaimLeavesMark)) {
            self.writes();
        }
        let jobs: Vec<_> = due.into_iter().filter_map(|seq| self.lease_one(request, seq)).collect();
        let is_told = request.limit > 0 || !self.has(Defect::PauseUntold);
        let lane = self.lanes.get(&request.queue).filter(|_| is_told);
        let (pause, paused_kinds) = lane.map(|lane| self.pauses(lane)).unwrap_or_default();
        let next_due = if request.is_late(self.now) { Some(self.now) } else { self.next_due(&request.queue) };
        Claimed { jobs, pause, paused_kinds, ..Claimed::none(next_due, self.moment()) }
    }

    fn lease_one(&mut self, request: &ClaimRequest, seq: Seq) -> Option<ClaimedJob> {
        let (now, epoch_stands) = (self.now, self.has(Defect::EpochStands));
        let (first_stands, headerless) =
            (self.has(Defect::ClaimTimeOfFirst), self.has(Defect::HeadersNotClaimed));
        let record = self.lane(&request.queue).records.get_mut(&seq)?;
        let claimed_before = record.job.meta.claimed_at;
        lease(&mut record.job, request, now);
        if first_stands {
            record.job.meta.claimed_at = claimed_before.or(Some(now));
        }
        if epoch_stands {
            record.job.meta.epoch = 1;
        }
        let mut record = record.read(Detail::Full);
        if let Some(body) = record.body.as_mut().filter(|_| headerless) {
            body.headers = Headers::NONE;
        }
        self.changed(&record.meta);
        Some(ClaimedJob { record, token: request.token })
    }

    /// What is paused now.
    fn pauses(&self, lane: &Lane) -> (Pause, Vec<PausedKind>) {
        let (mut pause, mut kinds) = lane.pauses_at(self.now);
        if self.has(Defect::PauseEndless) && lane.pauses_at(Timestamp::default()).0.is_on() {
            pause = Pause::UntilResumed;
        }
        if self.has(Defect::KindPauseOver) {
            kinds = lane.pauses_at(Timestamp::default()).1;
        }
        if self.has(Defect::KindPausesAll) {
            pause = kinds.first().map_or(pause, |paused| paused.pause);
        }
        (pause, kinds)
    }

    fn is_claimable(&self, job: &JobMeta) -> bool {
        job.is_due(self.now)
            || (self.has(Defect::DelayIgnored) && job.state.is_waiting())
            || (self.has(Defect::LapsedClaimed) && job.is_lapsed(self.now))
    }

    /// The order of claims; the last part identifies the job.
    fn rank(&self, job: &JobMeta) -> (i16, Timestamp, u64, Seq) {
        let priority = if self.has(Defect::PriorityIgnored) { 0 } else { job.priority };
        let number = job.seq.get();
        let place = if self.has(Defect::TiesReversed) { u64::MAX - number } else { number };
        (priority, job.run_at, place, job.seq)
    }

    fn next_due(&self, queue: &QueueName) -> Option<Timestamp> {
        let lane = self.lanes.get(queue)?;
        let (pause, kinds) = self.pauses(lane);
        let hides_waiting = pause.is_on() && self.has(Defect::PausedNeverDue);
        // A job of a paused kind counts from the end of that pause.
        let free_at = |job: &JobMeta| match kinds.iter().find(|paused| paused.kind == job.kind) {
            Some(PausedKind { pause: Pause::Until(at), .. }) => Some(job.run_at.max(*at)),
            Some(_) => None,
            None => Some(job.run_at),
        };
        let jobs = lane.records.values().map(|record| &record.job.meta);
        let times = jobs.filter_map(|job| match &job.lease {
            Some(lease) => Some(lease.expires_at).filter(|_| !self.has(Defect::LapsesNotDue)),
            None => free_at(job).filter(|at| {
                let never = job.is_gated(self.now) && at.is_far(self.now);
                job.state.is_waiting() && !hides_waiting && (!never || self.has(Defect::FarEndDue))
            }),
        });
        times.min()
    }
}
