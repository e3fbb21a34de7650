//! The file of tokens: who may do what, without any secret in it.

use crate::access::{
    AccessError, Scope, Scopes, private_file,
    token::{Token, is_id},
};
use queue_core::{QueueGlob, Rng, Timestamp};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, path::Path};

const VERSION: u32 = 1;
/// The most tokens of a file.
const TOKENS_MAX: usize = 10_000;
/// The longest note or subject, in bytes.
const TEXT_BYTES_MAX: usize = 1_024;

/// What the file says of one token, or of one client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenRecord {
    /// Its name in logs and listings.
    pub id: String,
    /// How its bearer proves it.
    pub proof: Proof,
    /// What it allows.
    pub scopes: Scopes,
    /// In which queues.
    pub queues: Vec<QueueGlob>,
    /// When it ends, by the clock of the server.
    pub expires_at: Option<Timestamp>,
    /// What it is for, in somebody's words.
    pub note: String,
}

/// How a caller proves to be the one whom a record means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// By a secret with this SHA-256.
    Secret([u8; 32]),
    /// By a client certificate of this subject, in the form of RFC 4514, which an authority signed
    /// that the server trusts.
    Subject(String),
}

/// What a new token shall allow.
#[derive(Clone, Debug)]
pub struct NewToken {
    scopes: Scopes,
    queues: Vec<QueueGlob>,
    expires_at: Option<Timestamp>,
    note: String,
}

impl NewToken {
    /// A token for these scopes, at least one, in the queues that one of the patterns matches, at
    /// least one too. It has no end.
    pub fn new(scopes: impl IntoIterator<Item = Scope>, queues: impl IntoIterator<Item = QueueGlob>) -> Self {
        let scopes = scopes.into_iter().collect();
        let queues = queues.into_iter().collect();
        Self { scopes, queues, expires_at: None, note: String::new() }
    }

    /// When it ends, by the clock of the server.
    #[must_use]
    pub fn expires_at(self, end: Timestamp) -> Self {
        Self { expires_at: Some(end), ..self }
    }

    /// What it is for, in at most 1,024 bytes without control characters.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    tokens: Vec<Entry>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    scopes: Vec<String>,
    queues: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
}

/// The tokens of the file, in the order in which they were made.
pub fn list_tokens(path: &Path) -> Result<Vec<TokenRecord>, AccessError> {
    parse(path, &private_file::read(path)?)
}

/// Adds a token to the file, which is created if it is missing. The answer is the only place where
/// the secret ever is.
pub fn add_token(path: &Path, new: NewToken, rng: &dyn Rng) -> Result<Token, AccessError> {
    let token = Token::generate(rng);
    add(path, new, token.id().to_owned(), Proof::Secret(token.digest()))?;
    Ok(token)
}

/// Adds what the bearers of client certificates of a subject may do, and answers the id.
pub fn add_subject(
    path: &Path,
    new: NewToken,
    subject: String,
    rng: &dyn Rng,
) -> Result<String, AccessError> {
    let id = format!("{:012x}", rng.next_u64() >> 16);
    add(path, new, id.clone(), Proof::Subject(subject))?;
    Ok(id)
}

/// Removes a token from the file; `false` says that there is none of this id. Servers refuse it
/// once they have read the file again.
pub fn revoke_token(path: &Path, id: &str) -> Result<bool, AccessError> {
    private_file::edit(path, |before| {
        let Some(before) = before else {
            let source = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(AccessError::Io { path: path.to_owned(), source });
        };
        let mut records = parse(path, &before)?;
        let count = records.len();
        records.retain(|record| record.id != id);
        Ok((render(&records), records.len() < count))
    })
}

fn add(path: &Path, new: NewToken, id: String, proof: Proof) -> Result<(), AccessError> {
    let NewToken { scopes, queues, expires_at, note } = new;
    let record = TokenRecord { id, proof, scopes, queues, expires_at, note };
    private_file::edit(path, |before| {
        let mut records = before.map_or(Ok(Vec::new()), |bytes| parse(path, &bytes))?;
        records.push(record);
        let bytes = render(&records);
        // What was written is what a server would accept.
        parse(path, &bytes).map_err(|error| AccessError::Refused(error.to_string()))?;
        Ok((bytes, ()))
    })
}

pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<TokenRecord>, AccessError> {
    let malformed = |why: String| AccessError::Malformed { path: path.to_owned(), why };
    // The parser's message quotes the file, so the error has only the position.
    let document: Document = serde_json::from_slice(bytes).map_err(|error| {
        malformed(format!("it is no file of tokens (line {}, column {})", error.line(), error.column()))
    })?;
    if document.version != VERSION {
        return Err(malformed("it was written by another version".to_owned()));
    }
    if document.tokens.len() > TOKENS_MAX {
        return Err(malformed(format!("it has more than {TOKENS_MAX} tokens")));
    }
    let mut ids = HashSet::new();
    let mut subjects = HashSet::new();
    let record = |(at, entry): (usize, Entry)| {
        let record = entry.record().map_err(|why| malformed(format!("token {}: {why}", at + 1)))?;
        let is_new_subject = match &record.proof {
            Proof::Subject(subject) => subjects.insert(subject.clone()),
            Proof::Secret(_) => true,
        };
        if !is_new_subject || !ids.insert(record.id.clone()) {
            return Err(malformed(format!("token {} is there twice", at + 1)));
        }
        Ok(record)
    };
    document.tokens.into_iter().enumerate().map(record).collect()
}

impl Entry {
    fn record(self) -> Result<TokenRecord, String> {
        if !is_id(&self.id) {
            return Err("its id is not 1 to 32 lower-case letters, digits and dashes".to_owned());
        }
        let proof = match (self.sha256, self.subject) {
            (Some(digest), None) => Proof::Secret(of_hex(&digest).ok_or("its sha256 is not 64 digits")?),
            (None, Some(subject)) if is_text(&subject) && !subject.is_empty() => Proof::Subject(subject),
            _ => return Err("it has neither a sha256 nor a subject, or both".to_owned()),
        };
        let scopes: Result<Scopes, _> = self.scopes.iter().map(|scope| scope.parse::<Scope>()).collect();
        let scopes = scopes.map_err(|error| error.to_string())?;
        let queues: Result<Vec<QueueGlob>, _> = self.queues.iter().map(|queue| queue.parse()).collect();
        let queues = queues.map_err(|error| error.to_string())?;
        if scopes.is_empty() || queues.is_empty() {
            return Err("it allows nothing: it needs a scope and a queue".to_owned());
        }
        if !is_text(&self.note) {
            return Err("its note is too long, or has control characters".to_owned());
        }
        let expires_at = self.expires_at_ms.map(Timestamp::from_millis);
        Ok(TokenRecord { id: self.id, proof, scopes, queues, expires_at, note: self.note })
    }
}

fn render(records: &[TokenRecord]) -> Vec<u8> {
    let entry = |record: &TokenRecord| {
        let (sha256, subject) = match &record.proof {
            Proof::Secret(digest) => (Some(hex(digest)), None),
            Proof::Subject(subject) => (None, Some(subject.clone())),
        };
        Entry {
            id: record.id.clone(),
            sha256,
            subject,
            scopes: record.scopes.iter().map(|scope| scope.name().to_owned()).collect(),
            queues: record.queues.iter().map(|glob| glob.as_str().to_owned()).collect(),
            expires_at_ms: record.expires_at.map(Timestamp::as_millis),
            note: record.note.clone(),
        }
    };
    let document = Document { version: VERSION, tokens: records.iter().map(entry).collect() };
    let mut bytes = serde_json::to_vec_pretty(&document).expect("numbers and text are JSON");
    bytes.push(b'\n');
    bytes
}

fn is_text(text: &str) -> bool {
    text.len() <= TEXT_BYTES_MAX && !text.chars().any(char::is_control)
}

fn hex(bytes: &[u8; 32]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to text cannot fail");
        text
    })
}

fn of_hex(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut bytes = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}
