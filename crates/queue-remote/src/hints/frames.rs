//! The form of a stream of hints: each hint behind its length, and nothing behind a length of zero.

use crate::wire::decode;
use bytes::{Buf, Bytes, BytesMut};
use queue_core::Hint;
use queue_core::wire::Malformed;

/// The most bytes of a hint: an id and some numbers.
const FRAME_BYTES_MAX: usize = 1024;

/// Bytes of the length.
const HEAD: usize = 2;

/// A sign of life: nothing, behind a length of zero.
pub(crate) const PULSE: [u8; HEAD] = [0; HEAD];

/// Adds a hint to what is sent.
#[cfg(feature = "server")]
pub(crate) fn put_frame(out: &mut BytesMut, hint: &Hint) {
    let encoded = crate::wire::encode(hint);
    let len = u16::try_from(encoded.len()).expect("a hint has at most a thousand bytes");
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(&encoded);
}

/// Takes hints out of pieces that may end anywhere. It never holds more than a piece and a hint.
#[derive(Debug, Default)]
pub(crate) struct Frames(BytesMut);

impl Frames {
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.0.extend_from_slice(piece);
    }

    /// The next hint that is there as a whole.
    pub(crate) fn next(&mut self) -> Result<Option<Hint>, Malformed> {
        while let Some(frame) = self.frame()? {
            if !frame.is_empty() {
                return decode(frame).map(Some);
            }
        }
        Ok(None)
    }

    fn frame(&mut self) -> Result<Option<Bytes>, Malformed> {
        let Some(head) = self.0.first_chunk::<HEAD>() else { return Ok(None) };
        let len = usize::from(u16::from_be_bytes(*head));
        if len > FRAME_BYTES_MAX {
            return Err(Malformed("a hint is too long"));
        }
        if self.0.len() < HEAD + len {
            return Ok(None);
        }
        self.0.advance(HEAD);
        Ok(Some(self.0.split_to(len).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::{FRAME_BYTES_MAX, Frames, HEAD};
    use proptest::prelude::*;

    /// Pieces of any bytes, with lengths that often fit what follows.
    fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let noise = prop::collection::vec(any::<u8>(), 0..40);
        let framed = noise.clone().prop_map(|body| {
            let len = u16::try_from(body.len() + 1).expect("it is short");
            [&len.to_be_bytes()[..], &[1], &body].concat()
        });
        prop::collection::vec(prop_oneof![framed, noise], 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_pieces_are_read_without_a_panic_and_are_not_kept(pieces in pieces()) {
            let mut frames = Frames::default();
            for piece in pieces {
                frames.push(&piece);
                loop {
                    match frames.next() {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(_) => return Ok(()),
                    }
                }
                prop_assert!(frames.0.len() < HEAD + FRAME_BYTES_MAX);
            }
        }
    }
}
