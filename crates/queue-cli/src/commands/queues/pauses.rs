//! Pauses as the listings of queues show them.

use crate::output::date;
use queue::queue_core::{Pause, PausedKind};

/// The cell of a table: empty if nothing is paused.
pub(crate) fn cell(pause: Pause, kinds: &[PausedKind]) -> String {
    let whole = pause.is_on().then(|| with_end("paused", pause));
    let kinds = kinds.iter().map(|paused| with_end(paused.kind.as_str(), paused.pause));
    whole.into_iter().chain(kinds).collect::<Vec<_>>().join(", ")
}

/// Sentences that say what is paused, and until when.
pub(crate) fn sentences(pause: Pause, kinds: &[PausedKind]) -> Vec<String> {
    let whole = pause.is_on().then(|| {
        format!("The queue is paused: no worker gets a job until {}.", end_text(pause, "queue resume"))
    });
    let of_kind = |paused: &PausedKind| {
        let command = format!("queue resume --kind {}", paused.kind);
        format!("The kind {} is paused until {}.", paused.kind, end_text(paused.pause, &command))
    };
    whole.into_iter().chain(kinds.iter().map(of_kind)).collect()
}

/// What ends a pause: a time, or else this command.
pub(crate) fn end_text(pause: Pause, command: &str) -> String {
    pause.until().map_or_else(|| format!("`{command}`"), date)
}

fn with_end(what: &str, pause: Pause) -> String {
    pause.until().map_or_else(|| what.to_owned(), |at| format!("{what} until {}", date(at)))
}
