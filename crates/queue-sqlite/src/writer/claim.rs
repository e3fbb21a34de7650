//! The verb that leases due jobs.

use super::{
    GATED_SLOT, HAS_KINDS, HAS_PARTITIONS, commit::Database, counters::HAS_GATED, give_back::SqliteGiveBack,
    session::SqliteSession, waiting::IndexPosition,
};
use crate::{
    body::{ResultParts, read_outcome, read_payload},
    row::{COLUMNS, SqliteRecord, integer, written},
};
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobBody, JobRecord, Pause, QueueName, Timestamp, lifecycle::lease,
};
use queue_store::{
    ClaimShares as Shares, KindPauses, UnheardClaim,
    group_commit::{PendingCall, Verb},
};
use rusqlite::{OptionalExtension, Row, params};

/// Leases due jobs. A caller that leaves before its turn gets none, so that no job waits for a
/// lapse; leases of a caller that leaves later are given back. Claims of one queue that wait
/// together share one search.
#[derive(Debug)]
pub(crate) struct SqliteClaim(pub(crate) ClaimRequest);

impl Verb<Database> for SqliteClaim {
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const SKIPS_ABANDONED: bool = true;
    const JOINS: bool = true;

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn joins(&self, other: &Self) -> bool {
        self.0.queue == other.0.queue
    }

    fn unheard(claimed: Claimed) -> Option<PendingCall<Database>> {
        UnheardClaim::of([claimed]).map(|unheard| PendingCall::unanswered(SqliteGiveBack(unheard)))
    }

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Claimed> {
        Ok(session.claim(&[&self.0])?.remove(0))
    }

    fn run_together(calls: &[&Self], session: &mut SqliteSession<'_>) -> rusqlite::Result<Vec<Claimed>> {
        let requests: Vec<_> = calls.iter().map(|call| &call.0).collect();
        session.claim(&requests)
    }
}

/// The claims of one queue that are answered together.
pub(super) struct Search<'r> {
    pub(super) queue: i64,
    pub(super) has_gated: bool,
    pub(super) is_paused: bool,
    pub(super) requests: &'r [&'r ClaimRequest],
}

