//! The service: a store, keys and limits, and the calls that reach them.

mod answer_body;
mod duties;
mod readiness;
mod routed;
mod service_metrics;

pub use answer_body::AnswerBody;
pub use readiness::Readiness;
pub use routed::Routed;
pub use service_metrics::ServiceMetrics;

use crate::{
    access::{Principal, ReceiptKeys},
    claims::Claims,
    limits::ServiceLimits,
    routes,
    tasks::Tasks,
    wire::RequestRules,
};
use axum::Router;
use bytes::Bytes;
use duties::Duties;
use queue::operations::Operations;
use queue_core::{
    Duty, IdSource, Limits, Rng, Storage, SystemRng, TimeOrderedIds, UnreadableWaits, WorkerId,
    lifecycle::Policy,
};
use service_metrics::measured;
use std::{
    convert::Infallible,
    fmt,
    sync::{Arc, OnceLock},
};
use tokio::sync::Semaphore;

/// A service in front of a store.
///
/// It keeps no state of the jobs it hands out: the receipts of workers contain all that it needs.
/// So several services in front of one store, with the same [`ReceiptKeys`], serve the same
/// workers.
///
/// Every call needs a [`Principal`] in the extensions of its request, except calls that reveal
/// nothing about jobs. An access layer puts it there; [`as_principal`](Self::as_principal) uses one
/// principal for every caller.
///
/// ```
/// use queue_core::SystemRng;
/// use queue_http::{Principal, ReceiptKeys, Service};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue_core::Result<()> {
/// let store = queue::open("memory:").await?;
/// let service = Service::new(store, ReceiptKeys::generate(&SystemRng));
/// // A `tower::Service` that takes requests with any body.
/// let for_everybody = service.as_principal(Principal::anybody());
/// # drop(for_everybody);
/// service.close().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Service {
    app: Arc<App>,
    /// The face for stores that are used remotely.
    store_face: Option<Router>,
}

/// What every call can reach.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) keys: Arc<ReceiptKeys>,
    pub(crate) limits: ServiceLimits,
    pub(crate) policy: Policy,
    pub(crate) rng: Arc<dyn Rng>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) operations: Operations,
    pub(crate) claims: Claims,
    pub(crate) unreadable: UnreadableWaits,
    pub(crate) duties: Duties,
    pub(crate) readiness: Readiness,
    pub(crate) event_streams: Arc<Semaphore>,
    pub(crate) tasks: Tasks,
    pub(crate) metrics: OnceLock<Arc<dyn ServiceMetrics>>,
}

impl App {
    /// What requests are checked against in front of a store with these limits.
    pub(crate) fn rules<'a>(&'a self, store: &'a Limits) -> RequestRules<'a> {
        RequestRules { ids: &*self.ids, store, service: &self.limits }
    }

    /// What an operator asked this worker to do, as the store knows.
    pub(crate) async fn duty_of(&self, worker: &WorkerId) -> Duty {
        self.duties.of(&*self.storage, worker).await
    }

    /// Waits until this worker has another duty.
    pub(crate) async fn duty_changed(&self, worker: &WorkerId, from: Duty) {
        self.duties.changed_from(&*self.storage, worker, from).await;
    }
}

impl Service {
    /// A service with default limits, and the policy of [`Policy::default`] for retries.
    pub fn new(storage: Arc<dyn Storage>, keys: ReceiptKeys) -> Self {
        Self::with(storage, Arc::new(keys), ServiceLimits::default(), Policy::default())
    }

    /// A service with all parts given. The keys may be shared with code that reloads them.
    pub fn with(
        storage: Arc<dyn Storage>,
        keys: Arc<ReceiptKeys>,
        limits: ServiceLimits,
        policy: Policy,
    ) -> Self {
        let app = App {
            operations: Operations::of(storage.clone()),
            readiness: Readiness::new(storage.clone()),
            storage,
            keys,
            policy,
            rng: Arc::new(SystemRng),
            ids: Arc::new(TimeOrderedIds::default()),
            claims: Claims::default(),
            unreadable: UnreadableWaits::default(),
            duties: Duties::default(),
            event_streams: Arc::new(Semaphore::new(limits.event_streams_max)),
            limits,
            tasks: Tasks::default(),
            metrics: OnceLock::new(),
        };
        Self { app: Arc::new(app), store_face: None }
    }

    /// Adds a face under `/store/v1` for stores that are used remotely. A request reaches it only
    /// if its principal has [`Scope::Store`](crate::Scope::Store), which allows everything that
    /// direct access to the store allows; which queue it names makes no difference. Its bodies are
    /// not read before. The paths that it sees begin behind `/store/v1`.
    #[must_use]
    pub fn with_store_face<S, B>(mut self, face: S) -> Self
    where
        S: tower_service::Service<
                http::Request<AnswerBody>,
                Response = http::Response<B>,
                Error = Infallible,
            > + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.store_face = Some(routes::store_face(face));
        self
    }

    /// Measures every request with these metrics, those that are refused at the door included, and
    /// adds their lines to `GET /metrics`. Call it before the service is shared; the first metrics
    /// stay.
    #[must_use]
    pub fn with_metrics(self, metrics: Arc<dyn ServiceMetrics>) -> Self {
        let _first = self.app.metrics.set(metrics);
        self
    }

    /// Puts the measuring around a router of the calls.
    pub(crate) fn measured(&self, router: Router) -> Router {
        measured(router, self.app.metrics.get())
    }

    pub(crate) fn router(&self) -> Router {
        let router = routes::router(&self.app);
        match &self.store_face {
            Some(face) => router.nest(routes::STORE_PATH, face.clone()),
            None => router,
        }
    }

    /// The calls, for an access layer that puts the [`Principal`] into each request. A request
    /// without one gets a 401, unless its call reveals nothing about jobs.
    pub fn routed(&self) -> Routed {
        Routed::new(self.measured(self.router()))
    }

    /// The calls, with this principal for every caller.
    pub fn as_principal(&self, principal: Principal) -> Routed {
        Routed::new(self.measured(self.router().layer(axum::Extension(principal))))
    }

    /// What the service accepts.
    pub fn limits(&self) -> &ServiceLimits {
        &self.app.limits
    }

    /// The operations of the store. The application has to run their [worker](Operations::worker),
    /// or changes by filter never happen: the service itself starts no work of its own.
    pub fn operations(&self) -> &Operations {
        &self.app.operations
    }

    /// What `GET /readyz` knows of the store, for others that show it: they share its looks.
    pub fn readiness(&self) -> Readiness {
        self.app.readiness.clone()
    }

    /// Answers `GET /readyz` with 503 from now on, so that no more calls are sent here, and goes on
    /// with everything else.
    pub fn become_unready(&self) {
        self.app.tasks.become_unready();
    }

    /// Answers all waiting calls now, and keeps later ones from waiting. `GET /readyz` answers 503
    /// from then on.
    pub fn begin_close(&self) {
        self.app.tasks.close();
    }

    /// The same, and waits until all jobs that were claimed and not delivered are given back.
    ///
    /// A dropped future leaves the service closing.
    pub async fn close(&self) {
        self.begin_close();
        self.app.tasks.join().await;
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("store", &self.app.storage).finish_non_exhaustive()
    }
}
