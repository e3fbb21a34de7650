//! The bytes of terms: a version, how many fields follow, and those fields that differ from what
//! most jobs have.

use super::{
    JobTerms, NewerTerms,
    field::{Field, FieldWriter, Fields},
};
use crate::{Budget, Kind, Retention, RetentionPolicy, Span};

/// The form of what follows it. A new term gets the next number of a field and no new version: a
/// version that does not know it keeps it. Another version is for a form that must not be read in
/// the old way.
const VERSION: u8 = 1;

/// The numbers of the fields. They stand in ascending order, each at most once.
const MAX_ATTEMPTS: u8 = 1;
const MAX_STALLS: u8 = 2;
const TIME_LIMIT: u8 = 3;
const ON_FAILURE: u8 = 4;
const KEEP_COMPLETED: u8 = 5;
const KEEP_FAILED: u8 = 6;
/// Fields above this one belong to a newer version.
const LAST: u8 = KEEP_FAILED;

/// Retentions that are no length are negative, by two at most.
const RETENTION_BIAS: i64 = 2;

/// Bytes that are no terms, or terms of a version that this one cannot read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the terms of a job cannot be read: {0}")]
pub struct MalformedTerms(pub(super) &'static str);

impl MalformedTerms {
    /// What is wrong with them, for people.
    pub const fn why(self) -> &'static str {
        self.0
    }

    pub(super) const LONG: Self = Self("they have too many bytes");
    pub(super) const SHORT: Self = Self("they end too early");
}

impl JobTerms {
    /// The terms of most jobs, which take no bytes: what a field that is not there means. These are
    /// no defaults: they belong to the form, and stay as they are when a default of the library
    /// changes.
    pub const PLAIN: Self = Self {
        max_attempts: Budget::from_raw(25),
        max_stalls: Budget::from_raw(3),
        time_limit: None,
        on_failure: None,
        retention: RetentionPolicy {
            completed: Retention::Keep(Span::from_secs(60 * 60)),
            failed: Retention::Keep(Span::from_secs(7 * 24 * 60 * 60)),
        },
        newer: NewerTerms::NONE,
    };

    /// Whether these are [`PLAIN`](Self::PLAIN).
    #[inline]
    pub fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    /// The form in which every store keeps terms. Terms that most jobs have take no bytes, so a
    /// plain job has none. Equal terms have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { max_attempts, max_stalls, time_limit, on_failure, retention, newer } = self;
        if self.is_plain() {
            return Vec::new();
        }
        let mut out = FieldWriter::new(VERSION);
        if *max_attempts != Self::PLAIN.max_attempts {
            out.number(MAX_ATTEMPTS, max_attempts.as_raw().into());
        }
        if *max_stalls != Self::PLAIN.max_stalls {
            out.number(MAX_STALLS, max_stalls.as_raw().into());
        }
        if let Some(limit) = time_limit {
            out.number(TIME_LIMIT, limit.as_millis().unsigned_abs());
        }
        if let Some(kind) = on_failure {
            out.bytes(ON_FAILURE, kind.as_str().as_bytes());
        }
        if retention.completed != Self::PLAIN.retention.completed {
            out.number(KEEP_COMPLETED, retention_number(retention.completed));
        }
        if retention.failed != Self::PLAIN.retention.failed {
            out.number(KEEP_FAILED, retention_number(retention.failed));
        }
        out.finish(newer)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, or what a newer version of it did; terms that
    /// this version does not know are [kept](Self::newer).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedTerms> {
        let mut terms = Self::PLAIN;
        let Some((&version, fields)) = bytes.split_first() else { return Ok(terms) };
        if version != VERSION {
            return Err(MalformedTerms("another version of this library wrote them"));
        }
        if bytes.len() > Self::BYTES_MAX {
            return Err(MalformedTerms::LONG);
        }
        for field in Fields::of(fields)? {
            let field = field?;
            if field.number > LAST {
                terms.newer.push(&field)?;
            } else {
                terms.read(&field)?;
            }
        }
        Ok(terms)
    }

    fn read(&mut self, field: &Field<'_>) -> Result<(), MalformedTerms> {
        match field.number {
            MAX_ATTEMPTS => self.max_attempts = budget(field)?,
            MAX_STALLS => self.max_stalls = budget(field)?,
            TIME_LIMIT => self.time_limit = Some(span(field)?),
            ON_FAILURE => self.on_failure = Some(kind(field)?),
            KEEP_COMPLETED => self.retention.completed = retention(field)?,
            KEEP_FAILED => self.retention.failed = retention(field)?,
            _ => return Err(MalformedTerms("a field has the number zero")),
        }
        Ok(())
    }
}

fn budget(field: &Field<'_>) -> Result<Budget, MalformedTerms> {
    let raw = u32::try_from(field.as_number()?).map_err(|_| MalformedTerms("a budget is too large"))?;
    Ok(Budget::from_raw(raw))
}

fn span(field: &Field<'_>) -> Result<Span, MalformedTerms> {
    let millis = i64::try_from(field.as_number()?).ok().filter(|millis| *millis <= Span::MAX.as_millis());
    millis.map(Span::from_millis).ok_or(MalformedTerms("a length of time is out of bounds"))
}

fn kind(field: &Field<'_>) -> Result<Kind, MalformedTerms> {
    let text = std::str::from_utf8(field.value).map_err(|_| MalformedTerms("a kind is not UTF-8"))?;
    Kind::new(text).map_err(|_| MalformedTerms("a kind breaks the rules of names"))
}

fn retention(field: &Field<'_>) -> Result<Retention, MalformedTerms> {
    let raw = i64::try_from(field.as_number()?).ok().map(|number| number - RETENTION_BIAS);
    let kept = raw.filter(|raw| *raw <= Span::MAX.as_millis()).and_then(Retention::from_raw);
    kept.ok_or(MalformedTerms("a retention has no such number"))
}

fn retention_number(retention: Retention) -> u64 {
    (retention.as_raw() + RETENTION_BIAS).unsigned_abs()
}
