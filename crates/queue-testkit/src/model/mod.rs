//! Random runs compared with a small model of a queue that shares no code with any store or with
//! the lifecycle.
//!
//! A run is a list of steps, drawn from a seed. Each step is made on the store and in the model;
//! then the answer and every record, count and time must agree. A difference is shrunk to the
//! fewest steps that show it.
//!
//! Absent on purpose: concurrent steps, which the races and recorded histories cover.

mod answer;
mod card;
mod driver;
mod job;
mod lives;
pub(crate) mod op;
pub(crate) mod request;
mod rules;
mod search;
pub(crate) mod strategy;
mod world;

use crate::{
    Invariant::{I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, I11, I12, I13, I20, I21, I24},
    bench::Bench,
    cases::{Case, Need},
};
use strategy::Mix;

/// Some of everything.
const EVEN: Mix = Mix {
    enqueue: 4,
    claim: 4,
    hold: 6,
    change: 4,
    rescue: 2,
    prune: 1,
    pause: 0,
    list: 1,
    clock: 4,
    step_back: 1,
    reopen: 0,
};

macro_rules! runs {
    ($($(#[doc = $doc:literal])+ $name:ident [$($invariant:ident)+] $(($($need:ident)+))? = $mix:expr;)+) => {
        pub(crate) const CASES: &[Case] = &[$(
            Case {
                group: "model",
                name: stringify!($name),
                invariants: &[$($invariant),+],
                needs: &[$($(Need::$need),+)?],
                run: |bench| Box::pin($name(bench)),
            }
        ),+];
        $(
            $(#[doc = $doc])+
            async fn $name(bench: &Bench) {
                search::run(bench, stringify!($name), $mix).await;
            }
        )+
    };
}

runs! {
    /// Every verb but pauses and reopening, which not every store has.
    any_steps_agree [I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13 I20 I24] = EVEN;
    /// Holders, whether live or late, and lapses.
    leases_agree [I3 I4 I5 I7 I8] = Mix { enqueue: 2, claim: 8, hold: 12, change: 2, rescue: 5, clock: 8, ..EVEN };
    /// Ids that are taken, freed and taken again.
    lives_agree [I1 I6 I9 I10 I13] = Mix { enqueue: 10, hold: 8, change: 10, prune: 3, ..EVEN };
    /// Due times and the order of claims, under a clock that steps.
    times_agree [I11 I12 I24] = Mix { enqueue: 8, claim: 6, hold: 2, list: 0, clock: 8, step_back: 4, ..EVEN };
    /// A queue that is paused and resumed.
    pauses_agree [I1 I11] (Pause) = Mix { pause: 4, ..EVEN };
    /// Data that outlive their handles, under a clock that steps.
    reopening_agrees [I21 I24 I5] (Reopen) = Mix { reopen: 4, step_back: 2, ..EVEN };
}
