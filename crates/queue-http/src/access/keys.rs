//! The keys by which a server knows its own receipts again.

use crate::access::{AccessError, key_file::KeyFile};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::RwLock;
use queue_core::{Clock, Rng, SystemClock, Timestamp};
use sha2::Sha256;
use std::{fmt, path::Path, sync::Arc, time::Duration};
use subtle::ConstantTimeEq;

/// The keys of receipts: one by which this server signs, and at most one more whose receipts it
/// still or already accepts. All servers before one store need the same keys, from one file, since
/// a worker claims from one server and settles at another.
///
/// ```
/// use queue_core::SystemRng;
/// use queue_http::ReceiptKeys;
///
/// let keys = ReceiptKeys::generate(&SystemRng);
/// let seal = keys.sign("receipt", &[b"mail", b"job-1"]);
/// assert!(keys.verify("receipt", &[b"mail", b"job-1"], seal));
/// assert!(!keys.verify("receipt", &[b"mailjob-1", b""], seal));
/// ```
#[derive(Debug)]
pub struct ReceiptKeys {
    keys: RwLock<Arc<[Key]>>,
    clock: Arc<dyn Clock>,
    is_shared: bool,
}

/// What proves that a message was signed: which key, and the tag that the key makes of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The number of the key.
    pub key: u32,
    /// The first 16 bytes of the message's HMAC-SHA-256.
    pub tag: [u8; 16],
}

/// One key.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) id: u32,
    pub(super) signs_from: Timestamp,
    pub(super) secret: [u8; 32],
    prepared: Hmac<Sha256>,
}

impl ReceiptKeys {
    /// A key made up now. Receipts that it signs are worthless at any other server, and at this one
    /// once it was started again.
    pub fn generate(rng: &dyn Rng) -> Self {
        Self::of(Arc::new([Key::generate(rng, Timestamp::from_millis(0))]), Arc::new(SystemClock), false)
    }

    /// The keys of a file that [`ReceiptKeys::rotate`] has written. A file that others can read is
    /// refused.
    pub fn load(path: &Path) -> Result<Self, AccessError> {
        Self::load_with(path, Arc::new(SystemClock))
    }

    /// The same, with a clock of the caller's.
    pub fn load_with(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, AccessError> {
        Ok(Self::of(KeyFile::read(path)?.keys(), clock, true))
    }

    /// The keys of a file. A missing file is created with a first key and mode 0600, and never
    /// replaces an existing one; concurrent callers all get the same key. A file that other users
    /// can read is refused.
    ///
    /// # Errors
    /// As for [`ReceiptKeys::load`], or when the file cannot be created.
    pub fn load_or_create(path: &Path, rng: &dyn Rng) -> Result<Self, AccessError> {
        Ok(Self::of(KeyFile::read_or_create(path, rng)?.keys(), Arc::new(SystemClock), true))
    }

    /// Adds a key to the file, or creates the file with its first key. Every server accepts the new
    /// key as soon as it has read the file, and signs by it once `after` has passed; meanwhile the
    /// file has to reach all of them. The key that signs now stays accepted until the next
    /// rotation, an older one is dropped. While a new key waits for its time, a further one is
    /// refused.
    pub fn rotate(path: &Path, rng: &dyn Rng, now: Timestamp, after: Duration) -> Result<u32, AccessError> {
        KeyFile::rotate(path, rng, now, after)
    }

    /// Reads the file again. If it cannot be used, the keys stay as they are.
    pub fn reload(&self, path: &Path) -> Result<(), AccessError> {
        let keys = KeyFile::read(path)?.keys();
        *self.keys.write() = keys;
        Ok(())
    }

    /// Whether other servers can have these keys.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Signs a message, which is bound to its purpose and to where each part begins.
    pub fn sign(&self, purpose: &str, parts: &[&[u8]]) -> Seal {
        let keys = self.keys.read().clone();
        let key = signing(&keys, self.clock.now());
        Seal { key: key.id, tag: key.tag(purpose, parts) }
    }

    /// Whether one of the live keys signed this message for this purpose. The time that it takes
    /// does not depend on the tag.
    pub fn verify(&self, purpose: &str, parts: &[&[u8]], seal: Seal) -> bool {
        let keys = self.keys.read().clone();
        let Some(key) = keys.iter().find(|key| key.id == seal.key) else { return false };
        key.tag(purpose, parts).ct_eq(&seal.tag).into()
    }

    /// Whether a live key has this number.
    pub(crate) fn has(&self, key: u32) -> bool {
        self.keys.read().iter().any(|live| live.id == key)
    }

    /// What each live key makes of a message, the signing one first: the lease token of a claim
    /// that is repeated after a rotation is among them.
    pub fn tags(&self, purpose: &str, parts: &[&[u8]]) -> Vec<Seal> {
        let keys = self.keys.read().clone();
        let first = signing(&keys, self.clock.now());
        let others = keys.iter().filter(|key| key.id != first.id);
        [first]
            .into_iter()
            .chain(others)
            .map(|key| Seal { key: key.id, tag: key.tag(purpose, parts) })
            .collect()
    }

    fn of(keys: Arc<[Key]>, clock: Arc<dyn Clock>, is_shared: bool) -> Self {
        Self { keys: RwLock::new(keys), clock, is_shared }
    }
}

impl Key {
    pub(super) fn new(id: u32, signs_from: Timestamp, secret: [u8; 32]) -> Self {
        let prepared = Hmac::new_from_slice(&secret).expect("HMAC takes keys of any length");
        Self { id, signs_from, secret, prepared }
    }

