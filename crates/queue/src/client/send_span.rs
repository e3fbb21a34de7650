//! The span of an enqueue, which OpenTelemetry's conventions for messaging call that of the
//! producer. `queue_worker::worker::trace` has the one of the consumer.

use super::trace_context::current_context;
use opentelemetry::trace::{Status, TraceContextExt as _};
use queue_core::{JobId, QueueName, Result};
use std::{future::poll_fn, pin::pin};
use tracing::{Span, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The target of the span, so that a filter finds it wherever its code stands.
const TARGET: &str = "queue_client";

/// The span of one call that stores jobs. Jobs that are made in it take its context along, and so
/// their attempts are its children. There is none where no trace would go along with a job.
#[derive(Debug)]
pub(crate) struct SendSpan(Span);

impl SendSpan {
    pub(crate) fn begin(queue: &QueueName) -> Self {
        if current_context().is_none() {
            return Self(Span::none());
        }
        let span = info_span!(target: TARGET, "send", %queue, otel.kind = "producer");
        if !span.is_disabled() {
            // Attributes and the name are no fields: those stand in every line below the span.
            span.context().span().update_name(format!("send {queue}"));
            for (name, text) in [
                ("messaging.system", "queue"),
                ("messaging.operation.name", "send"),
                ("messaging.operation.type", "send"),
                ("messaging.destination.name", queue.as_str()),
            ] {
                span.set_attribute(name, text.to_owned());
            }
        }
        Self(span)
    }

    /// Makes what the call is to store.
    pub(crate) fn make<T>(&self, make: impl FnOnce() -> T) -> T {
        self.0.in_scope(make)
    }

    /// Makes the call, and writes its outcome to the span. `describe` says what was stored.
    pub(crate) async fn around<T>(
        self,
        call: impl Future<Output = Result<T>>,
        describe: impl FnOnce(&Self, &T),
    ) -> Result<T> {
        let mut call = pin!(call);
        let answer = poll_fn(|context| self.0.in_scope(|| call.as_mut().poll(context))).await;
        if self.0.is_disabled() {
            return answer;
        }
        match &answer {
            Ok(stored) => describe(&self, stored),
            Err(error) => {
                self.0.set_attribute("error.type", format!("{:?}", error.kind()));
                self.0.set_status(Status::error(error.to_string()));
            }
        }
        answer
    }

    /// The call stored one job.
    pub(crate) fn job(&self, id: &JobId) {
        self.0.set_attribute("messaging.message.id", id.as_str().to_owned());
    }

    /// The call stored so many jobs.
    pub(crate) fn jobs(&self, count: usize) {
        self.0.set_attribute("messaging.batch.message_count", i64::try_from(count).unwrap_or(i64::MAX));
    }
}
