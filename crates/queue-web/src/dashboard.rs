//! The dashboard as a service.

use crate::{access::AccessPolicy, app::WebApp, routes, stores::WatchedStores, trace_url::TraceUrl};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body::Body;
use queue_http::{AnswerBody, ServiceLimits};
use std::{
    convert::Infallible,
    error::Error,
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

/// The type state of a dashboard without an access policy. It is not a service yet.
#[derive(Clone, Copy, Debug)]
pub struct NoAccess(());

/// Pages about stores: a `tower::Service` for any server and any router that speaks `http`. It
/// never fails, and is always ready.
///
/// It is served only once [`access`](Self::access) says who may see it:
///
/// ```
/// use queue_http::{AccessControl, BrowserRules, RequestLimits};
/// use queue_web::{AccessPolicy, Dashboard};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue_core::Result<()> {
/// let store = queue::open("memory:").await?;
/// // Everybody of this machine; `AccessControl::with_tokens` asks for tokens.
/// let rules = BrowserRules::default().only_hosts([]);
/// let door = AccessControl::without_tokens(rules, RequestLimits::default());
///
/// let dashboard = Dashboard::new(store).access(AccessPolicy::of_door(door));
/// let app: axum::Router = axum::Router::new().nest_service("/queues", dashboard);
/// # drop(app);
/// # Ok(()) }
/// ```
///
/// ```compile_fail
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue_core::Result<()> {
/// let dashboard = queue_web::Dashboard::new(queue::open("memory:").await?);
/// let app: axum::Router = axum::Router::new().nest_service("/queues", dashboard); // who may see it?
/// # drop(app);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Dashboard<A = AccessPolicy> {
    stores: WatchedStores,
    traces: Option<TraceUrl>,
    limits: ServiceLimits,
    app: Option<Arc<WebApp>>,
    access: std::marker::PhantomData<fn() -> A>,
}

impl Dashboard<NoAccess> {
    /// A dashboard of one store, or of several that have names.
    pub fn new(stores: impl Into<WatchedStores>) -> Self {
        let limits = ServiceLimits::default();
        Self { stores: stores.into(), traces: None, limits, app: None, access: std::marker::PhantomData }
    }

    /// Checks the jobs and schedules of forms as the calls of a service with these limits are
    /// checked: `limits(*service.limits())`. The default ones otherwise.
    #[must_use]
    pub fn limits(self, limits: ServiceLimits) -> Self {
        Self { limits, ..self }
    }

    /// Links a job that carries a trace context (a header `traceparent`) to where its trace is
    /// shown.
    #[must_use]
    pub fn trace_url(self, url: TraceUrl) -> Self {
        Self { traces: Some(url), ..self }
    }

    /// Says who may see it, and do what.
    pub fn access(self, policy: AccessPolicy) -> Dashboard {
        let app = Some(Arc::new(WebApp::new(self.stores.clone(), self.traces, self.limits, policy)));
        Dashboard {
            stores: self.stores,
            traces: None,
            limits: self.limits,
            app,
            access: std::marker::PhantomData,
        }
    }
}

impl Dashboard {
    /// Whether this path is one of the dashboard's, for a server that has other things beside it.
    pub fn has_path(path: &str) -> bool {
        routes::has_path(path)
    }

    /// Ends the streams that keep pages fresh, so that a server can drain. Everything else goes on.
    pub fn close(&self) {
        self.app().closing.cancel();
    }

    fn app(&self) -> &Arc<WebApp> {
        self.app.as_ref().expect("a dashboard with a policy is made by `access` alone")
    }
}

impl<B> tower_service::Service<Request<B>> for Dashboard
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let app = self.app().clone();
        let request = request.map(AnswerBody::wrap);
        Box::pin(async move { Ok(routes::run(app, request).await) })
    }
}

impl<A> fmt::Debug for Dashboard<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dashboard").field("stores", &self.stores).finish_non_exhaustive()
    }
}
