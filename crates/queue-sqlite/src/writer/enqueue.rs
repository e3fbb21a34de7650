//! The verb that stores new jobs.

use super::{commit::Database, new_rows::ROWS, session::SqliteSession, waiting::IndexPosition};
use crate::row::{SqliteRecord, foreign, written};
use queue_core::{
    AnswerRoom, Enqueued, JobId, JobMeta, NewJob, QueueName, Seq, Signalling, Stamped, State,
    lifecycle::{Addressed, Admission, address, admit},
    payload_bytes,
};
use queue_store::group_commit::Verb;

/// Stores jobs. Everything is in one transaction, so every group is whole or absent (I19).
#[derive(Debug)]
pub(crate) struct SqliteEnqueue {
    pub(crate) queue: QueueName,
    pub(crate) groups: Vec<Vec<NewJob>>,
}

impl Verb<Database> for SqliteEnqueue {
    type Answer = Stamped<Vec<Vec<Enqueued>>>;

    const NAME: &'static str = "enqueue";

    fn weight(&self) -> usize {
        self.groups.iter().map(|group| group.len() + payload_bytes(group) / 1024).sum()
    }

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Self::Answer> {
        let is_new = session.find_queue(&self.queue)?.is_none();
        if is_new && self.groups.iter().flatten().all(NewJob::raises) {
            // No job is there that could be raised, so not even the queue is stored.
            let orphans = |group: &Vec<NewJob>| vec![Enqueued::Orphaned; group.len()];
            return Ok(Stamped::at(session.moment, self.groups.iter().map(orphans).collect()));
        }
        let queue = session.intern_queue(&self.queue)?;
        let jobs: Vec<&NewJob> = self.groups.iter().flatten().collect();
        let mut answers = session.enqueue_all(queue, &self.queue, &jobs)?.into_iter();
        let groups = self.groups.iter().map(|group| answers.by_ref().take(group.len()).collect());
        Ok(Stamped::at(session.moment, groups.collect()))
    }
}

impl SqliteSession<'_> {
    /// Stores the jobs of all groups of a call, several rows a statement for as long as their ids
    /// are free: one that is taken is seldom alone.
    fn enqueue_all(
        &mut self,
        queue: i64,
        name: &QueueName,
        jobs: &[&NewJob],
    ) -> rusqlite::Result<Vec<Enqueued>> {
        let mut room = self.answer_room();
        let mut answers = Vec::with_capacity(jobs.len());
        let mut are_free = true;
        for jobs in jobs.chunks(ROWS) {
            let may_begin_together = jobs.len() == ROWS && jobs.iter().all(|new| new.end_signals.is_empty());
            if are_free && may_begin_together {
                are_free = self.enqueue_together(queue, name, jobs, &mut answers)?;
                if are_free {
                    continue;
                }
            }
            for new in jobs {
                answers.push(self.enqueue_one(queue, name, new, None, &mut room)?);
            }
        }
        Ok(answers)
    }

    /// False, and nothing stored, if one of the ids is taken.
    fn enqueue_together(
        &mut self,
        queue: i64,
        name: &QueueName,
        jobs: &[&NewJob],
        answers: &mut Vec<Enqueued>,
    ) -> rusqlite::Result<bool> {
        let now = self.moment.now;
        let begin =
            |(&new, before)| Ok((JobMeta::begin(name.clone(), new, self.seq_ahead(before)?, now), new));
        let lives: Vec<(JobMeta, &NewJob)> =
            jobs.iter().zip(0..).map(begin).collect::<rusqlite::Result<_>>()?;
        let are_free = self.insert_together(queue, &lives)?;
        if are_free {
            answers.extend(lives.iter().map(|(meta, _)| Enqueued::Queued { seq: meta.seq }));
        }
        Ok(are_free)
    }

    /// Asks the targets of the job's end signals before anything is written, and raises them only
    /// if it is stored: a duplicate raises nothing. Inserts first and asks about a present record
    /// only if the id turned out to be taken, since most are free. `holder` is the job whose own
    /// step this job follows, if that has not ended.
    pub(super) fn enqueue_one(
        &mut self,
        queue: i64,
        name: &QueueName,
        new: &NewJob,
        holder: Option<Seq>,
        room: &mut AnswerRoom,
    ) -> rusqlite::Result<Enqueued> {
        let (now, seq) = (self.moment.now, self.next_seq()?);
        let find = |to: &JobId| self.target_by_id(queue, name, to);
        let addressed = address(&new.end_signals, holder, now, find, |target| &mut target.job.meta)?;
        let Some(Addressed { signals, raised }) = addressed else {
            return self.orphaned(queue, name, new, room);
        };
        let owes = !new.end_signals.is_empty();
        let signalling = if owes { Signalling::owing(signals.len()) } else { Signalling::None };
        let meta = JobMeta { signalling, ..JobMeta::begin(name.clone(), new, seq, now) };
        if !self.insert(queue, &meta, &new.headers, &new.payload, &signals)? {
            let taken = || foreign(2, "an id is taken by no record");
            let present = self.load_by_id(queue, name, &new.id)?.ok_or_else(taken)?;
            match admit(Some(&present.job.meta), new, now) {
                Admission::Duplicate => return self.taken_by(&present, room),
                Admission::Insert | Admission::Replace => {
                    written(self.remove(queue, &IndexPosition::of(&present.job.meta), &present)?)?;
                    let meta = JobMeta { signalling, ..JobMeta::replacing(&present.job.meta, new, seq, now) };
                    written(self.insert(queue, &meta, &new.headers, &new.payload, &signals)?)?;
                }
            }
        }
        raised.into_iter().try_for_each(|target| self.keep_in_hand(queue, target))?;
        Ok(Enqueued::Queued { seq })
    }

    /// A result that the answer has no room for is left out, and those behind it are not read.
    pub(super) fn taken_by(
        &mut self,
        present: &SqliteRecord,
        room: &mut AnswerRoom,
    ) -> rusqlite::Result<Enqueued> {
        let (seq, state) = (present.job.meta.seq, present.job.meta.state);
        if state != State::Completed {
            return Ok(Enqueued::Duplicate { seq, state });
        }
        let missing = || foreign(0, "a completed job has no result");
        if room.is_full() {
            return Ok(Enqueued::Completed { seq, result: None });
        }
        let result = self.outcome(present)?.result.ok_or_else(missing)?;
        let result = Some(result).filter(|result| room.takes(result.bytes.len()));
        Ok(Enqueued::Completed { seq, result })
    }
}
