//! The terms of a job in its state string: budgets, retentions, times, follow-up and tags.

use crate::{
    reader::Reader,
    row::{push_short, six},
    shapes::two,
};
use queue_core::{Budget, Kind, NewJob, Retention, RetentionPolicy, Span, Tags};

const HAS_TERMS: u8 = 128;
/// Bits of the second byte of flags.
const HAS_TAGS: u8 = 1;
const HAS_BUDGETS: u8 = 4;
const HAS_RETENTIONS: u8 = 8;
/// Bits of the marks of a new job.
const TERMS_NEW: u8 = 4;
const TAGS_NEW: u8 = 16;
const BUDGETS_NEW: u8 = 32;
const RETENTIONS_NEW: u8 = 64;
/// The budgets of most jobs. They are no default but what the absence of bytes means in this
/// layout.
const BUDGETS: [Budget; 2] = [Budget::from_raw(25), Budget::from_raw(3)];
const RETENTIONS_MS: [i64; 2] = [60 * 60 * 1_000, 7 * 24 * 60 * 60 * 1_000];
/// The codes for at once and for ever are negative.
const RETENTION_BIAS: i64 = 2;

/// The part of a state string behind id and kind. Only an amendment of the retentions changes it. A
/// term has bytes only where it is not that of most jobs.
pub(crate) struct Terms {
    pub(crate) max_attempts: Budget,
    pub(crate) max_stalls: Budget,
    pub(crate) retention: RetentionPolicy,
    pub(crate) expires_in: Option<Span>,
    pub(crate) time_limit: Option<Span>,
    pub(crate) on_failure: Option<Kind>,
    pub(crate) tags: Tags,
}

impl Terms {
    /// Reads the terms that the two bytes of flags announce.
    pub(crate) fn read(from: &mut Reader<'_>, flags: u8, extras: u8) -> Option<Self> {
        let [max_attempts, max_stalls] =
            if extras & HAS_BUDGETS == 0 { BUDGETS } else { read_budgets(from)? };
        let has_retentions = extras & HAS_RETENTIONS != 0;
        let [completed, failed] = if has_retentions { read_retentions(from)? } else { RETENTIONS_MS };
        let retention = RetentionPolicy {
            completed: Retention::from_raw(completed)?,
            failed: Retention::from_raw(failed)?,
        };
        let mut expires_in = None;
        let mut time_limit = None;
        let mut on_failure = None;
        if flags & HAS_TERMS != 0 {
            (expires_in, time_limit) = (span(from.six()?), span(from.six()?));
            on_failure = Some(from.short_text()?).filter(|kind| !kind.is_empty());
        }
        let on_failure = on_failure.map(Kind::new).transpose().ok()?;
        let tags = if extras & HAS_TAGS == 0 { Tags::NONE } else { read_tags(from)? };
        Some(Self { max_attempts, max_stalls, retention, expires_in, time_limit, on_failure, tags })
    }

    /// Writes the terms of a new job as [`read`](Self::read) takes them.
    pub(crate) fn push(head: &mut Vec<u8>, new: &NewJob) {
        if budgets(new) != BUDGETS {
            head.extend(budgets(new).iter().flat_map(|budget| budget.as_raw().to_be_bytes()));
        }
        head.extend(retention_bytes(new.retention));
        if has_terms(new) {
            for span in [new.expires_in, new.time_limit] {
                head.extend_from_slice(&six(span.map_or(0, Span::as_millis).unsigned_abs()));
            }
            push_short(head, new.on_failure.as_ref().map_or("", Kind::as_str).as_bytes());
        }
        if let Some(tags) = new.tags.to_text() {
            head.extend_from_slice(&two(tags.len()).to_be_bytes());
            head.extend_from_slice(tags.as_bytes());
        }
    }

    /// The two bytes of flags that announce what [`push`](Self::push) writes.
    pub(crate) fn flags(new: &NewJob) -> (u8, u8) {
        let extras = u8::from(!new.tags.is_empty()) * HAS_TAGS
            + u8::from(budgets(new) != BUDGETS) * HAS_BUDGETS
            + u8::from(retentions_ms(new.retention) != RETENTIONS_MS) * HAS_RETENTIONS;
        (u8::from(has_terms(new)) * HAS_TERMS, extras)
    }

    /// The marks that tell `lua/part/admit.lua` which terms a new job has.
    pub(crate) fn marks(new: &NewJob) -> u8 {
        u8::from(has_terms(new)) * TERMS_NEW
            + u8::from(!new.tags.is_empty()) * TAGS_NEW
            + u8::from(budgets(new) != BUDGETS) * BUDGETS_NEW
            + u8::from(retentions_ms(new.retention) != RETENTIONS_MS) * RETENTIONS_NEW
    }
}

fn has_terms(new: &NewJob) -> bool {
    new.expires_in.is_some() || new.time_limit.is_some() || new.on_failure.is_some()
}

fn budgets(new: &NewJob) -> [Budget; 2] {
    [new.max_attempts, new.max_stalls]
}

fn read_budgets(from: &mut Reader<'_>) -> Option<[Budget; 2]> {
    Some([Budget::from_raw(from.u32()?), Budget::from_raw(from.u32()?)])
}

/// Retentions as [`Terms::read`] takes them; nothing for the retentions of most jobs.
pub(crate) fn retention_bytes(policy: RetentionPolicy) -> Vec<u8> {
    let all = retentions_ms(policy);
    if all == RETENTIONS_MS {
        return Vec::new();
    }
    all.iter().flat_map(|kept| six((kept + RETENTION_BIAS).unsigned_abs())).collect()
}

fn retentions_ms(policy: RetentionPolicy) -> [i64; 2] {
    [policy.completed.as_raw(), policy.failed.as_raw()]
}

fn read_retentions(from: &mut Reader<'_>) -> Option<[i64; 2]> {
    let mut retention = || Some(i64::try_from(from.six()?).ok()? - RETENTION_BIAS);
    Some([retention()?, retention()?])
}

fn read_tags(from: &mut Reader<'_>) -> Option<Tags> {
    let length = from.u16()?;
    Tags::from_text(Some(std::str::from_utf8(from.take(length.into())?).ok()?)).ok()
}

/// No job may wait for no time, nor run for none.
fn span(millis: u64) -> Option<Span> {
    (millis > 0).then(|| Span::from_millis(millis.cast_signed()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, assert_same_constants};
    use queue_core::{ContentType, JobId, Payload};

    #[test]
    fn a_plain_job_writes_nothing_of_what_most_jobs_have() {
        let payload = Payload::new("x", ContentType::from_static("text/plain"));
        let plain = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        let mut head = Vec::new();
        Terms::push(&mut head, &plain);
        assert_eq!((head.len(), Terms::marks(&plain)), (0, 0));
    }

    #[test]
    fn scripts_have_the_same_numbers_for_flags_and_marks_of_terms() {
        assert_same_constants!(
            APPLY_TEXT: HAS_TERMS, HAS_TAGS, HAS_BUDGETS, HAS_RETENTIONS, TERMS_NEW, TAGS_NEW, BUDGETS_NEW, RETENTIONS_NEW,
        );
    }
}
