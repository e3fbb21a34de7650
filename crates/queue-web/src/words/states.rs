//! How jobs and batches stand, by signs and colours beside the word.

use queue_core::{JobMeta, Timestamp};
use queue_view::{BatchView, Standing};

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

/// How a batch stands.
pub(crate) fn batch_word(batch: &BatchView) -> StateWord {
    let has_all = batch.completed == batch.added;
    let (class, sign) = match batch.state {
        "open" => ("wait", "●"),
        "sealed" => ("run", "▶"),
        "cancelling" => ("warn", "⊘"),
        "ended" if batch.timed_out => ("bad", "⚠"),
        "ended" if batch.was_cancelled => ("rest", "⊘"),
        "ended" if has_all => ("good", "✓"),
        "ended" => ("bad", "✕"),
        _ => ("rest", "⊘"),
    };
    StateWord { class, sign, word: batch.state_words() }
}
