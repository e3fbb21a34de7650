//! One wait for one life of a job.

use super::{
    Outcome, WaitOptions,
    awaited_life::AwaitedLife,
    life_status::{LifeStatus, StoredResult, judge, outcome_of},
    options::CheckedWait,
};
use crate::{OtherKind, client::Shared, hints::Hints};
use queue_core::{
    Changed, Detail, Enqueued, Error, ErrorKind, Failure, Hint, Interest, JobId, JobMeta, JobRecord, Kind,
    NewJob, Reason, Result, Seq, State, StorageExt, Timestamp,
    asking::NextAsk,
    lifecycle::{Event, Rejected},
};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long after the deadline the last read may take.
const LAST_LOOK_MAX: Duration = Duration::from_secs(1);

/// How long after its expiry a job is read again: an earlier read would find it not yet expired.
const EXPIRY_SLACK: Duration = Duration::from_millis(1);

/// One wait for one life of one job. No await in it passes the deadline by more than
/// [`LAST_LOOK_MAX`].
pub(super) struct Waiter<'a> {
    shared: &'a Shared,
    id: JobId,
    /// The kind that the job must have, if the wait is for jobs of one kind.
    kind: Option<Kind>,
    options: CheckedWait,
    deadline: Instant,
    hints: Hints,
    next_look: NextAsk,
    /// The life that this wait is for, once one was seen or named.
    life: Option<Seq>,
    /// The same as it was last seen, or as this wait began it.
    awaited: Option<AwaitedLife>,
    /// The state of that life when it was last read.
    state: Option<State>,
    /// The error of its last attempt that failed, as it was then.
    error: Option<Failure>,
    /// When the job expires, if it has not started by then.
    too_late_at: Option<Instant>,
    /// The temporary error of the latest read, if there was one.
    trouble: Option<Error>,
    /// Whether the life began with this wait, so that the first read can wait for a hint or the
    /// first interval.
    is_new: bool,
    looks: u32,
}

/// How a wait goes on after a rest.
enum NextStep {
    /// A hint brought the result.
    Answer(StoredResult),
    /// Read the record.
    Read(Detail),
}

impl<'a> Waiter<'a> {
    /// Subscribes first, so that later changes are hinted at.
    pub(super) async fn start(
        shared: &'a Shared,
        id: JobId,
        kind: Option<Kind>,
        options: WaitOptions,
    ) -> Result<Self> {
        let life = options.of_life();
        let options = options.checked()?;
        let deadline = Instant::now() + options.deadline;
        let hints = Hints::subscribe(shared, Interest::Jobs(vec![id.clone()]), deadline).await;
        Ok(Self {
            shared,
            id,
            kind,
            options,
            deadline,
            hints,
            next_look: NextAsk::for_reads(),
            life,
            awaited: None,
            state: None,
            error: None,
            too_late_at: None,
            trouble: None,
            is_new: false,
            looks: 0,
        })
    }

    /// Stores the job, and waits for its life from then on; `None` if the deadline passed first.
    pub(super) async fn enqueue(&mut self, job: NewJob) -> Result<Option<Enqueued>> {
        let kind = job.kind.clone();
        let storing = self.shared.storage.enqueue(&self.shared.name, vec![vec![job]]);
        let Ok(stored) = timeout_at(self.deadline, self.hints.beside(storing)).await else { return Ok(None) };
        let no_answer = || Error::new(ErrorKind::Internal, "enqueue", "the store gave no answer").unknown();
        let answer = stored?.value.into_iter().flatten().next().ok_or_else(no_answer)?;
        let Some(life) = answer.seq() else {
            let message = "a job that this one was to raise takes no more, so nothing is stored to wait for";
            return Err(Error::new(ErrorKind::Conflict, "enqueue", message));
        };
        self.life = Some(life);
        self.is_new = answer.is_new();
        self.awaited = self.is_new.then(|| AwaitedLife::begin(life, kind));
        self.state = match answer {
            Enqueued::Queued { .. } => Some(State::Queued),
            Enqueued::Duplicate { state, .. } => Some(state),
            Enqueued::Completed { .. } => Some(State::Completed),
            Enqueued::Orphaned => None,
        };
        Ok(Some(answer))
    }

    /// Reads until there is an outcome or the deadline passes, and then once more.
    pub(super) async fn outcome(mut self) -> Result<Outcome<StoredResult>> {
        let mut next = if self.is_new { self.rest().await } else { NextStep::Read(Detail::Full) };
        loop {
            let what = match next {
                NextStep::Answer(result) => return Ok(Outcome::Completed(result)),
                NextStep::Read(what) => what,
            };
            if Instant::now() >= self.deadline {
                break;
            }
            if let Some(outcome) = self.look(what, self.deadline).await? {
                return Ok(outcome);
            }
            next = self.rest().await;
        }
        let last = self.look(Detail::Full, Instant::now() + LAST_LOOK_MAX).await?;
        match (last, self.trouble) {
            (Some(outcome), _) => Ok(outcome),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(Outcome::TimedOut { state: self.state, error: self.error }),
        }
    }

    /// Reads the record. A temporary error is noted, since a later read may succeed.
    async fn look(&mut self, what: Detail, until: Instant) -> Result<Option<Outcome<StoredResult>>> {
        let looked = timeout_at(until, self.first_look(what)).await;
        self.trouble = None;
        match looked {
            Ok(Err(error)) if error.is_transient() => {
                self.trouble = Some(error);
                Ok(None)
            }
            Ok(answer) => answer,
            Err(_elapsed) => Ok(None),
        }
    }

