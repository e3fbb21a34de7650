//! Keys of pauses of kinds, and of the jobs that are set aside for them.

use super::{Family, Key, beyond, of_queue, place_of, with};
use queue_core::{Kind, QueueName};
use std::ops::Range;

/// The pause of a kind, whose name ends the key.
pub(crate) fn kind_pause(queue: &QueueName, kind: &Kind) -> Key {
    with(of_queue(Family::KindPause, queue), kind.as_str().as_bytes())
}

/// The name that a key of [`kind_pause`] ends with.
pub(crate) fn kind_of<'k>(queue: &QueueName, key: &'k [u8]) -> &'k [u8] {
    &key[of_queue(Family::KindPause, queue).len()..]
}

/// The jobs of a kind that were set aside, in claim order.
pub(crate) fn aside(queue: &QueueName, kind: &Kind) -> Range<Key> {
    let prefix = aside_prefix(queue, kind);
    prefix.clone()..beyond(prefix)
}

/// The entry of a job that is set aside, from its entry in the ready index.
pub(crate) fn aside_of_ready(queue: &QueueName, kind: &Kind, ready: &[u8]) -> Key {
    with(aside_prefix(queue, kind), place_of(ready))
}

/// The other way round.
pub(crate) fn ready_of_aside(queue: &QueueName, aside: &[u8]) -> Key {
    with(of_queue(Family::Ready, queue), place_of(aside))
}

fn aside_prefix(queue: &QueueName, kind: &Kind) -> Key {
    let kind = kind.as_str().as_bytes();
    let len = u8::try_from(kind.len()).expect("a name has at most 255 bytes");
    with(with(of_queue(Family::Aside, queue), &[len]), kind)
}
