//! An outcome on its way to the service: what is sent again, and what is a verdict.

use super::{
    calls::{Backoff, CallError},
    protocol::{ItemAnswer, ItemsAnswer},
    settle::JobEnd,
};
use serde_json::{Value, json};
use tokio::time::sleep;

const TOO_LARGE: u16 = 413;

/// What an answer to a settle means.
enum Verdict {
    End(JobEnd),
    Again,
    TooLarge,
    Refused,
}

/// Sends an outcome until the service has given its verdict, with waits that double.
///
/// The end of the lease is no reason to stop: another worker may not have the job yet, and the
/// service says so if it has. A job keeps its slot meanwhile, so there are never more unsent
/// outcomes than slots. `send` makes the call, `warn` tells people what they may want to act on. A
/// worker that must end drops the future.
pub(super) async fn settle(
    event: Value,
    send: impl AsyncFn(&Value) -> Result<ItemsAnswer, CallError>,
    warn: impl Fn(&str),
) -> JobEnd {
    let (mut event, mut backoff, mut is_resent, mut is_told) = (event, Backoff::new(), false, false);
    loop {
        let wait = match send(&event).await.map(|answer| answer.items.into_iter().next()) {
            Ok(Some(item)) => match verdict(&item) {
                // The sending that had no answer may have removed the job.
                Verdict::End(JobEnd::Lost) if is_resent && item.outcome == "missing" => {
                    return if event["complete"].is_null() { JobEnd::Failed } else { JobEnd::Completed };
                }
                Verdict::End(end) => return end,
                Verdict::Again => backoff.next(),
                Verdict::TooLarge => {
                    let error = json!({"name": "ResultTooLarge", "message": item.refusal()});
                    event = json!({"fail": {"error": error, "cause": "terminal"}});
                    continue;
                }
                Verdict::Refused => {
                    warn(&format!("an outcome was refused: {}", item.refusal()));
                    return JobEnd::Abandoned;
                }
            },
            Ok(None) => return JobEnd::Abandoned,
            Err(error) if error.may_be_mended() => {
                is_resent |= error.is_unknown;
                // A worker whose slots are all full of such outcomes says nothing else.
                if !std::mem::replace(&mut is_told, true) {
                    warn(&format!("{}; trying again", error.message));
                }
                backoff.after(&error)
            }
            Err(error) => {
                warn(&error.message);
                return JobEnd::Abandoned;
            }
        };
        sleep(wait).await;
    }
}

fn verdict(item: &ItemAnswer) -> Verdict {
    Verdict::End(match (item.outcome.as_str(), item.state.as_deref()) {
        ("done", Some("completed")) => JobEnd::Completed,
        ("done", Some("failing")) => JobEnd::Failing,
        ("done", Some("failed")) => JobEnd::Failed,
        ("done", Some("cancelled")) => JobEnd::Cancelled,
        ("done", _) => JobEnd::Released,
        ("lease_lost" | "missing", _) => JobEnd::Lost,
        ("conflict", _) => return Verdict::Again,
        _ if item.problem.as_ref().is_some_and(|problem| problem.kind.is_temporary()) => {
            return Verdict::Again;
        }
        _ if item.problem.as_ref().is_some_and(|problem| problem.status == TOO_LARGE) => {
            return Verdict::TooLarge;
        }
        _ => return Verdict::Refused,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::workers::work::remote::calls::ProblemKind;
    use std::{
        cell::{Cell, RefCell},
        time::Duration,
    };
    use tokio::time::Instant;

    const OUTAGE: Duration = Duration::from_hours(1);

    fn problem(kind: ProblemKind, is_unknown: bool) -> CallError {
        CallError { kind, message: "the service says no".to_owned(), is_unknown, retry_after: None }
    }

    fn answer(item: &Value) -> ItemsAnswer {
        serde_json::from_value(json!({"items": [item]})).unwrap()
    }

    fn done() -> ItemsAnswer {
        answer(&json!({"outcome": "done", "state": "completed"}))
    }

    fn quiet(_: &str) {}

    #[tokio::test(start_paused = true)]
    async fn an_outcome_is_sent_again_for_as_long_as_the_service_does_not_take_it() {
        let begun = Instant::now();
        for refusal in [
            || Err(problem(ProblemKind::Unavailable, false)),
            || Err(problem(ProblemKind::Internal, true)),
            || Ok(answer(&json!({"outcome": "conflict"}))),
        ] {
            let until = Instant::now() + OUTAGE;
            let call = async |_: &Value| if Instant::now() < until { refusal() } else { Ok(done()) };
            assert_eq!(settle(json!({"complete": {}}), call, quiet).await, JobEnd::Completed);
            assert!(Instant::now() >= until, "it was not taken before");
        }
        assert!(begun.elapsed() < OUTAGE * 4, "it waits for seconds between two sendings");
    }

    #[tokio::test(start_paused = true)]
    async fn a_problem_that_no_waiting_mends_ends_it_and_is_told() {
        for kind in [ProblemKind::Unauthorized, ProblemKind::Forbidden, ProblemKind::Unsupported] {
            let (sent, told) = (Cell::new(0), RefCell::new(Vec::new()));
            let call = async |_: &Value| {
                sent.set(sent.get() + 1);
                Err(problem(kind, false))
            };
            let end = settle(json!({"complete": {}}), call, |words| told.borrow_mut().push(words.to_owned()));
            assert_eq!(end.await, JobEnd::Abandoned);
            assert_eq!((sent.get(), told.into_inner()), (1, vec!["the service says no".to_owned()]));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_is_missing_was_settled_by_the_sending_without_an_answer() {
        for (is_unknown, end) in [(true, JobEnd::Completed), (false, JobEnd::Lost)] {
            let is_first = Cell::new(true);
            let call = async |_: &Value| {
                if is_first.replace(false) {
                    return Err(problem(ProblemKind::Unavailable, is_unknown));
                }
                Ok(answer(&json!({"outcome": "missing"})))
            };
            assert_eq!(settle(json!({"complete": {}}), call, quiet).await, end);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_that_is_too_large_fails_the_job() {
        let sent = RefCell::new(Vec::new());
        let call = async |event: &Value| {
            sent.borrow_mut().push(event.clone());
            let refused = json!({"kind": "invalid", "detail": "at most 1 byte", "status": 413});
            Ok(match event["fail"] {
                Value::Null => answer(&json!({"outcome": "refused", "problem": refused})),
                _ => answer(&json!({"outcome": "done", "state": "failed"})),
            })
        };
        assert_eq!(settle(json!({"complete": {}}), call, quiet).await, JobEnd::Failed);
        assert_eq!(sent.borrow()[1]["fail"]["error"]["message"], "at most 1 byte");
    }
}
