//! Who makes a request, and what it may do.

use crate::access::{QueueGlob, Scope, Scopes};
use queue_core::{QueueName, Timestamp};
use std::{fmt, sync::Arc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The name of whoever needs no token.
const ANYBODY: &str = "anybody";

/// Whoever makes a request: the token or the certificate that it came with, and what that allows.
/// The access layer puts it into the extensions of every request that it lets through, so a handler
/// that asks for the extension cannot run without one.
///
/// ```
/// use queue_core::QueueName;
/// use queue_http::{Principal, Scope};
///
/// let mailer = Principal::new("mailer", [Scope::Work].into_iter().collect(), vec!["mail*".parse()?]);
/// assert!(mailer.may(Scope::Work, &QueueName::new("mail")?));
/// assert!(!mailer.may(Scope::Work, &QueueName::new("billing")?));
/// assert!(!mailer.may(Scope::Produce, &QueueName::new("mail")?));
/// # Ok::<(), queue_core::InvalidName>(())
/// ```
#[derive(Clone)]
pub struct Principal {
    inner: Arc<Inner>,
}

struct Inner {
    token_id: String,
    scopes: Scopes,
    queues: Vec<QueueGlob>,
    expires_at: Option<Timestamp>,
    /// Requests that may wait at the same time. Handles of the same token share it.
    waits: Arc<Semaphore>,
}

impl Principal {
    /// How many requests of a principal may wait at the same time, unless set otherwise.
    pub const WAITS_MAX: usize = 1_024;

    /// A principal with these scopes in the queues that any of the patterns matches.
    pub fn new(token_id: impl Into<String>, scopes: Scopes, queues: Vec<QueueGlob>) -> Self {
        Self::with(token_id.into(), scopes, queues, None, Arc::new(Semaphore::new(Self::WAITS_MAX)))
    }

    /// Whoever reaches a server that asks for no token: it may do everything in every queue, except
    /// what [`Scope::Store`] allows.
    pub fn anybody() -> Self {
        Self::new(ANYBODY, Scopes::all_but_store(), QueueGlob::everything())
    }

    pub(super) fn with(
        token_id: String,
        scopes: Scopes,
        queues: Vec<QueueGlob>,
        expires_at: Option<Timestamp>,
        waits: Arc<Semaphore>,
    ) -> Self {
        Self { inner: Arc::new(Inner { token_id, scopes, queues, expires_at, waits }) }
    }

    /// The name of the token, which is no secret: logs and the ids of remote workers contain it.
    pub fn token_id(&self) -> &str {
        &self.inner.token_id
    }

    /// Everything that the principal may do in its queues.
    pub fn scopes(&self) -> Scopes {
        self.inner.scopes
    }

    /// The patterns of the queues that the principal may name.
    pub fn queues(&self) -> &[QueueGlob] {
        &self.inner.queues
    }

    /// Whether the principal has this scope, in whatever queue.
    pub fn has(&self, scope: Scope) -> bool {
        self.inner.scopes.contains(scope)
    }

    /// Whether the principal has this scope in this queue.
    pub fn may(&self, scope: Scope, queue: &QueueName) -> bool {
        self.has(scope) && self.sees(queue)
    }

    /// Whether the principal may know of this queue at all.
    pub fn sees(&self, queue: &QueueName) -> bool {
        self.inner.queues.iter().any(|glob| glob.matches(queue))
    }

    /// Begins a wait, which ends when the permit is dropped. `None` says that as many requests of
    /// this principal wait already as may: the answer to this one is 429.
    pub fn begin_wait(&self) -> Option<OwnedSemaphorePermit> {
        self.inner.waits.clone().try_acquire_owned().ok()
    }

    /// Whether the token is over at this time.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.inner.expires_at.is_some_and(|end| end <= now)
    }

    /// The count of waits, which a token keeps when its file is read again.
    pub(super) fn waits(&self) -> Arc<Semaphore> {
        self.inner.waits.clone()
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("token_id", &self.inner.token_id)
            .field("scopes", &self.inner.scopes)
            .field("queues", &self.inner.queues)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Principal, Scope, Scopes};
    use queue_core::QueueName;

    #[test]
    fn a_scope_counts_in_the_queues_of_the_token_alone() {
        let principal =
            Principal::new("a", [Scope::Work].into_iter().collect(), vec!["mail*".parse().unwrap()]);
        let may = |scope, queue: &str| principal.may(scope, &QueueName::new(queue).unwrap());
        assert!(may(Scope::Work, "mail.out") && !may(Scope::Work, "billing") && !may(Scope::View, "mail"));
        let nowhere = Principal::new("b", Scopes::all_but_store(), Vec::new());
        assert!(!nowhere.may(Scope::View, &QueueName::new("mail").unwrap()));
    }

    #[test]
    fn whoever_needs_no_token_still_lacks_the_scope_of_stores() {
        let queue = QueueName::new("queue.operations").unwrap();
        assert!(Principal::anybody().may(Scope::Operate, &queue));
        assert!(!Principal::anybody().may(Scope::Store, &queue));
    }

    #[test]
    fn waits_of_one_principal_are_bounded_and_come_back() {
        let principal = Principal::new("a", Scopes::default(), Vec::new());
        let held: Vec<_> = (0..Principal::WAITS_MAX).filter_map(|_| principal.begin_wait()).collect();
        assert_eq!(held.len(), Principal::WAITS_MAX);
        assert!(principal.clone().begin_wait().is_none());
        drop(held);
        assert!(principal.begin_wait().is_some());
    }
}
