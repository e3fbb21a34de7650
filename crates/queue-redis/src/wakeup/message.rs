//! What is published on the channels of a queue.

use super::channels::{Channels, Topic};
use crate::{
    body::read_payload,
    reader::Reader,
    row::{SMALL_RESULT_MAX, seq},
};
use bytes::Bytes;
use queue_core::{CompletedJob, JobChange, JobId, QueueName, State};
use queue_store::Hub;
use redis::{PushInfo, PushKind, Value};

/// The code that stands for a state when a job was removed.
const GONE: u8 = 255;
/// The code for Completed where the result follows. Versions that know no results in messages read
/// no state in it, and fall back to reading the record.
const COMPLETED_WITH: u8 = 131;

/// One byte says how long a result is.
const _: () = assert!(SMALL_RESULT_MAX <= u8::MAX as usize);

/// One part of a message.
#[derive(Debug, PartialEq, Eq)]
enum News {
    Changed(JobChange),
    Completed(CompletedJob),
}

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
            Some(all) => all.iter().for_each(|news| hand_out(hub, &channel.queue.name, news)),
            // Another version may say it in another way.
            None => hub.missed(),
        },
    }
}

fn hand_out(hub: &Hub, queue: &QueueName, news: &News) {
    match news {
        News::Changed(change) => hub.changed(queue, change),
        News::Completed(job) => hub.completed(queue, job),
    }
}

/// As `lua/part/hints.lua` writes them.
fn read(text: &[u8]) -> Option<Vec<News>> {
    let mut from = Reader::new(text);
    let number = from.three()? as u64;
    let mut all = Vec::new();
    while !from.is_empty() {
        let state = from.u8()?;
        let (revision, count) = (from.six()?, from.six()?);
        let (id, seq) = (JobId::new(from.short_text()?).ok()?, seq(count, number));
        all.push(if state == COMPLETED_WITH {
            let length = usize::from(from.u8()?);
            let result = read_payload(&Bytes::copy_from_slice(from.take(length)?))?;
            News::Completed(CompletedJob { id, seq, revision, result })
        } else {
            let state = if state == GONE { None } else { Some(State::from_code(state)?) };
            News::Changed(JobChange { id, seq, revision, state })
        });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        body::write_payload,
        row::push_short,
        script::{APPLY_TEXT, assert_same_constants},
    };
    use queue_core::{ContentType, Payload};

    #[test]
    fn changes_are_read_one_after_the_other_and_half_of_one_is_refused() {
        let mut text = vec![0, 0, 7];
        text.extend([3, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 9, 1, b'a']);
        text.extend([255, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 2, b'b', b'c']);
        let change = |id, count, revision, state| {
            News::Changed(JobChange { id: JobId::from_static(id), seq: seq(count, 7), revision, state })
        };
        let both = vec![change("a", 9, 2, Some(State::Completed)), change("bc", 8, 4, None)];
        assert_eq!(read(&text), Some(both));
        assert!(read(&text[..text.len() - 1]).is_none());
    }

    #[test]
    fn a_result_is_read_whole_or_the_message_is_refused() {
        let result = Payload::new("42", ContentType::from_static("text/plain"));
        let mut text = vec![0, 0, 7];
        text.extend([COMPLETED_WITH, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 9, 1, b'a']);
        push_short(&mut text, &write_payload(&result));
        let whole = CompletedJob { id: JobId::from_static("a"), seq: seq(9, 7), revision: 3, result };
        assert_eq!(read(&text), Some(vec![News::Completed(whole)]));
        for cut in 4..text.len() {
            assert!(read(&text[..cut]).is_none(), "{cut} bytes");
        }
    }

    #[test]
    fn versions_without_results_refuse_the_code_of_one_and_the_script_has_the_same() {
        assert_eq!(State::from_code(COMPLETED_WITH), None);
        assert_same_constants!(APPLY_TEXT: GONE, COMPLETED_WITH);
    }
}
