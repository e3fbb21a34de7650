//! Bytes that no program of ours wrote neither cause a panic nor take much memory.
//! `cargo xtask soak fuzz` makes the campaigns longer.

use super::{
    super::ITEMS_MAX,
    samples::{at, body, meta, new_job, payload, token},
};
use crate::{
    contract::{ALL_READERS, Enqueue, Verb},
    wire::{decode, encode},
};
use bytes::Bytes;
use proptest::prelude::*;
use queue_core::{Claimed, ClaimedJob, ContentType, JobRecord, Pause, Payload};

#[test]
fn a_small_payload_does_not_keep_its_message_in_memory() {
    let large = Payload::new(vec![0; 100_000], ContentType::from_static("a/b"));
    let message = encode(&vec![payload("small"), large]);
    let range = message.as_ptr_range();
    let read: Vec<Payload> = decode(message).expect("it was written");
    assert!(!range.contains(&read[0].bytes.as_ptr()), "a copy");
    assert!(range.contains(&read[1].bytes.as_ptr()), "a part of the message");
}

/// 0xff.. as a length is the largest number.
#[test]
fn lengths_that_lie_are_refused_before_they_cost_anything() {
    let lies =
        [vec![1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0], vec![1, 0xff, 0xff, 0x7f, 0]];
    for lie in lies {
        for read in ALL_READERS {
            assert!(!read(lie.clone().into()));
        }
    }
    let many = [vec![1], len(ITEMS_MAX as u64 + 1), vec![0; ITEMS_MAX + 1]].concat();
    assert!(decode::<Vec<Option<JobRecord>>>(many.into()).is_err(), "a list of more than a message may have");
    let empty_groups = [vec![1, 1, b'q'], len(ITEMS_MAX as u64 + 1), vec![0; ITEMS_MAX + 1]].concat();
    assert!(decode::<<Enqueue as Verb>::Request>(empty_groups.into()).is_err());
}

fn len(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_read_without_a_panic(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
        let bytes = Bytes::from([vec![1], noise].concat());
        for read in ALL_READERS {
            read(bytes.clone());
        }
    }

    /// What is nearly right gets further than noise does.
    #[test]
    fn a_message_with_wrong_bytes_is_read_without_a_panic(
        wrong in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let job = JobRecord { meta: meta(), body: Some(body()) };
        let claimed = Claimed {
            jobs: vec![ClaimedJob { record: job, token: token(1) }],
            next_due: None,
            pause: Pause::Off,
            paused_kinds: Vec::new(),
            kept_back: false,
        set_aside: 0,
            now: at(2),
            clock: at(3),
        };
        let good: [Bytes; 3] = [encode(&claimed), encode(&vec![new_job()]), encode(&meta())];
        for message in good {
            let mut bytes = message.to_vec();
            for (at, byte) in &wrong {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            bytes.truncate(cut.index(bytes.len()) + 1);
            for read in ALL_READERS {
                read(bytes.clone().into());
            }
        }
    }
}