    async fn first_look(&mut self, what: Detail) -> Result<Option<Outcome<StoredResult>>> {
        let (found, now) = self.read(what).await?;
        match (self.judge(found.as_ref())?, found) {
            (LifeStatus::Over(outcome), _) => Ok(Some(outcome)),
            (LifeStatus::Finished, Some(record)) if what == Detail::Full => outcome_of(record).map(Some),
            (LifeStatus::Pending, Some(record)) if self.has_expired(&record.meta, now) => {
                self.expire(&record.meta, now).await
            }
            (LifeStatus::Pending, Some(record)) if self.mark_awaited(&record.meta).await? => Ok(None),
            _ => self.second_look().await,
        }
    }

    /// Reads again, since the record is known to be finished, or changed during the first read.
    async fn second_look(&mut self) -> Result<Option<Outcome<StoredResult>>> {
        let (found, _) = self.read(Detail::Full).await?;
        match (self.judge(found.as_ref())?, found) {
            (LifeStatus::Over(outcome), _) => Ok(Some(outcome)),
            (LifeStatus::Finished, Some(record)) => outcome_of(record).map(Some),
            _ => Ok(None),
        }
    }

    // `&mut self`, since a stream of hints cannot be shared between threads and the future must be
    // `Send`.
    async fn read(&mut self, what: Detail) -> Result<(Option<JobRecord>, Timestamp)> {
        let storage = &self.shared.storage;
        let name = &self.shared.name;
        let ids = std::slice::from_ref(&self.id);
        let reading = async {
            match what {
                Detail::Meta => storage.get(name, ids, what).await,
                Detail::Full => storage.get_whole(name, ids).await,
            }
        };
        let read = self.hints.beside(reading).await?;
        let found = read.value.into_iter().next().flatten();
        self.too_late_at = found.as_ref().and_then(|record| too_late_at(&record.meta, read.now));
        Ok((found, read.now))
    }

    fn has_expired(&self, seen: &JobMeta, now: Timestamp) -> bool {
        self.life == Some(seen.seq) && seen.is_expired(now)
    }

    /// Ends a job that was not started in time, since no other caller may do so, for example while
    /// its queue is paused.
    async fn expire(&mut self, seen: &JobMeta, now: Timestamp) -> Result<Option<Outcome<StoredResult>>> {
        let event = Event::Expire { now, token: None };
        let expiring = self.shared.storage.settle(seen, event, &self.shared.policy);
        match self.hints.beside(expiring).await? {
            Changed::Done(_) => Ok(Some(Outcome::Cancelled { reason: Some(Reason::Expired) })),
            _ => self.second_look().await,
        }
    }

    /// Judges a record, and fixes the life by the first one that is seen.
    fn judge(&mut self, found: Option<&JobRecord>) -> Result<LifeStatus> {
        let found = found.map(|record| &record.meta);
        let status = judge(self.life, found);
        if let Some(found) = found
            && found.seq == *self.life.get_or_insert(found.seq)
        {
            self.kind.as_ref().map_or(Ok(()), |kind| OtherKind::check("wait", found, kind))?;
            self.error.clone_from(&found.last_error);
            self.awaited.get_or_insert_with(|| AwaitedLife::seen(found)).note(found);
            if self.state.replace(found.state) != Some(found.state) {
                self.next_look.found();
            }
        }
        Ok(status)
    }

    /// Marks the job as awaited, so that its outcome is announced and kept long enough to be read.
    /// False if the job changed meanwhile.
    async fn mark_awaited(&mut self, seen: &JobMeta) -> Result<bool> {
        if seen.awaited || self.life != Some(seen.seq) {
            return Ok(true);
        }
        let marking = self.shared.storage.settle(seen, Event::Await, &self.shared.policy);
        let changed = self.hints.beside(marking).await?;
        Ok(matches!(changed, Changed::Done(_) | Changed::Rejected(Rejected::Already(_))))
    }

    /// Waits for a hint or the next interval. A hint may bring the result; without it the answer is
    /// how much to read, since a hint most likely announces the outcome.
    async fn rest(&mut self) -> NextStep {
        self.looks = self.looks.saturating_add(1);
        let interval = self.options.looks.delay(self.looks, self.shared.rng.next_u64());
        self.next_look.read(Instant::now().into_std(), interval);
        self.next_look.no_later_than(self.deadline.into_std());
        if let Some(at) = self.too_late_at.take() {
            self.next_look.no_later_than(at.into_std());
        }
        let (id, life, awaited) = (&self.id, self.life, &self.awaited);
        let mut result = None;
        // Hints about other jobs, older lives or states that are not terminal do not end the wait.
        let is_meant = |of: &JobId, seq: Seq| of == id && life.is_none_or(|life| seq >= life);
        let is_news = |hint: &Hint| {
            result = awaited.as_ref().and_then(|awaited| awaited.result_in(id, hint));
            match hint {
                Hint::Job(change) => {
                    is_meant(&change.id, change.seq) && change.state.is_none_or(State::is_terminal)
                }
                Hint::Completed(job) => is_meant(&job.id, job.seq),
                Hint::Wake | Hint::Missed => true,
            }
        };
        self.hints.until_next_ask_if(&mut self.next_look, is_news).await;
        match result {
            Some(result) => NextStep::Answer(result),
            None if self.next_look.follows_hint() => NextStep::Read(Detail::Full),
            None => NextStep::Read(Detail::Meta),
        }
    }
}

/// When to read again to end a job that was not started: a moment after its expiry, since clocks
/// differ.
fn too_late_at(seen: &JobMeta, now: Timestamp) -> Option<Instant> {
    let at = seen.expires_at().filter(|_| seen.state == State::Queued)?;
    Instant::now().checked_add(at.since(now) + EXPIRY_SLACK)
}
