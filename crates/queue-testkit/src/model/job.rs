//! What one job does, in the model's own words. Nothing here is shared with the lifecycle or with
//! any store.

use super::{
    card::{Body, Card},
    request::FAILURE,
};
use crate::bench::prelude::{RETRY, STALL};
use queue_core::{Reason, Retention, State, lifecycle::Cause};
use serde_json::json;

const STALLED: (&str, &str) = ("Stalled", "the lease lapsed before the worker settled the job");
/// A record that somebody waits for stays this long at least.
const AWAITED_MS: i64 = 60_000;

/// A job in the model.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) card: Card,
    pub(super) body: Body,
    /// The number of the claim that holds it.
    pub(super) held_by: Option<u64>,
    /// The claim that last let go of it, and with which word, until the next claim.
    pub(super) let_go: Option<(u64, &'static str)>,
    /// What follows the failure that has just ended it, until somebody takes it from here.
    pub(super) follow_up: Option<FollowUp>,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    Goes,
}

/// A job that follows: its id, and what it is told.
#[derive(Clone, Debug)]
pub(super) struct FollowUp {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) payload: Vec<u8>,
}

/// A failure as its holder reports it.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) cause: Cause,
    pub(super) delay_ms: Option<i64>,
    pub(super) keep: Option<Retention>,
    pub(super) details: Option<Vec<u8>>,
}