impl SqliteSession<'_> {
    /// Answers requests of one queue as if they came one after the other, but each gets the next
    /// due job as the last one leaves it.
    pub(super) fn claim(&mut self, requests: &[&ClaimRequest]) -> rusqlite::Result<Vec<Claimed>> {
        // While the clock is behind, even a claim that leases nothing writes the mark, so that
        // handles that live for one claim carry time on from one to the next (ADR 0024).
        self.keeps_time |= self.moment.is_ahead();
        let now = self.moment.now;
        let late = |request: &ClaimRequest| request.is_late(now).then_some(now);
        let nothing = |request: &&ClaimRequest| Claimed::none(late(request), self.moment);
        let mut answers: Vec<_> = requests.iter().map(nothing).collect();
        let Some(first) = requests.first() else { return Ok(answers) };
        let Some(queue) = self.find_queue(&first.queue)? else { return Ok(answers) };
        // Marks and fronts show what the transaction has done before.
        self.settle_partitions()?;
        let (pause, marks): (i64, u8) =
            self.statements.load_paused.query_row([queue], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let pause = Pause::from_millis(pause).at(now);
        let mut kinds = if marks & HAS_KINDS != 0 { Some(self.kind_pauses(queue)?) } else { None };
        // The mark of gated jobs is written at the end of a transaction.
        let has_gated = marks & HAS_GATED != 0 || self.counters.adds(queue, GATED_SLOT);
        let has_turns = marks & HAS_PARTITIONS != 0;
        let search = Search { queue, has_gated, is_paused: pause.is_on(), requests };
        let cut_short = if has_turns {
            self.claim_in_turn(&search, kinds.as_mut(), &mut answers)?
        } else {
            self.claim_in_order(&search, kinds.as_mut(), &mut answers)?
        };
        if requests.iter().any(|request| late(request).is_none()) {
            let mut next_due = self.next_due(queue)?;
            if has_turns {
                next_due = next_due.into_iter().chain(self.due_to_give(queue)?).min();
            }
            if let Some(kinds) = &kinds {
                next_due = next_due.into_iter().chain(self.aside_due(queue, kinds)?).min();
            }
            if has_gated {
                next_due = next_due.into_iter().chain(self.next_timeout(queue)?).min();
            }
            for ((answer, request), is_cut_short) in answers.iter_mut().zip(requests).zip(cut_short) {
                // An answer that its bytes ended has left a due job behind, so its caller asks
                // again at once.
                let cut_short = is_cut_short.then_some(now);
                answer.next_due = late(request).or_else(|| next_due.into_iter().chain(cut_short).min());
            }
        }
        for answer in &mut answers {
            answer.pause = pause;
            if let Some(kinds) = &kinds {
                (answer.paused_kinds, answer.set_aside) = (kinds.paused(), kinds.set_aside);
            }
        }
        Ok(answers)
    }

    /// Leases the first due jobs of a queue without partitions. Answers for each request whether
    /// its bytes had no room for a job that it might have taken.
    fn claim_in_order(
        &mut self,
        search: &Search<'_>,
        kinds: Option<&mut KindPauses>,
        answers: &mut [Claimed],
    ) -> rusqlite::Result<Vec<bool>> {
        let Search { queue, requests, .. } = *search;
        let mut shares = Shares::new(requests, self.moment.now);
        if !search.is_paused && shares.wanted() > 0 {
            self.promote_due(queue)?;
            if search.has_gated {
                self.promote_timed_out(queue)?;
            }
            let front = match kinds {
                Some(kinds) => self.clear_front(queue, shares.wanted(), kinds)?,
                None => shares.wanted(),
            };
            self.lease_front(queue, front, requests, &mut shares, answers)?;
        }
        Ok(shares.cut_short().collect())
    }

    fn lease_front(
        &mut self,
        queue: i64,
        front: usize,
        requests: &[&ClaimRequest],
        shares: &mut Shares,
        answers: &mut [Claimed],
    ) -> rusqlite::Result<()> {
        let found = self.ready_jobs(queue, front, &requests[0].queue, shares)?;
        // The jobs are the front of the index, so one range delete removes all of their entries.
        if let Some((_, last, _)) = found.last() {
            self.leave_front(queue, &IndexPosition::of(&last.job.meta))?;
        }
        for (taker, stored, body) in found {
            let job = self.lease_one(queue, stored, body, requests[taker])?;
            answers[taker].jobs.push(job);
        }
        Ok(())
    }

    /// All of them before the first is changed, since changing them takes them out of the order
    /// being read; each with the place of the request that takes it. SQLite steps row by row, so
    /// none is read after the first unclaimed one.
    fn ready_jobs(
        &mut self,
        queue: i64,
        front: usize,
        name: &QueueName,
        shares: &mut Shares,
    ) -> rusqlite::Result<Vec<(usize, SqliteRecord, JobBody)>> {
        let bounds = params![queue, integer(front as u64)];
        let mut rows = self.statements.ready_jobs.query(bounds)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (stored, body) = read_whole(row, name)?;
            let Some(taker) = shares.takes(body.payload.bytes.len()) else { break };
            found.push((taker, stored, body));
        }
        Ok(found)
    }

    pub(super) fn lease_one(
        &mut self,
        queue: i64,
        stored: SqliteRecord,
        mut body: JobBody,
        request: &ClaimRequest,
    ) -> rusqlite::Result<ClaimedJob> {
        let mut stored = self.with_gate(stored)?;
        body.end_signals = self.end_signals(&stored.job.meta)?;
        let before = IndexPosition::of(&stored.job.meta);
        lease(&mut stored.job, request, self.moment.now);
        written(self.save_lease(queue, &before, &stored)?)?;
        // `leave_front` has removed the entry of the ready index already.
        self.leave_state(queue, &before)?;
        self.enter(queue, &stored.job.meta)?;
        self.notices.changed(&stored.job.meta);
        self.leased.remember(stored.clone());
        let record = JobRecord { meta: stored.job.meta, body: Some(body) };
        Ok(ClaimedJob { record, token: request.token })
    }

    /// The earliest moment at which a claim could get something: three seeks.
    fn next_due(&mut self, queue: i64) -> rusqlite::Result<Option<Timestamp>> {
        let ready =
            self.statements.first_ready.query_row(params![queue, i64::MIN], |row| row.get(1)).optional()?;
        let scheduled = self.statements.first_scheduled.query_row([queue], |row| row.get(0)).optional()?;
        let lapse = self.statements.first_lapse.query_row([queue], |row| row.get(0)).optional()?;
        Ok([ready, scheduled, lapse].into_iter().flatten().min().map(Timestamp::from_millis))
    }

    /// The first time-out of a gate; one without a time-out never comes.
    fn next_timeout(&mut self, queue: i64) -> rusqlite::Result<Option<Timestamp>> {
        let first = self.statements.first_gated.query_row([queue], |row| row.get(0)).optional()?;
        Ok(first.map(Timestamp::from_millis).filter(|timeout| !timeout.is_far(self.moment.now)))
    }
}

pub(super) fn read_whole(row: &Row<'_>, queue: &QueueName) -> rusqlite::Result<(SqliteRecord, JobBody)> {
    let stored = SqliteRecord::read(row, queue)?;
    let payload = read_payload(row, COLUMNS)?;
    let outcome = if stored.has_life { read_outcome(row, COLUMNS + 3)? } else { ResultParts::default() };
    Ok((stored, outcome.beside(payload)))
}
