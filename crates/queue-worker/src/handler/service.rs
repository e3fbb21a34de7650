//! `tower` services as handlers of a kind.

use super::{Context, JobError, Router};
use crate::runtime::service_handler;
use queue_core::{NamesKind, Result};
use queue_serde::{Decode, Encode};
use std::sync::Arc;
use tower_service::Service;

/// What a `tower` service gets for a job. Feature `tower`.
#[derive(Debug)]
#[non_exhaustive]
pub struct JobRequest<P, S = ()> {
    /// The decoded payload.
    pub payload: P,
    /// The job.
    pub context: Context<S>,
}

/// Clones the request, for layers that call more than once, such as a retry. The application's
/// state need not be clonable.
impl<P: Clone, S> Clone for JobRequest<P, S> {
    fn clone(&self) -> Self {
        Self { payload: self.payload.clone(), context: self.context.clone() }
    }
}

/// Handlers that are `tower` services. Feature `tower`.
impl<S: Send + Sync + 'static> Router<S> {
    /// Has jobs of a kind answered by a `tower` service of [`JobRequest`], with all layers that it
    /// has.
    ///
    /// **Back-pressure.** A job whose service is not ready waits for it. Meanwhile its lease is
    /// kept alive, it takes the place of a running handler, and its [time
    /// limit](crate::WorkerBuilder::time_limit) counts. So a full service slows the worker down and
    /// leaves the rest of the queue to others, but it also holds back other kinds that this worker
    /// has handlers for. Where that matters, give the kind a queue or a worker of its own, or shed
    /// the load and snooze, as below. A job that should stop while it waits is given back and not
    /// passed to the service. See [`service_handler`] for which layers may stand where.
    ///
    /// **Errors** become a [`JobError`] by `Into`, which every error has, boxed ones included: a
    /// failed attempt, to be tried again. With [`service_with`](Self::service_with) some errors can
    /// mean something else. Layers that ask for an error that can be boxed stand around
    /// [`JobError::into_error`].
    ///
    /// # Errors
    /// As [`handle`](Self::handle).
    pub fn service<P, T>(self, kind: impl NamesKind<P, T::Response>, service: T) -> Result<Self>
    where
        P: Decode + Send + 'static,
        T: Service<JobRequest<P, S>> + Clone + Send + 'static,
        T::Response: Encode + Send + 'static,
        T::Error: Into<JobError> + Send + 'static,
        T::Future: Send + 'static,
    {
        self.service_with(kind, service, Into::into)
    }

    /// As [`service`](Self::service), with what the service's errors mean for the job.
    ///
    /// ```
    /// use queue_worker::{JobError, JobRequest, Router};
    /// use std::time::Duration;
    /// use tower::{BoxError, ServiceBuilder, load_shed::error::Overloaded, service_fn};
    ///
    /// let send = service_fn(|job: JobRequest<String>| async move {
    ///     if job.payload.is_empty() {
    ///         return Err(JobError::named("NoAddress", "nobody to send to").as_terminal());
    ///     }
    ///     Ok("sent")
    /// });
    /// let service = ServiceBuilder::new()
    ///     .load_shed()
    ///     .concurrency_limit(10)
    ///     .timeout(Duration::from_secs(5))
    ///     .map_err(JobError::into_error)
    ///     .service(send);
    ///
    /// let router = Router::new(()).service_with("mail", service, |error: BoxError| {
    ///     if error.is::<Overloaded>() {
    ///         return JobError::snooze(Duration::from_secs(1));
    ///     }
    ///     error.into() // a `JobError` of the service comes through as it was
    /// })?;
    /// # Ok::<(), queue_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`handle`](Self::handle).
    pub fn service_with<P, T, M>(
        self,
        kind: impl NamesKind<P, T::Response>,
        service: T,
        on_error: M,
    ) -> Result<Self>
    where
        P: Decode + Send + 'static,
        T: Service<JobRequest<P, S>> + Clone + Send + 'static,
        T::Response: Encode + Send + 'static,
        T::Error: Send + 'static,
        T::Future: Send + 'static,
        M: Fn(T::Error) -> JobError + Send + Sync + 'static,
    {
        let shared = Arc::new((service_handler(service), on_error));
        self.handle(kind, move |payload: P, context: Context<S>| {
            let shared = shared.clone();
            async move {
                let (service, on_error) = &*shared;
                let mut ready = service.ready().await.map_err(on_error)?;
                // It may have waited for longer than its lease, its time limit or the worker
                // lasted.
                if !context.held().may_start() {
                    return Err(JobError::release());
                }
                ready.call(JobRequest { payload, context }).await.map_err(on_error)
            }
        })
    }
}
