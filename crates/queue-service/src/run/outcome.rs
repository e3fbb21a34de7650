//! An outcome on its way to the service: what is sent again, and what is a verdict.

use super::{
    batches::Company,
    storable::storable,
    token_wait::TokenWait,
    verdict::{SettleEnd, Verdict},
};
use crate::{
    ProblemKind, ServiceError,
    client::Backoff,
    wire::{ItemAnswer, event_json},
};
use futures_util::future::BoxFuture;
use queue_core::{Rng, lifecycle::Event};
use serde_json::json;
use tokio::time::sleep;

/// Makes the calls for an outcome.
pub(super) struct Delivery<'a> {
    pub(super) receipt: &'a str,
    pub(super) rng: &'a dyn Rng,
    pub(super) token_wait: &'a TokenWait,
    /// Sends the item once.
    pub(super) send: &'a (dyn Fn(String, Company) -> BoxFuture<'a, Result<ItemAnswer, ServiceError>> + Sync),
    pub(super) warn: &'a (dyn Fn(ServiceError) + Sync),
}

impl Delivery<'_> {
    /// Sends an outcome until the service has given its verdict, with waits that double. Answers
    /// the event that was taken: an outcome that cannot be stored becomes a failure that says so.
    ///
    /// The end of the lease is no reason to stop: another worker may not have the job yet, and the
    /// service says so if it has. A job keeps its slot meanwhile, so there are never more unsent
    /// outcomes than slots. A worker that must end drops the future.
    pub(super) async fn deliver(&self, mut event: Event) -> (SettleEnd, Event) {
        let mut backoff = Backoff::new();
        let mut company = Company::Any;
        let mut is_resent = false;
        let mut is_told = false;
        loop {
            let wait = match (self.send)(self.item(&event), company).await {
                Ok(item) => match Verdict::of(&item) {
                    // The sending that had no answer may have removed the job.
                    Verdict::End(SettleEnd::Lost) if is_resent && item.outcome == "missing" => {
                        return (end_of_removed(&event), event);
                    }
                    Verdict::End(end) => return (end, event),
                    Verdict::Again => backoff.next(self.rng),
                    Verdict::Refused => match Self::storable_after(&item, &event) {
                        Some(storable) => {
                            event = storable;
                            continue;
                        }
                        None => return self.give_up(event, refused(&item)),
                    },
                },
                // One bad item refuses the whole call.
                Err(error) if error.kind() == ProblemKind::Invalid && company == Company::Any => {
                    company = Company::None;
                    continue;
                }
                Err(error) if error.kind() == ProblemKind::Invalid => {
                    match storable(&event, error.message()) {
                        Some(storable) => event = storable,
                        None => return self.give_up(event, error),
                    }
                    continue;
                }
                Err(error) => match self.token_wait.passing(error) {
                    Ok(error) => {
                        is_resent |= error.is_unknown();
                        company = company.after(&error);
                        let wait = backoff.after(&error, self.rng);
                        // A worker whose slots are all full of such outcomes says nothing else.
                        if !std::mem::replace(&mut is_told, true) {
                            (self.warn)(error);
                        }
                        wait
                    }
                    Err(error) => return self.give_up(event, error),
                },
            };
            sleep(wait).await;
        }
    }

    fn item(&self, event: &Event) -> String {
        let mut item = event_json(event);
        item.insert("receipt".to_owned(), json!(self.receipt));
        serde_json::Value::Object(item).to_string()
    }

    /// What is sent in place of an outcome that was refused for what it says. Any other refusal is
    /// no reason to fail the job.
    fn storable_after(item: &ItemAnswer, event: &Event) -> Option<Event> {
        let is_of_outcome = refused(item).kind() == ProblemKind::Invalid && !item.is_of_another_key();
        storable(event, item.refusal()).filter(|_| is_of_outcome)
    }

    fn give_up(&self, event: Event, error: ServiceError) -> (SettleEnd, Event) {
        (self.warn)(error);
        (SettleEnd::Abandoned, event)
    }
}

fn refused(item: &ItemAnswer) -> ServiceError {
    let kind = item.problem.as_ref().map_or(ProblemKind::Invalid, |problem| problem.kind);
    ServiceError::new(kind, format!("an outcome was refused: {}", item.refusal()))
}

