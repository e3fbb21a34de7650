//! The tries of a retry.

use super::{FailedTry, GiveUp, Retry, RetryError};
use std::time::Duration;
use tokio::time::sleep;

/// What is known of the tries when a run is cut off.
struct Tries<E> {
    begun: u32,
    last: Option<E>,
}

/// Calls `attempt` with its number, from one, until it succeeds or there is no further try.
/// Dropping the future drops the try that runs.
pub async fn run<T, E, F, Fut>(retry: &Retry<E>, attempt: F) -> Result<T, RetryError<E>>
where
    F: FnMut(u32) -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    let mut tries = Tries { begun: 0, last: None };
    let reason = tokio::select! {
        biased;
        () = retry.stop.cancelled() => GiveUp::Cancelled,
        // The outcome comes before the budget, so that a success at the last moment counts.
        outcome = try_all(retry, attempt, &mut tries) => match outcome {
            Ok(success) => return Ok(success),
            Err(reason) => reason,
        },
        () = sleep(retry.budget) => GiveUp::OutOfTime,
    };
    Err(RetryError::new(reason, tries.begun, tries.last))
}

/// Tries until a success or the end of the backoff. The caller's budget is another bound.
async fn try_all<T, E, F, Fut>(retry: &Retry<E>, mut attempt: F, tries: &mut Tries<E>) -> Result<T, GiveUp>
where
    F: FnMut(u32) -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    let mut backoff = retry.backoff.clone();
    loop {
        tries.begun = tries.begun.saturating_add(1);
        let error = match attempt(tries.begun).await {
            Ok(success) => return Ok(success),
            Err(error) => error,
        };
        let next = if (retry.is_terminal)(&error) {
            Err(GiveUp::Terminal)
        } else {
            backoff.after_failure().ok_or(GiveUp::Exhausted)
        };
        note(retry, tries, error, next.ok());
        sleep(next?).await;
    }
}

fn note<E>(retry: &Retry<E>, tries: &mut Tries<E>, error: E, wait: Option<Duration>) {
    (retry.observe)(&FailedTry { error: &error, attempt: tries.begun, wait });
    tries.last = Some(error);
}
