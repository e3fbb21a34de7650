//! Every row of the table.

use crate::{
    axes::{Between, CLOCKS, EXPIRIES, FLAGS, RETENTIONS, Spent, events, gates, kinds, policies},
    oracle::{Outcome, expect, followers, settle_of, signals},
    world::record_in,
};
use queue_core::{
    State, Timestamp,
    lifecycle::{Event, Policy, Settle, TrackedJob, Verdict, apply, decide},
};

/// The size of the table, written out so that it cannot shrink unnoticed: states, spent budgets,
/// flags, retentions with expiries, kinds and gates, events, policies, happenings in between,
/// clocks.
const ROWS: usize = 6 * 5 * 4 * 3 * 71 * 3 * 11 * 3;

/// How many rows ended in each way.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    rejected: usize,
    written: usize,
    removed: usize,
    replayed: usize,
    lease_lost: usize,
    stale: usize,
    missing: usize,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Rejected(_) => &mut self.rejected,
            Outcome::Applied(Verdict::Written { .. }, _) => &mut self.written,
            Outcome::Applied(Verdict::Removed, _) => &mut self.removed,
            Outcome::Applied(Verdict::Replayed, _) => &mut self.replayed,
            Outcome::Applied(Verdict::LeaseLost, _) => &mut self.lease_lost,
            Outcome::Applied(Verdict::Stale, _) => &mut self.stale,
            Outcome::Applied(Verdict::Missing, _) => &mut self.missing,
        } += 1;
    }

    fn total(&self) -> usize {
        let refused = self.replayed + self.lease_lost + self.stale + self.missing;
        self.rejected + self.written + self.removed + refused
    }
}

#[test]
fn every_state_meets_every_event_as_documented() {
    let (events, policies) = (events(), policies());
    let mut tally = Tally::default();
    for seen in records() {
        for event in &events {
            for policy in &policies {
                rows(&seen, event, policy, &mut tally);
            }
        }
    }
    assert_eq!(tally.total(), ROWS, "{tally:?}");
}

/// Every record that a decision may rest on.
fn records() -> Vec<TrackedJob> {
    let mut records = Vec::new();
    for state in State::ALL {
        for spent in Spent::ALL {
            for flags in FLAGS {
                let gates = gates(&record_in(state).meta).into_iter();
                let varied = RETENTIONS.into_iter().zip(EXPIRIES).zip(kinds()).zip(gates);
                for (((retention, expiry), kinds), (gate, signalling)) in varied {
                    let mut job = record_in(state);
                    (job.meta.gate, job.meta.signalling) = (gate, signalling);
                    spent.set(&mut job.meta);
                    (job.meta.cancel_requested, job.meta.awaited) = (flags.cancel_requested, flags.awaited);
                    job.meta.terms.retention = retention;
                    (job.meta.expires_in, job.meta.expiry_lifted) = expiry;
                    (job.meta.kind, job.meta.terms.on_failure) = kinds;
                    records.push(job);
                }
            }
        }
    }
    records
}

/// The rows of one decision.
fn rows(seen: &TrackedJob, event: &Event, policy: &Policy, tally: &mut Tally) {
    for between in Between::ALL {
        let mut stored = seen.clone();
        between.happen(&mut stored, settle_of(event).unwrap_or(Settle::Complete));
        for now in CLOCKS {
            let expected = expect(&seen.meta, &stored, event, policy, now);
            let found = decide_and_apply(seen, &stored, event, policy, now);
            assert_eq!(found, expected, "{event:?} {between:?} at {now}\nseen {seen:#?}\nstored {stored:#?}");
            tally.count(&found);
        }
    }
}

fn decide_and_apply(
    seen: &TrackedJob,
    stored: &TrackedJob,
    event: &Event,
    policy: &Policy,
    now: Timestamp,
) -> Outcome {
    let transition = match decide(&seen.meta, event.clone(), policy) {
        Ok(transition) => transition,
        Err(rejected) => return Outcome::Rejected(rejected),
    };
    let meta = &seen.meta;
    assert_eq!((&transition.queue, &transition.id, transition.seq), (&meta.queue, &meta.id, meta.seq));
    assert_eq!(transition.guard.state, meta.state, "the state seen tells a store where to look");
    assert_eq!(transition.then, followers(meta, event, policy), "{event:?}\nseen {seen:#?}");
    assert_eq!(transition.signal, signals(seen, event, policy, now), "{event:?}\nseen {seen:#?}");
    let mut after = stored.clone();
    let verdict = apply(&mut after, &transition, now);
    Outcome::Applied(verdict, Box::new(after))
}
