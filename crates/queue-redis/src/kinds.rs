//! The kinds of a queue that are paused, or that have a line, as scripts keep and answer them.
//!
//! A queue that has such kinds says so behind the number of its own pause. To a version of this
//! library that does not know of kinds this is no number, so its scripts fail before they write.

use crate::{
    reader::Reader,
    reply::{Reply, corrupt},
};
use queue_core::{Kind, Pause, PausedKind, Result, Timestamp};

/// What stands in front of a line among the members of `listed`: no state, and no tag.
pub(crate) const LINE: u8 = 6;

/// The field of `meta`: each name behind its length, and the number of its pause.
pub(crate) fn read_kinds(field: &[u8]) -> Option<Vec<PausedKind>> {
    let mut from = Reader::new(field);
    let mut kinds = Vec::new();
    while !from.is_empty() {
        let kind = Kind::new(from.short_text()?).ok()?;
        let pause = Pause::from_millis(from.time()?.as_millis());
        kinds.push(PausedKind { kind, pause });
    }
    Some(kinds)
}

/// The kinds that are paused now, in the order of their names, where an answer names kinds.
pub(crate) fn read_paused(
    operation: &'static str,
    rest: &mut Reply,
    now: Timestamp,
) -> Result<Vec<PausedKind>> {
    if rest.len() == 0 {
        return Ok(Vec::new());
    }
    let mut kinds = read_kinds(&rest.bytes()?).ok_or_else(|| corrupt(operation))?;
    kinds.retain(|paused| paused.pause.at(now).is_on());
    kinds.sort_unstable_by(|one, other| one.kind.cmp(&other.kind));
    Ok(kinds)
}

/// The member of `listed` for a due job in the line of its kind; `place` is its member of `ready`.
pub(crate) fn line_member(kind: &Kind, place: &[u8]) -> Vec<u8> {
    [&[LINE], kind.as_str().as_bytes(), b"\0", place].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::push_short;

    #[test]
    fn kinds_are_read_with_their_pauses_and_rubbish_is_not() {
        let mut field = Vec::new();
        push_short(&mut field, b"mail");
        field.extend_from_slice(&[0, 0, 0, 0, 0, 7]);
        let mail =
            PausedKind { kind: Kind::from_static("mail"), pause: Pause::Until(Timestamp::from_millis(7)) };
        assert_eq!(read_kinds(&field), Some(vec![mail]));
        assert_eq!(read_kinds(&[]), Some(Vec::new()));
        assert_eq!(read_kinds(&field[..field.len() - 1]), None);
        assert_eq!(read_kinds(&[0, 0, 0, 0, 0, 0, 7]), None, "no kind is without a name");
    }

    #[test]
    fn scripts_have_the_same_numbers() {
        let constant = |name| crate::script::constant(include_str!("../lua/claim.lua"), name);
        assert_eq!(constant("SET_ASIDE_MAX"), Some(PausedKind::SET_ASIDE_MAX.to_string()));
        assert_eq!(constant("LINE"), Some(format!("'\\{LINE}'")));
        let pausing = include_str!("../lua/pause_kind.lua");
        assert_eq!(crate::script::constant(pausing, "KINDS_MAX"), Some(PausedKind::KINDS_MAX.to_string()));
    }
}