    pub(super) fn generate(rng: &dyn Rng, signs_from: Timestamp) -> Self {
        let high = rng.next_u128().to_be_bytes();
        let low = rng.next_u128().to_be_bytes();
        let mut secret = [0; 32];
        secret[..16].copy_from_slice(&high);
        secret[16..].copy_from_slice(&low);
        Self::new(rng.next_u64() as u32, signs_from, secret)
    }

    /// Every part is preceded by its length, so no two lists of parts are the same bytes.
    fn tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 16] {
        let mut mac = self.prepared.clone();
        for part in [purpose.as_bytes()].iter().chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        let whole: [u8; 32] = mac.finalize().into_bytes().into();
        *whole.first_chunk().expect("thirty-two bytes begin with sixteen")
    }
}

/// The newest key whose time has come; before any has, the oldest.
pub(super) fn signing(keys: &[Key], now: Timestamp) -> &Key {
    let newest = keys.iter().filter(|key| key.signs_from <= now).max_by_key(|key| key.signs_from);
    newest.or_else(|| keys.iter().min_by_key(|key| key.signs_from)).expect("a set of keys is never empty")
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("id", &self.id)
            .field("signs_from", &self.signs_from)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{ReceiptKeys, Seal};
    use queue_core::{ManualClock, SeededRng, Timestamp};
    use std::{sync::Arc, time::Duration};

    const START: Timestamp = Timestamp::from_millis(1_000_000);
    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn a_seal_is_good_for_its_message_its_purpose_and_its_key_alone() {
        let keys = ReceiptKeys::generate(&SeededRng::new(1));
        let seal = keys.sign("receipt", &[b"a", b"bc"]);
        assert!(keys.verify("receipt", &[b"a", b"bc"], seal));
        assert!(!keys.verify("receipt", &[b"ab", b"c"], seal));
        assert!(!keys.verify("claim", &[b"a", b"bc"], seal));
        assert!(!keys.verify("receipt", &[b"a", b"bc"], Seal { key: seal.key ^ 1, ..seal }));
        for bit in 0..128 {
            let mut tag = seal.tag;
            tag[bit / 8] ^= 1 << (bit % 8);
            assert!(!keys.verify("receipt", &[b"a", b"bc"], Seal { tag, ..seal }));
        }
        let others = ReceiptKeys::generate(&SeededRng::new(2));
        assert!(!others.verify("receipt", &[b"a", b"bc"], seal));
    }

    #[test]
    fn a_new_key_is_accepted_at_once_and_signs_from_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let rng = SeededRng::new(3);
        let clock = Arc::new(ManualClock::new(START));
        let old = ReceiptKeys::rotate(&path, &rng, START, MINUTE).unwrap();
        let keys = ReceiptKeys::load_with(&path, clock.clone()).unwrap();
        let by_old = keys.sign("receipt", &[b"m"]);
        assert_eq!(by_old.key, old);

        let new = ReceiptKeys::rotate(&path, &rng, START, MINUTE).unwrap();
        assert!(ReceiptKeys::rotate(&path, &rng, START, MINUTE).is_err(), "one waits already");
        let ahead = ReceiptKeys::load_with(&path, Arc::new(ManualClock::new(START + minute()))).unwrap();
        keys.reload(&path).unwrap();
        assert_eq!(keys.sign("receipt", &[b"m"]).key, old);
        assert!(keys.verify("receipt", &[b"m"], ahead.sign("receipt", &[b"m"])), "signed by a clock ahead");
        clock.advance(MINUTE);
        assert_eq!(keys.sign("receipt", &[b"m"]).key, new);
        assert!(keys.verify("receipt", &[b"m"], by_old));
        let live: Vec<u32> = keys.tags("claim", &[b"m"]).iter().map(|seal| seal.key).collect();
        assert_eq!(live, [new, old]);

        ReceiptKeys::rotate(&path, &rng, START + minute(), MINUTE).unwrap();
        keys.reload(&path).unwrap();
        assert!(!keys.verify("receipt", &[b"m"], by_old), "two keys live, never three");
    }

    #[test]
    fn keys_stay_when_the_file_is_spoiled_and_are_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        ReceiptKeys::rotate(&path, &SeededRng::new(4), START, MINUTE).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let keys = ReceiptKeys::load(&path).unwrap();
        let seal = keys.sign("receipt", &[b"m"]);
        for spoiled in ["", "{}", r#"{"version":2,"keys":[]}"#, r#"{"version":1,"keys":[]}"#, &text[..40]] {
            std::fs::write(&path, spoiled).unwrap();
            let error = keys.reload(&path).unwrap_err();
            assert!(error.to_string().contains("keys"), "{error}");
        }
        assert!(keys.verify("receipt", &[b"m"], seal));
        let secret = text.split('"').find(|word| word.len() == 43).unwrap();
        assert!(!format!("{keys:?}").contains(secret));
    }

    #[test]
    fn a_missing_file_is_made_once_and_its_keys_outlive_whoever_made_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let first = ReceiptKeys::load_or_create(&path, &SeededRng::new(5)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let second = ReceiptKeys::load_or_create(&path, &SeededRng::new(6)).unwrap();
        assert!(second.verify("receipt", &[b"m"], first.sign("receipt", &[b"m"])));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::write(&path, "{}").unwrap();
        assert!(ReceiptKeys::load_or_create(&path, &SeededRng::new(7)).is_err(), "never replaced");
    }

    fn minute() -> queue_core::Span {
        queue_core::Span::from_millis(60_000)
    }
}
