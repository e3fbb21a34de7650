//! What is published on the channels of a queue.

use super::channels::{Channels, Topic};
use crate::{reader::Reader, row::seq};
use queue_core::{JobChange, JobId, State};
use queue_store::Hub;
use redis::{PushInfo, PushKind, Value};

/// The code that stands for a state when a job was removed.
const GONE: u8 = 255;

/// Passes a message on to those who listen in this process.
pub(super) fn pass_on(hub: &Hub, channels: &Channels, push: &PushInfo) {
    let (PushKind::Message, [Value::BulkString(name), Value::BulkString(text)]) =
        (&push.kind, &push.data[..])
    else {
        return;
    };
    let channel = std::str::from_utf8(name).ok().and_then(|name| channels.get(name));
    let Some(channel) = channel else { return };
    match channel.topic {
        Topic::Wake => hub.wake(&channel.queue.name),
        // The feed has the same, and the hub hands both to every subscriber.
        Topic::Ends if channels.is_fed(&channel.queue) => {}
        Topic::Ends | Topic::Feed => match read(text) {
            Some(changes) => changes.iter().for_each(|change| hub.changed(&channel.queue.name, change)),
            // Another version may say it in another way.
            None => hub.missed(),
        },
    }
}

/// As `lua/part/hints.lua` writes them.
fn read(text: &[u8]) -> Option<Vec<JobChange>> {
    let mut from = Reader::new(text);
    let number = from.three()? as u64;
    let mut changes = Vec::new();
    while !from.is_empty() {
        let state = from.u8()?;
        let (revision, count) = (from.six()?, from.six()?);
        let id = JobId::new(from.short_text()?).ok()?;
        let state = if state == GONE { None } else { Some(State::from_code(state)?) };
        changes.push(JobChange { id, seq: seq(count, number), revision, state });
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_one_after_the_other_and_half_of_one_is_refused() {
        let mut text = vec![0, 0, 7];
        text.extend([3, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 9, 1, b'a']);
        text.extend([255, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 2, b'b', b'c']);
        let changes = read(&text).expect("whole");
        assert_eq!((changes[0].id.as_str(), changes[0].state), ("a", Some(State::Completed)));
        assert_eq!((changes[0].seq, changes[0].revision), (seq(9, 7), 2));
        assert_eq!((changes[1].id.as_str(), changes[1].state), ("bc", None));
        assert!(read(&text[..text.len() - 1]).is_none());
    }
}
