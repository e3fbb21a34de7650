//! How jobs stand, in words and signs: never by colour alone.

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
    let (class, sign, word) = match standing {
        Standing::Due => ("wait", "●", "due"),
        Standing::Scheduled => ("plan", "◷", "scheduled"),
        Standing::Parked => ("rest", "❚❚", "parked"),
        Standing::Queued => ("wait", "●", "queued"),
        Standing::Processing => ("run", "▶", "running"),
        Standing::Lapsed => ("bad", "⚠", "stalled"),
        Standing::Failing => ("warn", "↻", "failing"),
        Standing::Completed => ("good", "✓", "completed"),
        Standing::Failed => ("bad", "✕", "failed"),
        Standing::Cancelled => ("rest", "⊘", "cancelled"),
        other => ("rest", "", other.as_str()),
    };
    StateWord { class, sign, word }
}
