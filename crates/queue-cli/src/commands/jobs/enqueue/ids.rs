//! The rules by which `queue enqueue` makes ids, for one payload and for the lines of a file.

use crate::exit::CliError;
use clap::ValueEnum;
use queue::{Id, JobId, Kind};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The number of bytes of a digest that an id carries.
const DIGEST_BYTES: usize = 16;

/// The source of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum IdRule {
    /// A new id for each job; ids sort by time
    Fresh,
    /// The SHA-256 of the payload, so that equal payloads are one job
    Content,
    /// The payload itself
    Payload,
    /// With --lines: a digest of the file name, the kind, the line and all lines before it, so that
    /// a repeated run stores nothing twice
    Line,
}

/// The ids of the lines of one input.
#[derive(Debug)]
pub(super) enum LineIds {
    /// An id that depends on the position of the line.
    Line(Box<Prefix>),
    /// An id that depends on the line alone, or on nothing.
    Other(IdRule),
}

/// The digest of everything read so far.
#[derive(Clone, Debug)]
pub(super) struct Prefix(Sha256);

impl IdRule {
    /// The id of a job with this payload.
    pub(super) fn id(self, payload: &[u8]) -> Result<Id, CliError> {
        match self {
            Self::Fresh => Ok(Id::Generated),
            Self::Content => Ok(Id::OfContent),
            Self::Payload => {
                let text = std::str::from_utf8(payload).map_err(|_| {
                    CliError::invalid("an id is UTF-8, and this payload is not; use --ids content")
                })?;
                Ok(JobId::new(text)?.into())
            }
            Self::Line => Err(CliError::invalid("--ids line is for jobs of --lines")),
        }
    }
}

impl LineIds {
    /// `source` distinguishes inputs that begin with the same lines.
    pub(super) fn new(rule: IdRule, source: &[u8], kind: Option<&Kind>) -> Self {
        match rule {
            IdRule::Line => Self::Line(Box::new(Prefix::new(source, kind))),
            rule => Self::Other(rule),
        }
    }

    /// The id of the next line.
    pub(super) fn next(&mut self, number: u64, line: &[u8]) -> Result<Id, CliError> {
        match self {
            Self::Line(prefix) => Ok(prefix.next(number, line)),
            Self::Other(rule) => rule.id(line),
        }
    }

    /// Whether a second run with the same input stores nothing twice.
    pub(super) fn are_repeatable(&self) -> bool {
        !matches!(self, Self::Other(IdRule::Fresh))
    }
}

impl Prefix {
    fn new(source: &[u8], kind: Option<&Kind>) -> Self {
        let mut prefix = Self(Sha256::new());
        prefix.take(source);
        prefix.take(kind.map_or("", Kind::as_str).as_bytes());
        prefix
    }

    /// Equal lines have different ids, since other lines precede the second; appended lines change
    /// no earlier id.
    fn next(&mut self, number: u64, line: &[u8]) -> Id {
        self.0.update(number.to_le_bytes());
        self.take(line);
        let mut id = format!("{number}-");
        for byte in &self.0.clone().finalize()[..DIGEST_BYTES] {
            write!(id, "{byte:02x}").expect("writing to a string does not fail");
        }
        Id::from(id)
    }

    /// Adds a part with its length before it, so that different parts never make the same bytes.
    fn take(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(source: &str, kind: Option<&str>, lines: &[&str]) -> Vec<Id> {
        let kind = kind.map(|kind| Kind::new(kind).unwrap());
        let mut ids = LineIds::new(IdRule::Line, source.as_bytes(), kind.as_ref());
        let next = |(number, line): (usize, &&str)| ids.next(number as u64 + 1, line.as_bytes()).unwrap();
        lines.iter().enumerate().map(next).collect()
    }

    #[test]
    fn the_same_input_has_the_same_ids_and_appending_changes_none() {
        let before = ids("f", None, &["a", "b"]);
        assert_eq!(ids("f", None, &["a", "b"]), before);
        assert_eq!(ids("f", None, &["a", "b", "c"])[..2], before);
    }

    #[test]
    fn a_line_that_stands_twice_has_two_ids() {
        let ids = ids("f", None, &["a", "a"]);
        assert_ne!(ids[0], ids[1]);
    }

    #[test]
    fn another_input_or_kind_has_other_ids_from_the_first_line_on() {
        let one = ids("f", None, &["a"]);
        assert_ne!(ids("g", None, &["a"]), one);
        assert_ne!(ids("f", Some("mail"), &["a"]), one);
        assert_ne!(ids("f", None, &["b", "a"])[1], one[0]);
        assert_ne!(ids("fa", None, &["b"]), ids("f", None, &["ab"]));
    }
}
