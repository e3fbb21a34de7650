//! A case of the suite, what a store must offer for it to run, and the tables of cases.

use crate::{Invariant, bench::Bench};
use futures_util::future::LocalBoxFuture;
use std::fmt;

/// A named requirement on every store.
#[derive(Debug)]
pub(crate) struct Case {
    /// The subject: the name of its file.
    pub(crate) group: &'static str,
    /// The requirement.
    pub(crate) name: &'static str,
    /// The invariants that the case checks.
    pub(crate) invariants: &'static [Invariant],
    /// The capabilities that the case needs.
    pub(crate) needs: &'static [Need],
    /// Runs the case, which panics if the store does not meet the requirement.
    pub(crate) run: fn(&Bench) -> LocalBoxFuture<'_, ()>,
}

/// A capability that not every store offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Pause,
    Attempts,
    Import,
    Gates,
    Partitions,
    Presence,
    Series,
    Hints,
    Verify,
    Reopen,
    SecondHandle,
    Transactions,
    DroppedClaims,
    ClockBound,
}

impl Case {
    /// The full name, `group::name`, like a module path.
    pub(crate) fn full_name(&self) -> String {
        format!("{}::{}", self.group, self.name)
    }

    /// The numbers of its invariants.
    pub(crate) fn cited(&self) -> String {
        let shown: Vec<String> = self.invariants.iter().map(ToString::to_string).collect();
        shown.join(" ")
    }
}

impl Need {
    /// What the author of a store has to provide so that the cases with this need run.
    pub(crate) const fn provided_by(self) -> &'static str {
        match self {
            Self::Pause => "`Capabilities::with_pause`",
            Self::Attempts => "`Capabilities::with_attempts`",
            Self::Import => "`Capabilities::with_import`",
            Self::Gates => "`Capabilities::with_gates`",
            Self::Partitions => "`Capabilities::with_partitions`",
            Self::Presence => "`Capabilities::with_presence`",
            Self::Series => "`Capabilities::with_series`",
            Self::Hints => "`Capabilities::with_events`",
            Self::Verify => {
                "`Storage::verify`. Without it no case compares the indexes with the records at its end"
            }
            Self::Reopen => "`Facility::Reopen` of the harness",
            Self::SecondHandle => "`Facility::SecondHandle` of the harness",
            Self::Transactions => "`Facility::Transactions` of the harness",
            Self::DroppedClaims => "`Facility::DroppedClaims` of the harness",
            Self::ClockBound => {
                "`Facility::ClockBound` of the harness; a store whose time is a server's has none"
            }
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pause => "pause",
            Self::Attempts => "attempts",
            Self::Import => "imports",
            Self::Gates => "gates and end signals",
            Self::Partitions => "partitions and limits",
            Self::Presence => "presence",
            Self::Series => "series",
            Self::Hints => "hints",
            Self::Verify => "verify",
            Self::Reopen => "reopening",
            Self::SecondHandle => "a second handle",
            Self::Transactions => "transactions of the application",
            Self::DroppedClaims => "dropped claims given back",
            Self::ClockBound => "a bound on its clock",
        })
    }
}

/// The table of a file: `name [invariants] (needs);` for each case, in the order of the file.
macro_rules! cases {
    ($group:literal: $($name:ident [$($invariant:ident)+] $(($($need:ident)+))?;)+) => {
        pub(in $crate::cases) const CASES: &[$crate::cases::Case] = &[$(
            $crate::cases::Case {
                group: $group,
                name: stringify!($name),
                invariants: &[$($crate::Invariant::$invariant),+],
                needs: &[$($($crate::cases::Need::$need),+)?],
                run: |bench| Box::pin($name(bench)),
            }
        ),+];
    };
}

pub(super) use cases;
