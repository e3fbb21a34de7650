//! Changes of many jobs by their ids.

use queue_core::{
    Applied, Changed, Detail, JobId, JobMeta, LibraryJob, QueueName, Result, Retention, State, Storage,
    StorageExt, Timestamp,
    lifecycle::{Event, Policy, Rejected, decide},
};

/// The outcomes for jobs that were to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedJobs {
    /// Each job, in the order of the ids that were given.
    pub jobs: Vec<ChangedJob>,
    /// When they were changed, by store time.
    pub now: Timestamp,
}

/// The outcome for one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedJob {
    /// Its id.
    pub id: JobId,
    /// The outcome for this job.
    pub outcome: ChangeOutcome,
    /// Its state after the change; `None` if there is no record of it.
    pub state: Option<State>,
}

/// The outcome for a job that was to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeOutcome {
    /// It is as was asked.
    Done,
    /// It runs, and its worker is asked to stop it.
    Requested,
    /// Its state does not allow the change, or it already is as was asked.
    Unchanged,
    /// There is no such job.
    Missing,
    /// It kept changing, or the store did not answer: ask again.
    Conflict,
}

impl ChangeOutcome {
    /// The lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Requested => "requested",
            Self::Unchanged => "unchanged",
            Self::Missing => "missing",
            Self::Conflict => "conflict",
        }
    }
}

impl ChangedJobs {
    /// How many of the jobs were changed, or their workers asked to stop them.
    pub fn done(&self) -> usize {
        let is_done =
            |job: &&ChangedJob| matches!(job.outcome, ChangeOutcome::Done | ChangeOutcome::Requested);
        self.jobs.iter().filter(is_done).count()
    }
}

/// Decides one event on each of these jobs of a queue, in two calls of the store: one that reads
/// and one that changes. A job that moves between the two is decided on again by itself. A dropped
/// future leaves each job changed or as it was.
///
/// # Errors
/// [`LibraryJob::refuse`] for a job of the library, when nothing was changed, and the errors of
/// [`Storage::get`] and [`Storage::apply`].
pub async fn change_jobs(
    store: &dyn Storage,
    queue: &QueueName,
    ids: &[JobId],
    event: &Event,
    policy: &Policy,
) -> Result<ChangedJobs> {
    let read = store.get(queue, ids, Detail::Meta).await?;
    let mut ended: Vec<Option<Ended>> = Vec::with_capacity(ids.len());
    read.value.iter().flatten().try_for_each(|record| LibraryJob::refuse(&record.meta))?;
    let (mut places, mut batch) = (Vec::new(), Vec::new());
    for (at, record) in read.value.iter().enumerate() {
        let decided = record.as_ref().map(|record| decide(&record.meta, event.clone(), policy));
        ended.push(match decided {
            None => Some((ChangeOutcome::Missing, None)),
            Some(Err(rejected)) => Some(refused(event, rejected)),
            Some(Ok(transition)) => {
                places.push(at);
                batch.push(transition);
                None
            }
        });
    }
    let applied = store.apply(batch).await?;
    for (at, answer) in places.into_iter().zip(applied.value) {
        ended[at] = Some(match answer {
            Applied::Done(meta) => done(event, &meta),
            // It changed or was replaced between the read and this call.
            Applied::Stale(_) | Applied::LeaseLost(_) | Applied::Missing => {
                alone(store, queue, &ids[at], event, policy).await
            }
        });
    }
    let jobs = ids.iter().zip(ended).map(|(id, ended)| {
        // A store that answers fewer jobs than it got has said nothing of the others.
        let (outcome, state) = ended.unwrap_or((ChangeOutcome::Conflict, None));
        ChangedJob { id: id.clone(), outcome, state }
    });
    Ok(ChangedJobs { jobs: jobs.collect(), now: applied.now })
}

/// The outcome for a job, and its state then.
type Ended = (ChangeOutcome, Option<State>);

async fn alone(store: &dyn Storage, queue: &QueueName, id: &JobId, event: &Event, policy: &Policy) -> Ended {
    match store.change_own(queue, id, event.clone(), policy).await {
        Ok(Changed::Done(meta)) => done(event, &meta),
        Ok(Changed::Rejected(rejected)) => refused(event, rejected),
        Ok(Changed::Missing) => (ChangeOutcome::Missing, None),
        Ok(Changed::LeaseLost(_)) | Err(_) => (ChangeOutcome::Conflict, None),
    }
}

fn done(event: &Event, meta: &JobMeta) -> Ended {
    match (event, meta.state) {
        (Event::Cancel { .. }, State::Processing) => (ChangeOutcome::Requested, Some(State::Processing)),
        // The record may have been removed, and had been cancelled then.
        (Event::Cancel { .. }, _) => (ChangeOutcome::Done, Some(State::Cancelled)),
        (Event::Delete | Event::SetRetention(Retention::Remove), _) => (ChangeOutcome::Done, None),
        (_, state) => (ChangeOutcome::Done, Some(state)),
    }
}

fn refused(event: &Event, rejected: Rejected) -> Ended {
    match (event, rejected) {
        (Event::Cancel { .. }, Rejected::Already(State::Processing)) => {
            (ChangeOutcome::Requested, Some(State::Processing))
        }
        (Event::Cancel { .. }, Rejected::Already(state)) => (ChangeOutcome::Done, Some(state)),
        (_, rejected) => (ChangeOutcome::Unchanged, Some(rejected.state())),
    }
}
