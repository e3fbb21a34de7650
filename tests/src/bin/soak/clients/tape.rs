//! What a worker of another language noted, as JSON lines. Each has the time `at` which it was
//! written, and one of
//!
//! - `call` with `sent`: a request is about to leave;
//! - `call` with `answer`: the body of its good answer; `call` with `failed`: the certainty of its
//!   error. A call with neither may have been carried out;
//! - `started`, `ended`: the handler of a claim;
//! - `told`: what the client reported to its user about a claim.

use crate::failed::Failed;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{fs, io::ErrorKind, path::Path};

/// One line of a tape.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TapeLine {
    /// Nanoseconds of the host's monotonic clock.
    pub(super) at: u64,
    pub(super) call: Option<u64>,
    pub(super) sent: Option<Request>,
    pub(super) answer: Option<Box<RawValue>>,
    pub(super) failed: Option<Certainty>,
    pub(super) started: Option<ClaimKey>,
    pub(super) ended: Option<ClaimKey>,
    pub(super) told: Option<Told>,
}

/// A request as it left.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) body: Box<RawValue>,
}

/// What an error says of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Certainty {
    NotApplied,
    Unknown,
}

/// A life and its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct ClaimKey {
    pub(super) seq: u64,
    pub(super) epoch: u64,
}

/// What a client reported to its user.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    #[expect(dead_code, reason = "for people who read a tape")]
    what: String,
    #[serde(flatten)]
    pub(super) about: ClaimKey,
}

/// Reads a tape; one of a process that was killed before it began is empty. A last line that the
/// kill cut short is skipped.
pub(super) fn read(path: &Path) -> Result<Vec<TapeLine>, Failed> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let mut lines = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        match serde_json::from_str(line) {
            Ok(line) => lines.push(line),
            Err(_) if !line.ends_with('\n') => {}
            Err(error) => return Err(format!("{}, line {}: {error}: {line}", path.display(), at + 1).into()),
        }
    }
    Ok(lines)
}
