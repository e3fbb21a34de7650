//! Tests of the whole dashboard, as a browser meets it.

mod across;
mod batch_actions;
mod batches;
mod bounded;
mod crowded;
mod entries;
mod forms;
mod hostile;
mod library_jobs;
mod login;
mod looks;
mod one_job;
mod partitions;
mod roles;
mod shares;
mod sorted;
mod stale;
mod standing_still;
mod traces;
mod unreadable;

use crate::{AccessPolicy, Dashboard, WatchedStores};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use queue::{MemoryStorage, Queue, Raw};
use queue_core::{
    ClaimRequest, Failure, JobId, Kind, NewJob, Payload, QueueGlob, QueueName, Span, Storage, StorageExt,
    SystemRng, WorkerId,
    lifecycle::{Cause, Event, Policy},
};
use queue_http::{AccessControl, BrowserRules, Principal, RequestLimits, Scope};
use std::sync::Arc;
use tower::ServiceExt;

/// What a browser got.
struct Got {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Got {
    fn location(&self) -> &str {
        self.headers.get("location").map_or("", |value| value.to_str().unwrap())
    }

    /// The proof of the forms of the page.
    fn proof(&self) -> &str {
        let (_, rest) = self.text.split_once(r#"name="proof" value=""#).expect("the page has a form");
        rest.split('"').next().unwrap()
    }
}

fn door() -> AccessControl {
    AccessControl::without_tokens(BrowserRules::default(), RequestLimits::default())
}

/// A dashboard for which the application says who visits.
fn dashboard(store: Arc<dyn Storage>) -> Dashboard {
    Dashboard::new(WatchedStores::named("main", store)).access(AccessPolicy::of_requests(door()))
}

fn principal(scopes: &[Scope], queues: &str) -> Principal {
    let queues: Vec<QueueGlob> = vec![queues.parse().unwrap()];
    Principal::new("ada", scopes.iter().copied().collect(), queues)
}

fn everybody() -> Principal {
    principal(&[Scope::View, Scope::Payload, Scope::Operate, Scope::Produce, Scope::Admin], "*")
}

async fn ask(dashboard: &Dashboard, method: Method, path: &str, who: Option<&Principal>, form: &str) -> Got {
    let mut request = Request::builder().method(method).uri(path).header("host", "queue.example.org");
    if !form.is_empty() {
        request = request.header("content-type", "application/x-www-form-urlencoded");
    }
    if let Some(who) = who {
        request = request.extension(who.clone());
    }
    answered(dashboard, request.body(Full::from(form.to_owned())).unwrap()).await
}

async fn answered(dashboard: &Dashboard, request: Request<Full<bytes::Bytes>>) -> Got {
    let answer = dashboard.clone().oneshot(request).await.unwrap();
    let (head, body) = answer.into_parts();
    // A stream goes on for minutes; its head is enough.
    let is_stream = head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
    let bytes = if is_stream { bytes::Bytes::new() } else { body.collect().await.unwrap().to_bytes() };
    Got { status: head.status, headers: head.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
}

async fn get(dashboard: &Dashboard, path: &str) -> Got {
    ask(dashboard, Method::GET, path, Some(&everybody()), "").await
}

/// Sends a form with a proof of the page at `from`.
async fn post(dashboard: &Dashboard, from: &str, path: &str, form: &str) -> Got {
    let page = get(dashboard, from).await;
    let form = format!("proof={}&{form}", page.proof());
    ask(dashboard, Method::POST, path, Some(&everybody()), &form).await
}

fn memory() -> Arc<dyn Storage> {
    Arc::new(MemoryStorage::new())
}

async fn enqueue(store: &Arc<dyn Storage>, queue: &str, jobs: Vec<NewJob>) {
    store
        .enqueue(&QueueName::new(queue).unwrap(), jobs.into_iter().map(|job| vec![job]).collect())
        .await
        .unwrap();
}

fn new_job(id: &str, kind: &str, payload: &str) -> NewJob {
    let json = queue_core::ContentType::new("application/json").unwrap();
    NewJob::new(JobId::new(id).unwrap(), Kind::new(kind).unwrap(), Payload::new(payload.to_owned(), json))
}

/// Claims a job of the queue and fails it.
async fn fail_one(store: &Arc<dyn Storage>, queue: &str, worker: &str, failure: Failure, cause: Cause) {
    let name = QueueName::new(queue).unwrap();
    let worker = WorkerId::new(worker).unwrap();
    let request = ClaimRequest::new(name, worker, 1, Span::from_secs(60), &SystemRng);
    let token = request.token;
    let job = store.claim(request).await.unwrap().jobs.remove(0).record.meta;
    let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() };
    store.settle(&job, event, &Policy::default()).await.unwrap();
}

fn client(store: &Arc<dyn Storage>, queue: &str) -> Queue<Raw, Raw> {
    Queue::new(store.clone(), queue).unwrap()
}
