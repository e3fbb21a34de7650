//! The key for ids of content.

use crate::InvalidOption;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt;

/// The fewest bytes of a key, since a shorter one could be found by trying.
const KEY_BYTES_MIN: usize = 16;

/// The key for ids of content, as an HMAC that is initialized with it.
#[derive(Clone)]
pub(crate) struct IdKey(Hmac<Sha256>);

impl IdKey {
    /// # Errors
    /// [`InvalidOption`] for a key of less than 16 bytes.
    pub(crate) fn new(key: &[u8]) -> Result<Self, InvalidOption> {
        if key.len() < KEY_BYTES_MIN {
            return Err(InvalidOption::ShortKey { bytes: key.len() });
        }
        Ok(Self(Hmac::new_from_slice(key).expect("an HMAC takes a key of any length")))
    }
}

/// The 256 bits that stand for the content. With a key, they show the content only to holders of
/// the key.
pub(super) fn digest(key: Option<&IdKey>, content: &Bytes) -> [u8; 32] {
    match key {
        Some(IdKey(hmac)) => hmac.clone().chain_update(content).finalize().into_bytes().into(),
        None => Sha256::digest(content).into(),
    }
}

impl fmt::Debug for IdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 1.
    #[test]
    fn a_keyed_digest_is_hmac_sha_256() {
        let key = IdKey::new(&[0x0b; 20]).expect("long enough");
        let digest = digest(Some(&key), &Bytes::from_static(b"Hi There"));
        assert_eq!(digest[..8], [0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53]);
        assert_eq!(digest[28..], [0x2e, 0x32, 0xcf, 0xf7]);
    }
}
