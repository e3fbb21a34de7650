//! Stores debounced jobs, and stand-ins for those whose id is taken by a running job.

use super::{chunks::batches, option_values::CheckedOptions};
use crate::{Decode, Encode, Enqueued, Id, InvalidOption, Queue};
use queue_core::{Error, ErrorKind, InvalidName, JobId, NAME_BYTES_MAX, NewJob, Result, State};

/// The most jobs that may stand in for a job whose id is taken by a running job.
const STAND_INS_MAX: usize = 4;
/// The suffix that each stand-in adds to the id of the job before it.
const NEXT: &str = "~next";
/// The most bytes of the id of a debounced job, which leaves room for every stand-in.
const ID_BYTES_MAX: usize = NAME_BYTES_MAX - STAND_INS_MAX * NEXT.len();

const WITHOUT_ID: &str = "a debounced job takes the place of others by its id: give one";

/// Debounced jobs whose id is taken. The store replaces a waiting job. It does not replace a
/// running job, which may have read its data already, so another job has to stand in for it.
impl<P: Encode, R: Decode> Queue<P, R> {
    /// The id of a job. If the job is debounced, its id has room for the suffixes of every
    /// stand-in.
    pub(super) fn checked_id(&self, id: Id, payload: &P, options: &CheckedOptions) -> Result<JobId> {
        if options.is_debounced() && id == Id::Generated {
            return Err(InvalidOption::Debounce(WITHOUT_ID).into());
        }
        let id = self.shared.id_of(id, self.kind(), payload)?;
        if options.is_debounced() && id.as_str().len() > ID_BYTES_MAX {
            let bytes = id.as_str().len();
            return Err(InvalidName::TooLong { what: "debounced job's id", most: ID_BYTES_MAX, bytes }.into());
        }
        Ok(id)
    }

    /// Stores a job under the first id that is not taken.
    pub(super) async fn store_debounced(
        &self,
        mut id: JobId,
        payload: P,
        options: CheckedOptions,
    ) -> Result<Enqueued<R>> {
        let mut answer = self.store_one(self.job_of(id.clone(), &payload, &options)?).await?;
        // Each try may meet another running job, so the number of stand-ins is bounded.
        for _ in 0..STAND_INS_MAX {
            if !is_taken(&answer) {
                return Ok(answer);
            }
            id = next(&id)?;
            answer = self.store_one(self.job_of(id.clone(), &payload, &options)?).await?;
        }
        if is_taken(&answer) { Err(busy(&id)) } else { Ok(answer) }
    }

    /// Stores stand-ins for the jobs whose answers say that their ids are taken, and replaces these
    /// answers.
    pub(super) async fn store_stand_ins(
        &self,
        mut jobs: Vec<(JobId, P)>,
        answers: &mut [Enqueued<R>],
        options: &CheckedOptions,
    ) -> Result<()> {
        for _ in 0..STAND_INS_MAX {
            let (mut places, mut stand_ins) = (Vec::new(), Vec::new());
            for (place, (id, payload)) in jobs.iter_mut().enumerate() {
                if is_taken(&answers[place]) {
                    *id = next(id)?;
                    places.push(place);
                    stand_ins.push(self.job_of(id.clone(), payload, options)?);
                }
            }
            if places.is_empty() {
                return Ok(());
            }
            let mut places = places.into_iter();
            for batch in self.calls(stand_ins) {
                for answer in self.store(batch).await? {
                    answers[places.next().expect("an answer is to a job that was sent")] = answer;
                }
            }
        }
        let mut stored = answers.iter().take(jobs.len());
        stored.find(|answer| is_taken(answer)).map_or(Ok(()), |taken| Err(busy(taken.id())))
    }

    fn calls(&self, jobs: Vec<NewJob>) -> Vec<Vec<NewJob>> {
        batches(jobs, self.shared.storage.capabilities().limits.batch_max)
    }
}

fn next(id: &JobId) -> Result<JobId> {
    Ok(JobId::new(format!("{id}{NEXT}"))?)
}

/// Whether the id is taken by a job that may have read its data already.
fn is_taken<R>(answer: &Enqueued<R>) -> bool {
    match answer {
        Enqueued::Queued { .. } | Enqueued::Orphaned { .. } => false,
        Enqueued::Duplicate { state, .. } => *state == State::Processing,
        // A caller waited for the job, or it was enqueued without debounce.
        Enqueued::Completed { .. } => true,
    }
}

fn busy(id: &JobId) -> Error {
    let jobs = STAND_INS_MAX + 1;
    let message =
        format!("{jobs} jobs run under this id, up to {id:?}; enqueue again when one of them is over");
    Error::new(ErrorKind::Conflict, "enqueue", message)
}
