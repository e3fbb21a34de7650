//! How jobs stand, by signs and colours beside the word.

use queue_core::{JobMeta, Timestamp};
use queue_view::Standing;

/// A state as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateWord {
    /// The class of its colours.
    pub(crate) class: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) word: &'static str,
}

/// How a job stands now.
pub(crate) fn state_word(job: &JobMeta, now: Timestamp) -> StateWord {
    standing_word(Standing::of(job, now))
}

/// A way to stand.
pub(crate) const fn standing_word(standing: Standing) -> StateWord {
    let (class, sign) = match standing {
        Standing::Due | Standing::Queued => ("wait", "●"),
        Standing::Scheduled => ("plan", "◷"),
        Standing::Gated => ("plan", "⊟"),
        Standing::Parked => ("rest", "❚❚"),
        Standing::Processing => ("run", "▶"),
        Standing::Lapsed => ("bad", "⚠"),
        Standing::Failing => ("warn", "↻"),
        Standing::Completed => ("good", "✓"),
        Standing::Failed => ("bad", "✕"),
        Standing::Cancelled => ("rest", "⊘"),
        _ => ("rest", ""),
    };
    StateWord { class, sign, word: standing.as_str() }
}