fn end_of_removed(event: &Event) -> SettleEnd {
    match event {
        Event::Complete { .. } => SettleEnd::Completed,
        _ => SettleEnd::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use queue_core::{ContentType, LeaseToken, Payload, SeededRng};
    use serde_json::Value;
    use std::time::Duration;
    use tokio::time::Instant;

    const OUTAGE: Duration = Duration::from_hours(1);

    fn problem(kind: ProblemKind, certainty: &str) -> ServiceError {
        let kind = format!("{kind:?}").to_lowercase();
        let said = json!({"kind": kind, "detail": "the service says no", "certainty": certainty});
        ServiceError::of_document(said.to_string().as_bytes()).expect("a kind of the protocol")
    }

    fn answer(item: &Value) -> ItemAnswer {
        serde_json::from_value(item.clone()).unwrap()
    }

    fn done(state: &str) -> ItemAnswer {
        answer(&json!({"outcome": "done", "state": state}))
    }

    fn complete() -> Event {
        Event::Complete {
            token: LeaseToken::from_bytes([0; 16]),
            result: Payload::new("7", ContentType::from_static("application/json")),
            retention: None,
            then: Vec::new(),
        }
    }

    /// Delivers to a service that answers so, and says how it ended, and with which warnings.
    async fn delivered(
        answers: impl Fn(&Value, Company) -> Result<ItemAnswer, ServiceError> + Sync,
    ) -> (SettleEnd, Vec<String>) {
        let told = Mutex::new(Vec::new());
        let send = |text: String, company| -> BoxFuture<'_, _> {
            let answer = answers(&serde_json::from_str(&text).unwrap(), company);
            Box::pin(async move { answer })
        };
        let warn = |error: ServiceError| told.lock().push(error.message().to_owned());
        let rng = SeededRng::new(1);
        let token_wait = TokenWait::new(None);
        let delivery =
            Delivery { receipt: "r", rng: &rng, token_wait: &token_wait, send: &send, warn: &warn };
        let (end, _) = delivery.deliver(complete()).await;
        (end, told.into_inner())
    }

    #[tokio::test(start_paused = true)]
    async fn an_outcome_is_sent_again_for_as_long_as_the_service_does_not_take_it() {
        let begun = Instant::now();
        for refusal in [
            || Err(problem(ProblemKind::Unavailable, "not_applied")),
            || Err(problem(ProblemKind::Internal, "unknown")),
            || Ok(answer(&json!({"outcome": "conflict"}))),
        ] {
            let until = Instant::now() + OUTAGE;
            let (end, told) =
                delivered(|_, _| if Instant::now() < until { refusal() } else { Ok(done("completed")) })
                    .await;
            assert_eq!(end, SettleEnd::Completed);
            assert!(told.len() <= 1 && Instant::now() >= until, "it was not taken before");
        }
        assert!(begun.elapsed() < OUTAGE * 4, "it waits for seconds between two sendings");
    }

    #[tokio::test(start_paused = true)]
    async fn a_problem_that_no_waiting_mends_ends_it_and_is_told() {
        for kind in [ProblemKind::Unauthorized, ProblemKind::Forbidden, ProblemKind::Unsupported] {
            let sent = Mutex::new(0);
            let (end, told) = delivered(|_, _| {
                *sent.lock() += 1;
                Err(problem(kind, "not_applied"))
            })
            .await;
            assert_eq!((end, *sent.lock()), (SettleEnd::Abandoned, 1));
            let said = if kind == ProblemKind::Unauthorized {
                "the token is unknown or revoked"
            } else {
                "the service says no"
            };
            assert_eq!(told, [said]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_is_missing_was_settled_by_the_sending_without_an_answer() {
        for (certainty, expected) in [("unknown", SettleEnd::Completed), ("not_applied", SettleEnd::Lost)] {
            let is_first = Mutex::new(true);
            let missing = answer(&json!({"outcome": "missing"}));
            let (end, _) = delivered(|_, _| {
                let is_first = std::mem::take(&mut *is_first.lock());
                if is_first { Err(problem(ProblemKind::Unavailable, certainty)) } else { Ok(missing.clone()) }
            })
            .await;
            assert_eq!(end, expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_that_cannot_be_stored_fails_the_job_and_no_other() {
        let refused =
            json!({"outcome": "refused", "problem": {"kind": "invalid", "detail": "at most 1 byte"}});
        for of_whole_call in [false, true] {
            let (end, _) = delivered(|item, company| match &item["fail"]["error"]["message"] {
                Value::Null if !of_whole_call => Ok(answer(&refused)),
                Value::Null => Err(problem(ProblemKind::Invalid, "not_applied")),
                message => {
                    assert!(message == "at most 1 byte" || company == Company::None, "{message}");
                    Ok(done("failed"))
                }
            })
            .await;
            assert_eq!(end, SettleEnd::Failed);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_that_is_not_about_the_outcome_fails_no_job() {
        for kind in ["forbidden", "corrupt", "internal", "unsupported"] {
            let refused = json!({"outcome": "refused", "problem": {"kind": kind, "detail": "no"}});
            let sent = Mutex::new(0);
            let (end, told) = delivered(|_, _| {
                *sent.lock() += 1;
                Ok(answer(&refused))
            })
            .await;
            assert_eq!((end, *sent.lock()), (SettleEnd::Abandoned, 1), "{kind}");
            assert_eq!(told, ["an outcome was refused: no"]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_receipt_of_another_key_is_given_up_and_its_job_does_not_fail() {
        let other = json!({"outcome": "refused",
            "problem": {"kind": "invalid", "detail": "another key", "reason": "other_key"}});
        let (end, told) = delivered(|_, _| Ok(answer(&other))).await;
        assert_eq!(
            (end, told),
            (SettleEnd::Abandoned, vec!["an outcome was refused: another key".to_owned()])
        );
    }
}
