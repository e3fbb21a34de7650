//! Terms as jobs hold them: plain ones take no memory, and clones share the others.

use super::{JobTerms, MalformedTerms};
use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// The terms of a job as its record and its metadata hold them. They take one pointer and are read
/// as the [`JobTerms`] that they are. Plain terms need no allocation, and clones share the others
/// until one of them is changed.
///
/// ```
/// use queue_core::{Budget, JobTerms, SharedTerms};
///
/// let mut terms = SharedTerms::from(JobTerms::PLAIN);
/// let before = terms.clone();
/// terms.max_attempts = Budget::from_raw(3);
/// assert_eq!(before.max_attempts, Budget::ATTEMPTS);
/// ```
#[derive(Clone)]
pub struct SharedTerms(Option<Arc<JobTerms>>);

static PLAIN: JobTerms = JobTerms::PLAIN;

impl SharedTerms {
    /// [`JobTerms::PLAIN`].
    pub const PLAIN: Self = Self(None);

    /// Whether these are [`JobTerms::PLAIN`].
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.0.as_ref().is_none_or(|terms| terms.is_plain())
    }

    /// What [`JobTerms::to_bytes`] answers.
    #[inline]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.as_ref().map_or_else(Vec::new, |terms| terms.to_bytes())
    }

    /// What [`JobTerms::from_bytes`] reads.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedTerms> {
        if bytes.is_empty() { Ok(Self::PLAIN) } else { JobTerms::from_bytes(bytes).map(Self::from) }
    }
}

impl From<JobTerms> for SharedTerms {
    #[inline]
    fn from(terms: JobTerms) -> Self {
        Self((!terms.is_plain()).then(|| Arc::new(terms)))
    }
}

impl Deref for SharedTerms {
    type Target = JobTerms;

    #[inline]
    fn deref(&self) -> &JobTerms {
        self.0.as_deref().unwrap_or(&PLAIN)
    }
}

/// A change does not reach clones.
impl DerefMut for SharedTerms {
    fn deref_mut(&mut self) -> &mut JobTerms {
        Arc::make_mut(self.0.get_or_insert_with(|| Arc::new(JobTerms::PLAIN)))
    }
}

impl Default for SharedTerms {
    #[inline]
    fn default() -> Self {
        JobTerms::default().into()
    }
}

impl PartialEq for SharedTerms {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(own), Some(others)) => Arc::ptr_eq(own, others) || own == others,
            (Some(terms), None) | (None, Some(terms)) => terms.is_plain(),
        }
    }
}

impl Eq for SharedTerms {}

impl std::fmt::Debug for SharedTerms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, ContentType, JobId, Kind, NewJob, Payload};

    #[test]
    fn terms_that_became_plain_again_equal_plain_ones() {
        let mut terms = SharedTerms::PLAIN;
        terms.max_attempts = Budget::from_raw(3);
        assert_ne!(terms, SharedTerms::PLAIN);
        terms.max_attempts = JobTerms::PLAIN.max_attempts;
        assert_eq!(terms, SharedTerms::PLAIN);
        assert!(terms.is_plain() && terms.to_bytes().is_empty());
    }

    #[test]
    fn a_term_that_is_set_to_what_it_was_takes_no_memory() {
        let payload = Payload::new("1", ContentType::from_static("text/plain"));
        let job = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload)
            .with_max_attempts(Budget::ATTEMPTS)
            .with_retention(JobTerms::PLAIN.retention);
        assert!(job.terms.0.is_none());
    }

    #[test]
    fn a_change_does_not_reach_a_clone() {
        let mut terms = SharedTerms::from(JobTerms { max_stalls: Budget::from_raw(9), ..JobTerms::PLAIN });
        let before = terms.clone();
        terms.max_stalls = Budget::Unlimited;
        assert_eq!(before.max_stalls, Budget::from_raw(9));
        assert_eq!(SharedTerms::from_bytes(&terms.to_bytes()), Ok(terms));
    }
}
