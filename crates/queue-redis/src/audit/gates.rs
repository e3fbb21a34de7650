//! Checks of gates and end signals.

use super::{Dump, waiting::GATED};
use crate::{gate::read_signals, row::RedisRecord};
use queue_core::JobMeta;

/// Whether the text beside a queue's pause says that there is something for claims to look at.
pub(super) fn has_mark(pause: &[u8], mark: &[u8]) -> bool {
    pause.windows(mark.len()).any(|part| part == mark)
}

/// A finding if there are jobs behind gates and claims do not know of it.
pub(super) fn unmarked_gates(dump: &Dump) -> Option<String> {
    let has_gated = dump.listed.keys().any(|member| member.first() == Some(&GATED));
    let is_marked = dump.meta.get(&b"paused"[..]).is_some_and(|pause| has_mark(pause, b" gates"));
    (has_gated && !is_marked).then(|| "it has jobs behind gates that no claim looks at".to_owned())
}

/// What is wrong with the gate of a job.
pub(super) fn wrong_gate(meta: &JobMeta) -> Option<&'static str> {
    let gate = meta.gate.as_deref()?;
    if !gate.is_sound(meta.epoch) {
        return Some("has a gate that cannot be");
    }
    let stays_closed = meta.state.is_waiting() && gate.is_closed(meta.epoch) && gate.is_complete();
    stays_closed.then_some("has a gate that is complete and closed")
}

/// What is wrong with the end signals of a job.
pub(super) fn wrong_signals(dump: &Dump, seq: &[u8], stored: &RedisRecord) -> Option<&'static str> {
    let kept = dump.signals.get(&[seq, b"r"].concat()[..])?;
    let Some(signals) = read_signals(kept, dump.number) else {
        return Some("has end signals that cannot be read");
    };
    let meta = &stored.meta;
    let is_sound = meta.signalling.is_sound(signals.len(), meta.state);
    (!is_sound).then_some("has other end signals than it owes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_have_the_same_number() {
        let constant = crate::script::constant(crate::script::APPLY_TEXT, "GATED");
        assert_eq!(constant, Some(format!("'\\{GATED}'")));
    }
}
