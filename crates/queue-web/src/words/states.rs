//! How jobs stand, in words and signs: never by colour alone.

use queue::operations::Standing;
use queue_core::{JobMeta, State, Timestamp};

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
    if job.state == State::Processing && job.is_lapsed(now) {
        return StateWord { class: "bad", sign: "⚠", word: "stalled" };
    }
    standing_word(Standing::of(job, now))
}

/// A way to stand.
pub(crate) const fn standing_word(standing: Standing) -> StateWord {
    let (class, sign, word) = match standing {
        Standing::Queued => ("wait", "●", "due"),
        Standing::Scheduled => ("plan", "◷", "scheduled"),
        Standing::Parked => ("rest", "❚❚", "parked"),
        Standing::Processing => ("run", "▶", "running"),
        Standing::Failing => ("warn", "↻", "failing"),
        Standing::Completed => ("good", "✓", "completed"),
        Standing::Failed => ("bad", "✕", "failed"),
        Standing::Cancelled => ("rest", "⊘", "cancelled"),
    };
    StateWord { class, sign, word }
}
