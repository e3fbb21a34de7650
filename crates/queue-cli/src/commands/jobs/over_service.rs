//! Waits for and changes of jobs behind a service, for a caller that cannot use the store: there
//! the service waits and decides itself, by calls of `/v1`.

use crate::{exit::CliError, session::Jobs};
use queue::{
    Change, Enqueued, Id, JobId, JobOptions, Outcome, Raw, Seq,
    service::{Changed, Ended, ServiceStore},
};
use std::time::Duration;

/// The service behind a handle; `None` for the handle of a store.
pub(crate) fn service(jobs: &Jobs) -> Option<&ServiceStore> {
    jobs.storage().concrete()?.downcast_ref()
}

/// Waits for the outcome of a job, of the life that has the id or of the one that is named.
pub(crate) async fn outcome(
    service: &ServiceStore,
    jobs: &Jobs,
    id: &JobId,
    life: Option<Seq>,
    timeout: Duration,
) -> Result<Outcome<Raw>, CliError> {
    Ok(match service.outcome(jobs.name(), id, life, timeout).await? {
        Ended::Completed(result) => Outcome::Completed(Raw(result)),
        Ended::Failed { reason, error } => Outcome::Failed { reason, error },
        Ended::Cancelled { reason } => Outcome::Cancelled { reason },
        Ended::Superseded => Outcome::Superseded,
        Ended::Expired => Outcome::Expired,
        Ended::Unknown => Outcome::Unknown,
        Ended::Pending { state } => Outcome::TimedOut { state, error: None },
        other => return Err(CliError::unforeseen(other)),
    })
}

/// Enqueues a job and waits for its outcome.
pub(crate) async fn enqueue_and_wait(
    service: &ServiceStore,
    jobs: &Jobs,
    (id, payload, options): (Id, Raw, JobOptions),
    timeout: Duration,
) -> Result<Outcome<Raw>, CliError> {
    match jobs.enqueue_with(id, payload, options).await? {
        Enqueued::Completed { result, .. } => Ok(Outcome::Completed(result)),
        stored => outcome(service, jobs, stored.id(), stored.seq(), timeout).await,
    }
}

/// What the service did to a job, as a store answers it.
pub(crate) fn change(changed: Changed) -> Result<Change, CliError> {
    Ok(match changed {
        Changed::Done => Change::Done,
        Changed::Requested => Change::Requested,
        Changed::NotAllowed(state) => Change::NotAllowed(state),
        Changed::Missing => Change::Missing,
        other => return Err(CliError::unforeseen(other)),
    })
}
