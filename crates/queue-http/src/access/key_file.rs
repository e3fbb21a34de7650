//! The file of receipt keys: what it says, and how a key is added.

use crate::access::{
    AccessError,
    keys::{Key, signing},
    private_file,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use queue_core::{Rng, Timestamp};
use serde::{Deserialize, Serialize};
use std::{io, path::Path, sync::Arc, time::Duration};

const VERSION: u32 = 1;
/// One that signs, and one that is accepted beside it.
const KEYS_MAX: usize = 2;

/// The keys of a file, one or two.
pub(super) struct KeyFile(Vec<Key>);

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    keys: Vec<Entry>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: u32,
    secret: String,
    signs_from_ms: i64,
}

impl KeyFile {
    pub(super) fn read(path: &Path) -> Result<Self, AccessError> {
        Self::parse(path, &private_file::read(path)?)
    }

    pub(super) fn keys(&self) -> Arc<[Key]> {
        self.0.clone().into()
    }

    /// The keys of the file, which gets a first key if it is missing.
    pub(super) fn read_or_create(path: &Path, rng: &dyn Rng) -> Result<Self, AccessError> {
        match Self::read(path) {
            Err(AccessError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let first = Key::generate(rng, Timestamp::from_millis(0));
                private_file::create_missing(path, &render(&[&first]))?;
                // Another process may have been first; its key is the one.
                Self::read(path)
            }
            read => read,
        }
    }

    pub(super) fn rotate(
        path: &Path,
        rng: &dyn Rng,
        now: Timestamp,
        after: Duration,
    ) -> Result<u32, AccessError> {
        private_file::edit(path, |before| {
            let Some(before) = before else {
                let first = Key::generate(rng, now);
                return Ok((render(&[&first]), first.id));
            };
            let live = Self::parse(path, &before)?.0;
            if live.iter().any(|key| key.signs_from > now) {
                let why = "its newest key does not sign yet; add another one after that".to_owned();
                return Err(AccessError::Refused(format!("{}: {why}", path.display())));
            }
            let wait = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
            let from = Timestamp::from_millis(now.as_millis().saturating_add(wait));
            let new = Key::generate(rng, from);
            Ok((render(&[signing(&live, now), &new]), new.id))
        })
    }

    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, AccessError> {
        let malformed = |why: &str| AccessError::Malformed { path: path.to_owned(), why: why.to_owned() };
        // The parser's message could quote a secret, so the error has only the position.
        let document: Document = serde_json::from_slice(bytes).map_err(|error| {
            malformed(&format!(
                "it is no file of receipt keys (line {}, column {})",
                error.line(),
                error.column()
            ))
        })?;
        if document.version != VERSION {
            return Err(malformed("it was written by another version"));
        }
        if document.keys.is_empty() || document.keys.len() > KEYS_MAX {
            return Err(malformed("it must have one key or two"));
        }
        let keys: Option<Vec<Key>> = document.keys.iter().map(Entry::key).collect();
        let keys = keys.ok_or_else(|| malformed("a secret is not 32 bytes in base64url"))?;
        match &keys[..] {
            [one, other] if one.id == other.id => Err(malformed("both keys have the same number")),
            _ => Ok(Self(keys)),
        }
    }
}

impl Entry {
    fn key(&self) -> Option<Key> {
        let secret = URL_SAFE_NO_PAD.decode(&self.secret).ok()?;
        Some(Key::new(self.id, Timestamp::from_millis(self.signs_from_ms), secret.try_into().ok()?))
    }
}

fn render(keys: &[&Key]) -> Vec<u8> {
    let entry = |key: &&Key| Entry {
        id: key.id,
        secret: URL_SAFE_NO_PAD.encode(key.secret),
        signs_from_ms: key.signs_from.as_millis(),
    };
    let document = Document { version: VERSION, keys: keys.iter().map(entry).collect() };
    let mut bytes = serde_json::to_vec_pretty(&document).expect("numbers and text are JSON");
    bytes.push(b'\n');
    bytes
}
