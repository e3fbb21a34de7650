//! The disturbances under which calls are made: none, dropped hints, or killed workers.

use clap::ValueEnum;
use std::fmt;

/// The disturbance of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// None
    Hints,
    /// Every hint is dropped, on both sides
    Blind,
    /// Workers are killed at random, and replaced
    Kill,
}

impl Mode {
    pub(super) const ALL: [Self; 3] = [Self::Hints, Self::Blind, Self::Kill];

    pub(super) fn has_hints(self) -> bool {
        self != Self::Blind
    }

    pub(super) fn kills(self) -> bool {
        self == Self::Kill
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Hints => "with hints",
            Self::Blind => "with every hint dropped",
            Self::Kill => "with workers killed at random",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hints => "hints",
            Self::Blind => "blind",
            Self::Kill => "kill",
        })
    }
}
