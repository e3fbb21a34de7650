//! Leases due jobs.

use super::{
    apply::KvGiveBack,
    commit::{Commits, Session},
    transaction::Transaction,
};
use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family},
    values,
    view::{GATED_SLOT, SCHEDULED_SLOT},
};
use queue_core::{
    AnswerRoom, ClaimRequest, Claimed, ClaimedJob, JobRecord, QueueName, Seq, Timestamp, lifecycle::lease,
};
use queue_store::{
    KindPauses, UnheardClaim,
    group_commit::{PendingCall, Verb},
};

/// The most scheduled jobs that one claim makes ready, and the most gated ones; later claims make
/// the others ready.
const PROMOTE_MAX: usize = 1_000;

/// Leases due jobs. A caller that leaves before the claim runs gets none, so that the jobs need not
/// wait for a lapse; for a caller that leaves later they are given back.
#[derive(Debug)]
pub(crate) struct KvClaim(pub(crate) ClaimRequest);

impl Verb<Commits> for KvClaim {
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const SKIPS_ABANDONED: bool = true;

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn unheard(claimed: Claimed) -> Option<PendingCall<Commits>> {
        UnheardClaim::of([claimed]).map(|unheard| PendingCall::unanswered(KvGiveBack(unheard)))
    }

    fn run(&self, session: &mut Session<'_>) -> KvResult<Claimed> {
        session.transaction().claim(&self.0)
    }
}

impl Transaction<'_> {
    fn claim(&mut self, request: &ClaimRequest) -> KvResult<Claimed> {
        let queue = &request.queue;
        let now = self.now();
        // The mark lets handles that live for a single claim carry time on from one to the next
        // while the clock is behind.
        self.keeps_time |= self.moment.is_ahead();
        // What came before in this transaction may have marked the queue.
        self.settle_partitions()?;
        let (pause, marks) = self.view().pauses(queue)?;
        self.marks.insert(queue.clone(), marks);
        let mut kinds = if marks.kinds { self.kind_pauses(queue)? } else { KindPauses::default() };
        let mut answer = Claimed { pause, paused_kinds: kinds.paused(), ..Claimed::none(None, self.moment) };
        if request.is_late(now) {
            return Ok(Claimed { next_due: Some(now), ..answer });
        }
        let limit = if pause.is_on() { 0 } else { request.limit };
        // In a full partition, a job whose time has come is nothing to wait for.
        if limit > 0 || marks.partitions {
            self.promote(queue, Family::Scheduled, SCHEDULED_SLOT)?;
            if marks.gated {
                self.promote(queue, Family::Gated, GATED_SLOT)?;
            }
        }
        if marks.partitions {
            self.settle_partitions()?;
            answer.kept_back = self.claim_in_turn(request, limit, &mut kinds, &mut answer.jobs)?;
        } else if limit > 0 {
            let front = if marks.kinds { self.clear_front(queue, limit, &mut kinds)? } else { limit };
            for seq in self.due(request, front)? {
                answer.jobs.push(self.lease(request, seq)?);
            }
        }
        let aside = self.aside_due(queue, &kinds)?;
        let timeout = if marks.gated { self.view().first_time(Family::Gated, queue)? } else { None };
        // The end of the wait behind a gate without a time-out never comes.
        let timeout = timeout.filter(|at| !at.is_far(now));
        let in_turn = if marks.partitions { self.view().due_to_give(queue)? } else { None };
        let due = self.next_due(queue)?.into_iter().chain(in_turn);
        answer.next_due = due.chain(aside).chain(timeout).min();
        Ok(Claimed { set_aside: kinds.set_aside, ..answer })
    }

    /// Makes jobs ready whose time, or whose time-out, has come. Their records stay the same.
    fn promote(&mut self, queue: &QueueName, waiting: Family, slot: u8) -> KvResult<()> {
        let came_due = keys::until(waiting, queue, self.now());
        for (entry, value) in self.view().scan(&came_due, PROMOTE_MAX)? {
            let (payload_bytes, priority, partition) = values::read_scheduled(&value)?;
            let place = keys::place(priority, keys::time_of(&entry), keys::seq_of(&entry));
            self.insert_due(queue, partition.as_ref(), &place, payload_bytes)?;
            self.delete(&entry)?;
            self.count(queue, slot, -1);
        }
        Ok(())
    }

    /// The first lives of the ready index. An entry holds the length of the payload, so that no job
    /// is leased that the answer has no room for.
    fn due(&self, request: &ClaimRequest, limit: usize) -> KvResult<Vec<Seq>> {
        let entries = self.view().scan(&keys::all(Family::Ready, &request.queue), limit)?;
        let mut lives = Vec::with_capacity(entries.len());
        let mut room = AnswerRoom::new(request.bytes_max);
        for (entry, payload_bytes) in entries {
            let bytes = usize::try_from(values::read_number(&payload_bytes)?).unwrap_or(usize::MAX);
            if !room.takes(bytes) {
                break;
            }
            lives.push(keys::seq_of(&entry));
        }
        Ok(lives)
    }

    pub(super) fn lease(&mut self, request: &ClaimRequest, seq: Seq) -> KvResult<ClaimedJob> {
        let found = self.view().life(&request.queue, seq)?;
        let mut stored = found.ok_or_else(|| KvFailure::corrupt("an index entry has no record"))?;
        let before = stored.job.meta.clone();
        lease(&mut stored.job, request, self.now());
        self.write(Some(&before), &stored)?;
        let body = Some(self.view().body(&stored.job.meta)?);
        Ok(ClaimedJob { record: JobRecord { meta: stored.job.meta, body }, token: request.token })
    }

    /// The earliest moment at which a claim could get a job: one that was left over, one whose time
    /// comes, or a lapse.
    fn next_due(&self, queue: &QueueName) -> KvResult<Option<Timestamp>> {
        let times = [Family::Ready, Family::Scheduled, Family::Lease]
            .map(|family| self.view().first_time(family, queue));
        let times = times.into_iter().collect::<KvResult<Vec<_>>>()?;
        Ok(times.into_iter().flatten().min())
    }
}
