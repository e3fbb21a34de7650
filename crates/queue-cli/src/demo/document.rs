//! The documents that the jobs of the demo hash, generated from their numbers so that results can
//! be checked.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The size of every document.
const DOCUMENT_BYTES: usize = 4 << 10;
/// One document of so many fails its first attempt, on purpose.
const FLAKY_EVERY: u32 = 100;

/// A document that anybody can generate again from its number: what a job is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Document(u32);

impl Document {
    pub(super) fn all(count: u32) -> impl Iterator<Item = Self> {
        (0..count).map(Self)
    }

    pub(super) fn id(self) -> String {
        format!("document-{:07}", self.0)
    }

    /// The payload of its job.
    pub(super) fn payload(self) -> Value {
        json!({"document": self.0})
    }

    /// From the payload of a job; `None` if it is none of ours.
    pub(super) fn of_payload(payload: &Value) -> Option<Self> {
        payload["document"].as_u64().and_then(|number| u32::try_from(number).ok()).map(Self)
    }

    /// Some fail their first attempt, so that there is a retry to see.
    pub(super) fn is_flaky(self) -> bool {
        self.0 % FLAKY_EVERY == FLAKY_EVERY / 2
    }

    /// The SHA-256 of its content, in hexadecimal.
    pub(super) fn digest(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in Sha256::digest(self.content()) {
            write!(text, "{byte:02x}").expect("writing to a string does not fail");
        }
        text
    }

    /// Numbers of Sebastiano Vigna's `SplitMix64`, seeded with the document's number.
    fn content(self) -> Vec<u8> {
        let mut state = u64::from(self.0);
        let words = (0..DOCUMENT_BYTES / 8).map(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        });
        words.flat_map(u64::to_le_bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_differ_and_come_back_the_same() {
        let [first, second] = [Document(0), Document(1)];
        assert_ne!(first.digest(), second.digest());
        assert_eq!(Document::of_payload(&second.payload()), Some(second));
        assert_eq!(Document::of_payload(&json!({})), None);
        assert_eq!((first.content().len(), first.digest().len()), (DOCUMENT_BYTES, 64));
    }
}
