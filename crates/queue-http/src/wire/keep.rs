//! Numbers that may also be a word: how long a record is kept, how often a job may fail.

use crate::problem::{Problem, Result};
use queue_core::{Budget, Keep, Retention};
use queue_view::{KeepWord, Unlimited};
use serde::Deserialize;
use std::time::Duration;
use utoipa::ToSchema;

use super::span;

/// Milliseconds, `"forever"` or `"nothing"`.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum KeepIn {
    Millis(u64),
    Word(KeepWord),
}

impl KeepIn {
    pub(crate) fn retention(self) -> Result<Retention> {
        Ok(match self {
            Self::Millis(millis) => {
                span("a time to keep a record", millis)?;
                Keep::For(Duration::from_millis(millis)).into()
            }
            Self::Word(KeepWord::Forever) => Retention::Forever,
            Self::Word(KeepWord::Nothing) => Retention::Remove,
        })
    }
}

/// A number from one on, or `"unlimited"`.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BudgetIn {
    At(u32),
    Word(Unlimited),
}

impl BudgetIn {
    pub(crate) fn budget(self) -> Result<Budget> {
        match self {
            Self::At(0) => Err(Problem::invalid("a budget is at least 1; for none say \"unlimited\"")),
            Self::At(limit) => Ok(Budget::from_raw(limit)),
            Self::Word(Unlimited::Unlimited) => Ok(Budget::Unlimited),
        }
    }
}
