//! Judges a record that a wait has read.

use crate::Outcome;
use queue_core::{Error, ErrorKind, JobMeta, JobRecord, Kind, Payload, Result, Seq, State};

/// The result of a Completed job, and the kind of that job, for decoding the result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoredResult {
    pub(super) kind: Kind,
    pub(super) result: Payload,
}

/// What a read of the record says about the life that is waited for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LifeStatus {
    /// Not finished.
    Pending,
    /// Finished: the outcome is in the record.
    Finished,
    /// Finished, but the record was removed.
    Over(Outcome<StoredResult>),
}

/// Judges a record. `life` is `None` before any life was seen.
pub(super) fn judge(life: Option<Seq>, found: Option<&JobMeta>) -> LifeStatus {
    let Some(found) = found else {
        return LifeStatus::Over(if life.is_some() { Outcome::Expired } else { Outcome::Unknown });
    };
    match life {
        Some(life) if found.seq > life => LifeStatus::Over(Outcome::Superseded),
        // A life older than the one enqueued comes from an old read; the next read is newer.
        Some(life) if found.seq < life => LifeStatus::Pending,
        _ if found.state.is_terminal() => LifeStatus::Finished,
        _ => LifeStatus::Pending,
    }
}

/// The outcome that a finished record holds.
pub(super) fn outcome_of(record: JobRecord) -> Result<Outcome<StoredResult>> {
    let JobRecord { meta, body } = record;
    let (result, details) = body.map_or((None, None), |body| (body.result, body.error_details));
    match meta.state {
        State::Completed => {
            let result = result.ok_or_else(|| corrupt("a completed job has no result"))?;
            Ok(Outcome::Completed(StoredResult { kind: meta.kind, result }))
        }
        State::Failed => {
            let reason = meta.reason.ok_or_else(|| corrupt("a failed job has no reason"))?;
            let error = meta.last_error.map(|error| match details {
                Some(details) => error.with_details(details),
                None => error,
            });
            Ok(Outcome::Failed { reason, error })
        }
        State::Cancelled => Ok(Outcome::Cancelled { reason: meta.reason }),
        state @ (State::Queued | State::Processing | State::Failing) => {
            Ok(Outcome::TimedOut { state: Some(state), error: meta.last_error })
        }
    }
}

fn corrupt(message: &str) -> Error {
    Error::new(ErrorKind::Corrupt, "wait", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{ContentType, JobId, NewJob, QueueName, Timestamp};

    fn meta(seq: u64, state: State) -> JobMeta {
        let payload = Payload::new("1", ContentType::from_static("text/plain"));
        let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        let begun = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(seq), Timestamp::default());
        JobMeta { state, ..begun }
    }

    #[test]
    fn only_the_life_that_is_waited_for_counts() {
        let life = Some(Seq::new(5));
        for (life, found, status) in [
            (None, None, LifeStatus::Over(Outcome::Unknown)),
            (life, None, LifeStatus::Over(Outcome::Expired)),
            (life, Some(meta(6, State::Completed)), LifeStatus::Over(Outcome::Superseded)),
            (life, Some(meta(4, State::Completed)), LifeStatus::Pending),
            (life, Some(meta(5, State::Completed)), LifeStatus::Finished),
            (life, Some(meta(5, State::Failed)), LifeStatus::Finished),
            (life, Some(meta(5, State::Cancelled)), LifeStatus::Finished),
            (life, Some(meta(5, State::Failing)), LifeStatus::Pending),
            (life, Some(meta(5, State::Processing)), LifeStatus::Pending),
            (None, Some(meta(5, State::Completed)), LifeStatus::Finished),
            (None, Some(meta(5, State::Queued)), LifeStatus::Pending),
        ] {
            assert_eq!(judge(life, found.as_ref()), status, "{life:?} {found:?}");
        }
    }
}
