//! How often a job may fail or stall, as JSON.

use queue_core::Budget;
use serde::{Deserialize, Serialize};

/// A number from one on, or `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Budget))]
#[serde(untagged)]
pub enum BudgetView {
    /// This often.
    Limited(u32),
    /// Without a limit.
    Word(Unlimited),
}

/// The word for a budget without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unlimited {
    /// `"unlimited"`.
    Unlimited,
}

impl From<Budget> for BudgetView {
    fn from(budget: Budget) -> Self {
        match budget {
            Budget::Limited(limit) => Self::Limited(limit.get()),
            Budget::Unlimited => Self::Word(Unlimited::Unlimited),
        }
    }
}
