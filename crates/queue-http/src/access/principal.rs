//! Who makes a request, and what it may do.

use crate::access::{
    Scope, Scopes,
    shares::{Life, Shares, taken},
};
use queue_core::{QueueFilter, QueueGlob, QueueName, Timestamp, WorkerInfo};
use std::{borrow::Cow, fmt, sync::Arc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The name of a caller on a service without tokens.
const ANYBODY: &str = "anybody";
/// What such a caller may not do.
const NO_STORE: &str = "this service does not ask who calls, so it gives no direct access to its store; use `--store` \
                        where the store is";

/// The caller of a request: its token or certificate, and what that allows. The access layer puts
/// it into the extensions of every request it admits, so a handler that extracts it cannot run
/// without one.
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
    note: String,
    scopes: Scopes,
    queues: Vec<QueueGlob>,
    life: Life,
    /// Handles of the same token share them.
    shares: Arc<Shares>,
}

impl Principal {
    /// How many requests of a principal may wait at the same time, unless set otherwise.
    pub const WAITS_MAX: usize = 1_024;
    /// How many repeated claims of a token are looked after at the same time, for minutes each.
    pub const WATCHES_MAX: usize = 4_096;
    /// How many streams of events a token may have open at the same time. A caller without a token
    /// may use all streams of the service.
    pub const STREAMS_MAX: usize = 16;
    /// How many self-refreshing pages of the dashboard a token may have open; without a token, all
    /// of the service's.
    pub const TABS_MAX: usize = 50;
    /// How many bytes of request bodies a token may have in reading or in work at the same time;
    /// without a token, all of the service's.
    pub const BODIES_BYTES_MAX: usize = 64 << 20;

    /// A principal with these scopes in the queues that any of the patterns matches.
    pub fn new(token_id: impl Into<String>, scopes: Scopes, queues: Vec<QueueGlob>) -> Self {
        let shares = Arc::new(Shares::of_token(Self::WAITS_MAX));
        Self::with(token_id.into(), String::new(), scopes, queues, Life::without_end(), shares)
    }

    /// Any caller of a server that needs no token. It may do everything in every queue, except what
    /// [`Scope::Store`] allows.
    pub fn anybody() -> Self {
        let shares = Arc::new(Shares::whole(Self::WAITS_MAX));
        let scopes = Scopes::all_but_store();
        let queues = QueueGlob::everything();
        Self::with(ANYBODY.to_owned(), String::new(), scopes, queues, Life::without_end(), shares)
    }

    pub(super) fn with(
        token_id: String,
        note: String,
        scopes: Scopes,
        queues: Vec<QueueGlob>,
        life: Life,
        shares: Arc<Shares>,
    ) -> Self {
        Self { inner: Arc::new(Inner { token_id, note, scopes, queues, life, shares }) }
    }

    /// The name of the token, which is no secret: logs and the ids of remote workers contain it.
    pub fn token_id(&self) -> &str {
        &self.inner.token_id
    }

