//! The heartbeat: extends leases in few calls, and stops handlers whose lease is lost or whose job
//! was cancelled.

use super::{Run, held::HeldJob};
use crate::{
    ProblemKind, ServiceError,
    wire::{ItemAnswer, ItemsAnswer, base64, items_body, millis},
};
use queue_worker::{CancelReason, hosted::Heartbeat};
use serde_json::json;
use std::{collections::VecDeque, convert::Infallible, ops::Deref, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// The most receipts of a call.
const ITEMS_MAX: usize = 1_000;
/// The longest that reported progress waits to be sent.
const LOOK_MAX: Duration = Duration::from_secs(1);

impl Run {
    /// Extends the leases of which a third has passed, and asks what lost its lease to stop.
    pub(super) async fn heartbeats(&self) -> Infallible {
        let lease = self.plan.lease;
        let mut rest = self.look();
        loop {
            sleep(rest).await;
            let is_answered = self.beat_all(&self.held.due_within(lease * 2 / 3)).await;
            rest = if is_answered { self.look() } else { lease / 6 };
        }
    }

    /// Asks handlers to stop when their lease lapses, also while a heartbeat has no answer.
    pub(super) async fn watch_lapses(&self) -> Infallible {
        loop {
            sleep(self.look()).await;
            self.held.lose_lapsed();
        }
    }

    fn look(&self) -> Duration {
        (self.plan.lease / 6).min(LOOK_MAX)
    }

    /// Whether the service answered. A call that one item may have spoilt is followed by its
    /// halves, down to the item that is at fault, so that a damaged record costs no lease but its
    /// own.
    async fn beat_all(&self, due: &[Arc<HeldJob>]) -> bool {
        let mut is_answered = true;
        let mut left: VecDeque<_> = due.chunks(ITEMS_MAX).collect();
        while let Some(part) = left.pop_front() {
            match self.beat(part).await {
                Err(error) if part.len() > 1 && error.kind().may_be_of_one() => {
                    let (first, second) = part.split_at(part.len() / 2);
                    left.extend([first, second]);
                }
                Err(error) => {
                    self.warn(error);
                    is_answered = false;
                }
                Ok(refused) => refused.into_iter().for_each(|error| self.warn(error)),
            }
        }
        is_answered
    }

    async fn beat(&self, part: &[Arc<HeldJob>]) -> Result<Vec<ServiceError>, ServiceError> {
        let silent =
            || ServiceError::new(ProblemKind::Unavailable, "the service does not answer a heartbeat");
        timeout(self.plan.lease / 3, self.extend(part)).await.unwrap_or_else(|_elapsed| Err(silent()))
    }

    /// One call for at most [`ITEMS_MAX`] jobs. Answers what the service refused of it.
    pub(super) async fn extend<J: Deref<Target = HeldJob>>(
        &self,
        jobs: &[J],
    ) -> Result<Vec<ServiceError>, ServiceError> {
        let beats: Vec<Heartbeat> = jobs.iter().map(|held| held.heartbeat(self.plan.lease)).collect();
        let items: Vec<String> = jobs.iter().zip(&beats).map(|(held, beat)| item(held, beat)).collect();
        let body = items_body(items.iter().map(String::as_str), Some(self.id.as_str()));
        let sent_at = Instant::now();
        let answer: ItemsAnswer = self.plan.calls.post("/v1/extend", body, Duration::ZERO).await?;
        if answer.drain {
            self.drain();
        }
        let items = jobs.iter().zip(beats).zip(&answer.items);
        Ok(items.filter_map(|((held, beat), item)| noted(held, beat, item, sent_at)).collect())
    }
}

/// Notes an answer on its job. Answers what the service refused; a later look tries again.
fn noted(held: &HeldJob, beat: Heartbeat, item: &ItemAnswer, sent_at: Instant) -> Option<ServiceError> {
    let job = &held.job;
    match item.outcome.as_str() {
        "done" => {
            let lease = item.lease_ms.map_or(beat.by, Duration::from_millis);
            job.extended(beat, sent_at, lease);
            if item.cancel_requested {
                job.cancel(CancelReason::Requested);
            }
        }
        // A job with an outcome may just have been settled.
        _ if job.has_outcome() => {}
        "lease_lost" | "missing" => job.lose(),
        "refused" => {
            let message = format!("a lease was not extended: {}", item.refusal());
            let kind = item.problem.as_ref().map_or(ProblemKind::Invalid, |problem| problem.kind);
            // Behind a balancer the next call may reach a server that has the key.
            if kind == ProblemKind::Invalid && !item.is_of_another_key() {
                held.ask_for_lease_alone();
            }
            return Some(ServiceError::new(kind, message));
        }
        _ => {}
    }
    None
}

fn item(held: &HeldJob, beat: &Heartbeat) -> String {
    let mut item = json!({"receipt": held.receipt(), "by_ms": millis(beat.by)});
    if let Some(progress) = &beat.progress {
        item["progress_base64"] = json!(base64(progress));
    }
    item.to_string()
}
