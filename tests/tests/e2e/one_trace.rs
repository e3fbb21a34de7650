//! One trace over an HTTP request in Rust, a job that Python works on through `queue serve`, and a
//! job that follows in Rust.

use crate::{place, serving::Served};
use axum::{Router, body::Body, extract::State, routing::post};
use http::Request;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use queue::{Queue, WaitOptions};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tower::ServiceExt as _;
use tracing::{Instrument as _, info_span};
use tracing_subscriber::layer::SubscriberExt as _;

/// The worker: it prints the trace of its job, and enqueues another one.
const WORKER: &str = r#"
import sys
from queue_jobs import Queue, Worker

mails, receipts = Queue(sys.argv[1], "mails"), Queue(sys.argv[1], "receipts")

def send(job):
    receipts.enqueue("default", job.payload, id="receipt-31")
    return job.headers["traceparent"]

Worker(mails, {"default": send}, concurrency=1).run()
"#;

/// A process that ends with its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A Python that has what the client needs: the one that `cargo xtask clients` makes, or that of
/// this machine.
fn python() -> Option<PathBuf> {
    let of_clients =
        Path::new(env!("CARGO_BIN_EXE_queue-e2e")).ancestors().nth(2)?.join("clients/python/bin/python");
    [env::var_os("QUEUE_PYTHON").map(PathBuf::from), Some(of_clients), Some("python3".into())]
        .into_iter()
        .flatten()
        .find(|python| {
            let mut asks = Command::new(python);
            asks.args(["-c", "import httpx"]).stderr(Stdio::null());
            asks.status().is_ok_and(|status| status.success())
        })
}

fn worker(python: &Path, url: &str) -> Killed {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/python/src");
    let mut worker = Command::new(python);
    worker.args(["-c", WORKER, url]).env("PYTHONPATH", client).env("PYTHONDONTWRITEBYTECODE", "1");
    Killed(worker.spawn().expect("it started before"))
}

async fn order(State(mails): State<Queue<String, String>>) -> String {
    let wait = WaitOptions::from(Duration::from_mins(1));
    mails.enqueue_and_wait("welcome-31", "ada@example.org".to_owned(), wait).await.expect("Python works")
}

#[test]
fn a_request_a_job_in_python_and_the_job_that_follows_are_one_trace() {
    let Some(python) = python() else {
        return eprintln!("skipped: no Python with httpx; `cargo xtask clients` makes one");
    };
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("shop"));
    let place = place();
    let served = Served::start(&place, &["--no-auth"]);
    let _worker = worker(&python, &format!("http://{}", served.address()));
    // With one subscriber in the process alone, `tracing` would ask the one of another test.
    drop(tracing::subscriber::set_global_default(tracing_subscriber::registry()));
    let _seen = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let told = runtime.block_on(async {
        let store = queue::open(&place.url()).await.expect("the server has it too");
        let mails: Queue<String, String> = Queue::new(store.clone(), "mails").expect("a valid name");
        let app = Router::new().route("/orders", post(order)).with_state(mails);
        let request = Request::post("/orders").body(Body::empty()).expect("it is a request");
        let answer = app.oneshot(request).instrument(info_span!("POST /orders")).await.expect("it answers");
        let told = axum::body::to_bytes(answer.into_body(), 1_000).await.expect("it is short");
        let receipts: Queue<String> = Queue::new(store, "receipts").expect("a valid name");
        let worker = receipts.work_with(|_, _| async { Ok(()) }).until_idle().build().expect("complete");
        assert_eq!(worker.run().await.completed, 1);
        String::from_utf8(told.to_vec()).expect("it is text")
    });
    let spans = exporter.get_finished_spans().expect("it is not shut down");
    assert_is_one_trace(&spans, &told);
}

fn assert_is_one_trace(spans: &[SpanData], told: &str) {
    let named = |name: &str| {
        let found = spans.iter().find(|span| span.name == name);
        found.unwrap_or_else(|| {
            panic!("no span {name} in {:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>())
        })
    };
    let (request, send, process) = (named("POST /orders"), named("send mails"), named("process receipts"));
    assert_eq!(send.parent_span_id, request.span_context.span_id());
    let trace = request.span_context.trace_id();
    assert_eq!(told, format!("00-{trace}-{}-01", send.span_context.span_id()), "as Python saw it");
    assert_eq!(process.span_context.trace_id(), trace);
    assert_eq!(process.parent_span_id, send.span_context.span_id());
    assert!(process.parent_span_is_remote);
}