    /// Who acts, for people: the note of the token with its id behind it, such as
    /// `ada, on call (k3v9)`, or the id alone where there is no note.
    pub fn who(&self) -> Cow<'_, str> {
        let Inner { token_id, note, .. } = &*self.inner;
        if note.is_empty() { token_id.into() } else { format!("{note} ({token_id})").into() }
    }

    /// Everything that the principal may do in its queues.
    pub fn scopes(&self) -> Scopes {
        self.inner.scopes
    }

    /// The patterns of the queues that the principal may name.
    pub fn queues(&self) -> &[QueueGlob] {
        &self.inner.queues
    }

    /// Whether the principal has this scope for any queue.
    pub fn has(&self, scope: Scope) -> bool {
        self.inner.scopes.contains(scope)
    }

    /// Why a call that needs this scope is refused to the principal. A service without tokens
    /// speaks of none: there any caller has every scope but that of the store.
    pub(crate) fn lacks(&self, scope: Scope) -> &'static str {
        if self.token_id() == ANYBODY { NO_STORE } else { scope.lacking() }
    }

    /// Whether the principal has this scope in this queue.
    pub fn may(&self, scope: Scope, queue: &QueueName) -> bool {
        self.has(scope) && self.sees(queue)
    }

    /// Whether the principal may know of this queue at all.
    pub fn sees(&self, queue: &QueueName) -> bool {
        self.inner.queues.iter().any(|glob| glob.matches(queue))
    }

    /// Whether the principal may know of all queues of applications.
    pub fn sees_all(&self) -> bool {
        self.inner.queues.contains(&QueueGlob::any())
    }

    /// The queues that the principal may know of, to read them from a store. It has as many
    /// patterns as the token.
    pub fn seen_queues(&self) -> QueueFilter {
        QueueFilter::any_of(self.inner.queues.iter().cloned())
    }

    /// Whether the principal may know of all queues of a worker. One that announced none may work
    /// on every queue, and so only a principal of all queues reaches it.
    pub fn covers(&self, worker: &WorkerInfo) -> bool {
        match worker.queues.as_slice() {
            [] => self.sees_all(),
            queues => queues.iter().all(|queue| self.sees(queue)),
        }
    }

    /// Begins a wait, which ends when the permit is dropped. `None` says that as many requests of
    /// this principal wait already as may: the answer to this one is 429.
    pub fn begin_wait(&self) -> Option<OwnedSemaphorePermit> {
        taken(&self.inner.shares.waits)
    }

    /// Looks after a repeated claim until the permit is dropped. `None` says that this principal
    /// has its share of them.
    pub(crate) fn begin_watch(&self) -> Option<OwnedSemaphorePermit> {
        taken(&self.inner.shares.watches)
    }

    /// Begins a stream of events, which ends when the permit is dropped. `None` says that this
    /// principal has its share of them open.
    pub fn begin_stream(&self) -> Option<OwnedSemaphorePermit> {
        taken(&self.inner.shares.streams)
    }

    /// Opens a page that refreshes itself, until the permit is dropped. `None` says that this
    /// principal has its share of them open.
    pub fn open_tab(&self) -> Option<OwnedSemaphorePermit> {
        taken(&self.inner.shares.tabs)
    }

    /// Waits until the token is revoked, changed or expired: within a second of its expiry, or as
    /// soon as the server has read the changed file. Work that began with the token ends then. For
    /// a caller without a token it waits forever. Dropping the future leaves nothing behind.
    pub async fn ended(&self) {
        self.inner.life.ended().await;
    }

    /// Whether the token is over at this time.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.inner.life.expires_at.is_some_and(|end| end <= now)
    }

    /// What a token keeps when its file is read again.
    pub(super) fn shares(&self) -> Arc<Shares> {
        self.inner.shares.clone()
    }

    /// Its share of the room for bodies.
    pub(super) fn bodies(&self) -> &Arc<Semaphore> {
        &self.inner.shares.bodies
    }

    /// Whether it is a principal that may do the same for as long, in the same name.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        let one = &self.inner;
        let two = &other.inner;
        (one.scopes, &one.queues, &one.note, one.life.expires_at)
            == (two.scopes, &two.queues, &two.note, two.life.expires_at)
    }

    /// Whether it is this very principal.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Ends what began with it.
    pub(super) fn end(&self) {
        self.inner.life.revoked.cancel();
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
    use queue_core::{QueueName, WorkerId, WorkerInfo};

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
    fn a_worker_that_announced_no_queue_is_of_all_queues() {
        let of = |queues: &[&str]| {
            let mut worker = WorkerInfo::new(WorkerId::new("w").unwrap());
            worker.queues = queues.iter().map(|queue| QueueName::new(*queue).unwrap()).collect();
            worker
        };
        let mailer = Principal::new("a", Scopes::default(), vec!["mail*".parse().unwrap()]);
        assert!(mailer.covers(&of(&["mail", "mail.out"])));
        assert!(!mailer.covers(&of(&["mail", "billing"])) && !mailer.covers(&of(&[])));
        assert!(Principal::anybody().covers(&of(&[])));
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
