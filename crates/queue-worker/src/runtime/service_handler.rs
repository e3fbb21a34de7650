//! A `tower` service as a handler.

use super::Handler;
use async_trait::async_trait;
use parking_lot::Mutex;
use std::{fmt, future::poll_fn};
use tower_service::Service;

/// A `tower` service as a [`Handler`]; made by [`service_handler`].
pub struct ServiceHandler<S>(Mutex<S>);

/// Makes a handler of a `tower` service, with all layers around it. Feature `tower`.
///
/// Each item gets a clone of the service, is called once that clone is ready, and waits until then:
/// **a service that is not ready holds the item's place** among those that are handled at once,
/// which is how its back-pressure reaches the source. Layers that keep their state apart from their
/// clones, such as a concurrency limit or a buffer, therefore see all items; put a layer that
/// cannot be cloned, such as a rate limit, behind a buffer.
///
/// ```
/// use queue_worker::runtime::{Handler, service_handler};
/// use std::{convert::Infallible, time::Duration};
/// use tower::{ServiceBuilder, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let service = ServiceBuilder::new()
///     .concurrency_limit(2)
///     .timeout(Duration::from_secs(1))
///     .service(service_fn(|n: u32| async move { Ok::<_, Infallible>(n * 2) }));
/// assert_eq!(service_handler(service).handle(21).await.unwrap(), 42);
/// # }
/// ```
pub fn service_handler<S>(service: S) -> ServiceHandler<S> {
    ServiceHandler(Mutex::new(service))
}

impl<S> ServiceHandler<S> {
    /// Answers a clone of the service once it is ready to be called.
    pub(crate) async fn ready<T>(&self) -> Result<S, S::Error>
    where
        S: Service<T> + Clone,
    {
        // Under a lock, since services need not be shareable between threads, and many boxed ones
        // are not.
        let mut service = self.0.lock().clone();
        poll_fn(|context| service.poll_ready(context)).await?;
        Ok(service)
    }
}

#[async_trait]
impl<T, S> Handler<T> for ServiceHandler<S>
where
    T: Send + 'static,
    S: Service<T> + Clone + Send + 'static,
    S::Response: Send,
    S::Error: Send,
    S::Future: Send,
{
    type Output = S::Response;
    type Error = S::Error;

    async fn handle(&self, item: T) -> Result<S::Response, S::Error> {
        self.ready().await?.call(item).await
    }
}

impl<S> fmt::Debug for ServiceHandler<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceHandler(..)")
    }
}
