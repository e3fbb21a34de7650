//! What a service reports to its metrics, and what the metrics add to `/metrics`.

use async_trait::async_trait;
use axum::{
    body::{Body, to_bytes},
    http::Request,
};
use queue::MemoryStorage;
use queue_core::{Error, ErrorKind, QueueGlob, QueuesPage, QueuesQuery, SeededRng, Storage, StorageLayer};
use queue_http::{
    AccessControl, BrowserRules, NewToken, Principal, ReceiptKeys, RequestLimits, Routed, Scope, Service,
    ServiceMetrics, Tokens,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tower::ServiceExt;

/// Records every call, and has lines for two queues and one without a queue.
#[derive(Debug, Default)]
struct Noted(Mutex<Vec<(String, &'static str, u16)>>);

impl ServiceMetrics for Noted {
    fn answered(&self, method: &str, route: &'static str, status: u16, _took: Duration) {
        self.0.lock().expect("no test panics in it").push((method.to_owned(), route, status));
    }

    fn text(&self, may_see: &dyn Fn(Option<&str>) -> bool) -> String {
        let series = [Some("q"), Some("secret"), Some("other"), None];
        series
            .into_iter()
            .filter(|queue| may_see(*queue))
            .map(|queue| format!("measured {queue:?}\n"))
            .collect::<Vec<_>>()
            .concat()
    }
}

fn service() -> (Service, Arc<Noted>) {
    service_of(Arc::new(MemoryStorage::new()))
}

fn service_of(storage: Arc<dyn Storage>) -> (Service, Arc<Noted>) {
    let noted = Arc::new(Noted::default());
    let service = Service::new(storage, ReceiptKeys::generate(&SeededRng::new(7)));
    (service.with_metrics(noted.clone()), noted)
}

async fn text(routed: Routed) -> String {
    let request = Request::get("/metrics").body(Body::empty()).expect("it is a request");
    let answer = routed.oneshot(request).await.expect("it never fails");
    let bytes = to_bytes(Body::new(answer.into_body()), usize::MAX).await.expect("the answer is whole");
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

#[derive(Debug)]
struct Away {
    store: MemoryStorage,
    is_silent: bool,
}

#[async_trait]
impl StorageLayer for Away {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.store
    }

    async fn queues(&self, _: QueuesQuery) -> queue_core::Result<QueuesPage> {
        if self.is_silent {
            std::future::pending::<()>().await;
        }
        Err(Error::new(ErrorKind::Unavailable, "queues", "the server is away"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_does_not_hide_what_was_measured_of_it() {
    for is_silent in [false, true] {
        let (service, _) = service_of(Arc::new(Away { store: MemoryStorage::new(), is_silent }));
        let all = text(service.as_principal(Principal::anybody())).await;
        assert!(all.contains("measured None") && !all.contains("queue_jobs"), "{all}");
    }
}

#[tokio::test]
async fn requests_are_told_by_their_route_also_if_the_door_refuses_them() {
    let (service, noted) = service();
    let file = tempfile::tempdir().expect("there is room");
    let path = file.path().join("tokens.json");
    let new = NewToken::new([Scope::View], [QueueGlob::any()]);
    queue_http::add_token(&path, new, &SeededRng::new(1)).expect("it is written");
    let tokens = Arc::new(Tokens::load(&path).expect("it was written"));
    let door = AccessControl::with_tokens(tokens, BrowserRules::default(), RequestLimits::default());
    let guarded = door.guard(&service);
    for path in ["/healthz", "/v1/queues/very-secret", "/nowhere/very-secret", "/store/v1/claim"] {
        let request = Request::get(path).header("host", "localhost").body(Body::empty());
        let request = request.expect("it is a request");
        guarded.clone().oneshot(request).await.expect("it never fails");
    }
    let get = |route, status| ("GET".to_owned(), route, status);
    let told = noted.0.lock().expect("no test panics in it").clone();
    assert_eq!(
        told,
        [get("/healthz", 200), get("/v1/queues/{queue}", 401), get("", 401), get("/store/v1", 401)]
    );
}

#[tokio::test]
async fn metrics_are_for_those_who_may_see_the_queue() {
    let (service, _) = service();
    let metrics = |glob: &str| {
        let globs = vec![glob.parse().expect("a pattern")];
        service.as_principal(Principal::new("m", [Scope::Metrics].into_iter().collect(), globs))
    };
    let all = text(metrics("*")).await;
    for series in ["Some(\"q\")", "Some(\"secret\")", "Some(\"other\")", "None"] {
        assert!(all.contains(series), "{all}");
    }
    assert!(!all.contains("queue_build_info"), "whatever measures tells it: {all}");
    let few = text(metrics("q")).await;
    assert!(few.contains("Some(\"q\")") && few.matches("measured").count() == 1, "{few}");
    let named = text(metrics("o*")).await;
    assert_eq!(named.matches("measured").count(), 0, "`other` may be any queue: {named}");
}