impl Job {
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.card.state, State::Queued | State::Failing)
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.card.state, State::Completed | State::Failed | State::Cancelled)
    }

    pub(super) fn is_due(&self, now: i64) -> bool {
        self.is_waiting() && self.card.run_at <= now
    }

    pub(super) fn has_lapsed(&self, now: i64) -> bool {
        self.card.lease.as_ref().is_some_and(|(_, lapse)| *lapse <= now)
    }

    /// Nobody started it in time.
    pub(super) fn has_expired(&self, now: i64) -> bool {
        self.card.state == State::Queued && self.expires_at().is_some_and(|at| at <= now)
    }

    pub(super) fn expires_at(&self) -> Option<i64> {
        self.card.expires_in_ms.filter(|_| !self.card.is_lifted).map(|ms| self.card.created_at + ms)
    }

    pub(super) fn is_gone(&self, now: i64) -> bool {
        self.card.purge_at.is_some_and(|at| at <= now)
    }

    pub(super) fn take(&mut self, claim: u64, worker: &str, now: i64, lapse: i64) {
        self.card.revision += 1;
        self.card.epoch += 1;
        self.card.state = State::Processing;
        self.card.lease = Some((worker.to_owned(), lapse));
        self.card.claimed_at = Some(now);
        self.held_by = Some(claim);
        self.let_go = None;
    }

    pub(super) fn complete(&mut self, result: Vec<u8>, keep: Option<Retention>, now: i64) -> Fate {
        let keep = keep.unwrap_or(self.card.keep_completed);
        let fate = self.end(State::Completed, None, keep, now);
        if fate == Fate::Stays {
            self.body.result = Some(result);
        }
        fate
    }

    pub(super) fn fail(&mut self, report: Report, now: i64) -> Fate {
        let failures = self.card.failures + 1;
        let spent = self.card.max_attempts != 0 && failures >= self.card.max_attempts;
        let last = match report.cause {
            Cause::Terminal => Some(Reason::Terminal),
            Cause::UnknownKind => Some(Reason::UnknownKind),
            Cause::Undecodable => Some(Reason::Undecodable),
            Cause::Retryable => spent.then_some(Reason::Exhausted),
        };
        let keep = report.keep.unwrap_or(self.card.keep_failed);
        let fate = match last {
            _ if self.card.cancel_requested => self.end(State::Cancelled, None, keep, now),
            Some(reason) => {
                self.mourn(reason, FAILURE, (failures, self.card.stalls));
                self.end(State::Failed, Some(reason), keep, now)
            }
            None => {
                self.lift();
                self.wait(State::Failing, now + report.delay_ms.unwrap_or(RETRY.as_millis()))
            }
        };
        if fate == Fate::Stays {
            self.card.failures = failures;
            self.blame(FAILURE, report.details, now);
        }
        fate
    }

    /// The lease lapsed.
    pub(super) fn stall(&mut self, now: i64) -> Fate {
        let stalls = self.card.stalls + 1;
        let spent = self.card.max_stalls != 0 && stalls >= self.card.max_stalls;
        let keep = self.card.keep_failed;
        let fate = if self.card.cancel_requested {
            self.end(State::Cancelled, None, keep, now)
        } else if spent {
            self.mourn(Reason::Stalled, STALLED, (self.card.failures, stalls));
            self.end(State::Failed, Some(Reason::Stalled), keep, now)
        } else {
            self.lift();
            let again = if stalls == 1 { self.card.run_at } else { now + STALL.as_millis() };
            self.wait(State::Failing, again)
        };
        if fate == Fate::Stays {
            self.card.stalls = stalls;
            self.blame(STALLED, None, now);
        }
        fate
    }

    /// What the holder leaves for the next attempt, which is none if the job is to be cancelled.
    pub(super) fn note(&mut self, progress: Option<Vec<u8>>) {
        if !self.card.cancel_requested {
            self.card.progress = progress.or(self.card.progress.take());
        }
    }

    /// It is of a kind of the library's own.
    pub(super) fn is_own(&self) -> bool {
        self.card.kind.starts_with("queue.")
    }

    /// Back without a charge: released, or put off.
    pub(super) fn give_back(&mut self, run_at: i64, now: i64) -> Fate {
        if self.card.cancel_requested {
            return self.end(State::Cancelled, None, self.card.keep_failed, now);
        }
        self.wait(self.uncharged(), run_at)
    }

    /// It may have started: from now on it does not expire.
    pub(super) fn lift(&mut self) {
        self.card.is_lifted |= self.card.expires_in_ms.is_some() && !self.card.cancel_requested;
    }

    /// Ended since it was not started in time.
    pub(super) fn expire(&mut self, now: i64) -> Fate {
        self.end(State::Cancelled, Some(Reason::Expired), self.card.keep_failed, now)
    }

    pub(super) fn extend(&mut self, lapse: i64, progress: Option<Vec<u8>>) -> Fate {
        self.card.revision += 1;
        if let Some((_, at)) = &mut self.card.lease {
            *at = lapse;
        }
        self.card.progress = progress.or(self.card.progress.take());
        Fate::Stays
    }

    pub(super) fn promote(&mut self, now: i64) -> Fate {
        self.wait(self.uncharged(), self.card.run_at.min(now))
    }

    pub(super) fn put_to(&mut self, run_at: i64) -> Fate {
        self.wait(self.uncharged(), run_at)
    }

    /// Ended before it ran.
    pub(super) fn cancel(&mut self, now: i64) -> Fate {
        self.end(State::Cancelled, None, self.card.keep_failed, now)
    }

    pub(super) fn redrive(&mut self, as_type: Option<&str>, now: i64) -> Fate {
        let card = &mut self.card;
        (card.failures, card.stalls, card.cancel_requested) = (0, 0, false);
        (card.reason, card.error, card.failed_at, card.progress) = (None, None, None, None);
        (card.finished_at, card.purge_at) = (None, None);
        (self.body.result, self.body.details) = (None, None);
        self.body.content_type = as_type.map_or(self.body.content_type.clone(), str::to_owned);
        self.lift();
        self.wait(State::Queued, now)
    }

    pub(super) fn retain(&mut self, keep: Retention, now: i64) -> Fate {
        self.card.revision += 1;
        match keep {
            Retention::Remove => return Fate::Goes,
            Retention::Keep(span) => self.card.purge_at = Some(now + span.as_millis()),
            Retention::Forever => self.card.purge_at = None,
        }
        Fate::Stays
    }

    /// Whoever never failed or stalled waits as Queued.
    fn uncharged(&self) -> State {
        if self.card.failures + self.card.stalls == 0 { State::Queued } else { State::Failing }
    }

    fn wait(&mut self, state: State, run_at: i64) -> Fate {
        self.card.revision += 1;
        self.card.state = state;
        self.card.run_at = run_at;
        self.card.lease = None;
        self.held_by = None;
        Fate::Stays
    }

    fn end(&mut self, state: State, reason: Option<Reason>, keep: Retention, now: i64) -> Fate {
        self.card.revision += 1;
        let keep_ms = match keep {
            Retention::Remove if self.card.awaited => Some(AWAITED_MS),
            Retention::Remove => return Fate::Goes,
            Retention::Keep(span) if self.card.awaited => Some(span.as_millis().max(AWAITED_MS)),
            Retention::Keep(span) => Some(span.as_millis()),
            Retention::Forever => None,
        };
        self.card.state = state;
        self.card.reason = reason;
        self.card.lease = None;
        self.held_by = None;
        self.card.finished_at = Some(now);
        self.card.purge_at = keep_ms.map(|ms| now + ms);
        Fate::Stays
    }

    /// Has the job follow that its producer asked for.
    fn mourn(&mut self, reason: Reason, error: (&str, &str), (failures, stalls): (u32, u32)) {
        let reason = match reason {
            Reason::Exhausted => "exhausted",
            Reason::Terminal => "terminal",
            Reason::Stalled => "stalled",
            Reason::UnknownKind => "unknown kind",
            Reason::Undecodable => "undecodable",
            other => panic!("no job fails for {other:?}"),
        };
        let card = &self.card;
        let told = json!({
            "id": card.id, "seq": card.life, "epoch": card.epoch, "kind": card.kind, "reason": reason,
            "error_name": error.0, "error_message": error.1, "failures": failures, "stalls": stalls,
        });
        let id = format!("on-failure@{}.{}", card.life, card.epoch);
        self.follow_up =
            card.on_failure.clone().map(|kind| FollowUp { id, kind, payload: told.to_string().into_bytes() });
    }

    fn blame(&mut self, (name, message): (&str, &str), details: Option<Vec<u8>>, now: i64) {
        self.card.failed_at = Some(now);
        self.card.error = Some((name.to_owned(), message.to_owned()));
        self.body.details = details;
    }
}
