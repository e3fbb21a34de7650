//! How long a record is kept, as JSON.

use queue_core::Retention;
use serde::{Deserialize, Serialize};

/// Milliseconds, `"forever"` or `"nothing"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Keep))]
#[serde(untagged)]
pub enum KeepView {
    /// For so many milliseconds.
    Millis(i64),
    /// Without an end, or not at all.
    Word(KeepWord),
}

/// The words for the two ends of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeepWord {
    /// Until it is removed by hand.
    Forever,
    /// Not at all: it is removed when the job ends.
    Nothing,
}

impl From<Retention> for KeepView {
    fn from(retention: Retention) -> Self {
        match retention {
            Retention::Remove => Self::Word(KeepWord::Nothing),
            Retention::Keep(span) => Self::Millis(span.as_millis()),
            Retention::Forever => Self::Word(KeepWord::Forever),
        }
    }
}
