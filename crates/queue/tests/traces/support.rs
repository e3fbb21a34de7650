//! A subscriber backed by OpenTelemetry's SDK that keeps finished spans, and a queue in memory.

use opentelemetry::{
    Value,
    trace::{SpanId, TracerProvider as _},
};
use opentelemetry_sdk::trace::{InMemorySpanExporter, Sampler, SdkTracerProvider, SpanData};
use queue::{
    MemoryStorage, Queue, Storage, StorageExt,
    queue_core::{Detail, Headers},
    worker::TokioClock,
};
use std::sync::Arc;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::{layer::SubscriberExt as _, util::SubscriberInitExt as _};

pub(crate) type Texts = Queue<String, String>;

/// Records every span on the test's thread while it exists.
pub(crate) struct Traced {
    exporter: InMemorySpanExporter,
    _provider: SdkTracerProvider,
    _guard: DefaultGuard,
}

impl Traced {
    pub(crate) fn new() -> Self {
        Self::sampled(Sampler::AlwaysOn)
    }

    pub(crate) fn sampled(sampler: Sampler) -> Self {
        // With a single subscriber, `tracing` asks only the one of the thread that first meets a
        // span whether it is wanted, so a test without a subscriber would decide for this one. A
        // global default makes two.
        drop(tracing::subscriber::set_global_default(tracing_subscriber::registry()));
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_sampler(sampler);
        let provider = provider.with_simple_exporter(exporter.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tests"));
        let guard = tracing_subscriber::registry().with(layer).set_default();
        Self { exporter, _provider: provider, _guard: guard }
    }

    /// The spans of a name, in the order in which they ended.
    pub(crate) fn spans(&self, name: &str) -> Vec<SpanData> {
        let mut spans = self.exporter.get_finished_spans().expect("it is not shut down");
        spans.retain(|span| span.name == name);
        spans
    }

    /// The only span of a name.
    pub(crate) fn span(&self, name: &str) -> SpanData {
        let mut spans = self.spans(name);
        assert_eq!(spans.len(), 1, "spans called {name:?}");
        spans.remove(0)
    }

    /// The span of the only enqueue, which is a child of the span `order`.
    pub(crate) fn send(&self) -> SpanData {
        let send = self.span("send texts");
        assert_child(&send, &self.span("order"));
        send
    }

    /// The spans of attempts at jobs of the queue `texts`.
    pub(crate) fn attempts(&self) -> Vec<SpanData> {
        self.spans("process texts")
    }

    /// The span of the only attempt at a job.
    pub(crate) fn attempt_at(&self, id: &str) -> SpanData {
        let of_job = |span: &SpanData| attribute(span, "messaging.message.id") == Some(id.to_owned().into());
        let mut spans: Vec<_> = self.attempts().into_iter().filter(of_job).collect();
        assert_eq!(spans.len(), 1, "attempts at {id:?}");
        spans.remove(0)
    }
}

pub(crate) fn attribute(span: &SpanData, name: &str) -> Option<Value> {
    span.attributes.iter().find(|of_span| of_span.key.as_str() == name).map(|found| found.value.clone())
}

/// The span as a header names it.
pub(crate) fn traceparent(span: &SpanData) -> String {
    let context = &span.span_context;
    format!("00-{}-{}-01", context.trace_id(), context.span_id())
}

/// Asserts that the span is a child of the other, in its trace.
pub(crate) fn assert_child(child: &SpanData, parent: &SpanData) {
    assert_eq!(child.span_context.trace_id(), parent.span_context.trace_id());
    assert_eq!(child.parent_span_id, parent.span_context.span_id());
    assert!(child.links.iter().next().is_none());
}

/// Asserts that the span begins a trace of its own, with a link to the other.
pub(crate) fn assert_linked(root: &SpanData, to: &SpanData) {
    assert_ne!(root.span_context.trace_id(), to.span_context.trace_id());
    assert_eq!(root.parent_span_id, SpanId::INVALID);
    let links: Vec<_> = root.links.iter().map(|link| link.span_context.span_id()).collect();
    assert_eq!(links, [to.span_context.span_id()]);
}

pub(crate) fn texts() -> Texts {
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    Queue::new(store, "texts").expect("a valid name")
}

/// The headers of a stored job.
pub(crate) async fn headers(queue: &Texts, id: &str) -> Headers {
    let id = id.try_into().expect("a valid id");
    let found = queue.storage().get_one(queue.name(), &id, Detail::Full).await.expect("it reads");
    found.expect("it is there").body.expect("asked for").headers
}

pub(crate) async fn header(queue: &Texts, id: &str, name: &str) -> Option<String> {
    headers(queue, id).await.get(name).map(str::to_owned)
}
