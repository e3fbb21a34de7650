//! A service on a port of loopback, which may stop, come back and have a proxy of its own mind
//! before it.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use crate::server::PATIENCE;
use axum::{
    body::Body,
    http::{Request, Response},
};
use parking_lot::Mutex;
use queue::{
    JobId, MemoryStorage, Queue, QueueName, RemoteOptions, State, Storage,
    service::{ServiceError, ServiceWorkerBuilder},
    worker::{WorkerEvent, WorkerReport},
};
use queue_core::{SystemRng, lifecycle::Policy};
use queue_http::{Address, Door, Principal, ReceiptKeys, RequestBody, ServerOptions, Service, ServiceLimits};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt, service_fn};

/// What a proxy answers in place of the service, by path; the service may have carried the call
/// out.
pub(crate) type Page = Arc<dyn Fn(&str) -> Option<u16> + Send + Sync>;

pub(crate) struct Served {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) address: SocketAddr,
    keys: Arc<ReceiptKeys>,
    page: Page,
    limits: ServiceLimits,
    server: JoinSet<usize>,
}

impl Served {
    pub(crate) async fn start() -> Self {
        Self::with(Arc::new(|_| None), ServiceLimits::default()).await
    }

    pub(crate) async fn with(page: Page, limits: ServiceLimits) -> Self {
        let mut served = Self {
            storage: Arc::new(MemoryStorage::new()),
            address: "127.0.0.1:0".parse().unwrap(),
            keys: Arc::new(ReceiptKeys::generate(&SystemRng)),
            page,
            limits,
            server: JoinSet::new(),
        };
        served.serve().await;
        served
    }

    /// Cuts all connections, and listens no more.
    pub(crate) async fn stop(&mut self) {
        self.server.shutdown().await;
    }

    /// Listens at the same place, over the same store and with the same keys.
    pub(crate) async fn serve(&mut self) {
        let service = Service::with(self.storage.clone(), self.keys.clone(), self.limits, Policy::default());
        let routed = service.as_principal(Principal::anybody());
        let page = self.page.clone();
        let front = service_fn(move |request: Request<RequestBody>| {
            let routed = routed.clone();
            let answer = page(request.uri().path());
            async move {
                let said = routed.oneshot(request).await?;
                Ok::<_, std::convert::Infallible>(match answer {
                    None => said.map(Body::new),
                    Some(status) => Response::builder()
                        .status(status)
                        .header("content-type", "text/html")
                        .body(Body::from("<title>back soon</title>"))
                        .unwrap(),
                })
            }
        });
        let address = Address::Tcp(self.address);
        let server = ServerOptions::new([address], Door::Anybody).bind().await.unwrap();
        let Address::Tcp(address) = server.addresses().unwrap()[0].clone() else { panic!("a port") };
        self.address = address;
        self.server.spawn(server.run(front));
    }

    pub(crate) fn options(&self) -> RemoteOptions {
        RemoteOptions::new(&format!("http://{}", self.address)).unwrap()
    }

    pub(crate) fn jobs(&self) -> Queue<u32, u32> {
        Queue::new(self.storage.clone(), "numbers").unwrap()
    }

    pub(crate) async fn state(&self, id: &str) -> Option<State> {
        let status = self.jobs().status(&JobId::new(id).unwrap()).await.unwrap();
        status.map(|status| status.state())
    }
}

pub(crate) fn numbers() -> QueueName {
    QueueName::from_static("numbers")
}

/// A worker in a task of its own, and its events.
pub(crate) struct Working {
    pub(crate) stop: CancellationToken,
    pub(crate) events: Arc<Mutex<Vec<String>>>,
    task: JoinSet<Result<WorkerReport, ServiceError>>,
}

impl Working {
    pub(crate) async fn start(builder: ServiceWorkerBuilder) -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = events.clone();
        let note = move |event: &WorkerEvent| told.lock().push(format!("{event:?}"));
        let worker = builder.on_event(note).build().await.unwrap();
        let stop = worker.stop_token();
        let mut task = JoinSet::new();
        task.spawn(worker.run());
        Self { stop, events, task }
    }

    /// How many handlers have started.
    pub(crate) fn started(&self) -> usize {
        self.events.lock().iter().filter(|event| event.starts_with("Started")).count()
    }

    pub(crate) async fn ended(mut self) -> Result<WorkerReport, ServiceError> {
        timeout(PATIENCE, self.task.join_next()).await.expect("it ends").unwrap().unwrap()
    }

    pub(crate) async fn stopped(self) -> WorkerReport {
        self.stop.cancel();
        self.ended().await.unwrap()
    }
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what}"));
}
