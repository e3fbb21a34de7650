//! A context for tests, and what its handler reported.

use crate::{CancelReason, Context, JobError, runtime::Handler};
use queue_core::{JobMeta, NewJob, Payload};
use queue_serde::{Codec, CodecContext, Decode, Json, Role};
use std::time::Duration;

/// The context of a job that a test made up with [`context`](super::context). It also shows what
/// the handler reported.
///
/// Heartbeats and extensions of the lease succeed and change nothing, until
/// [`cancel`](Self::cancel).
#[derive(Clone, Debug)]
pub struct TestContext<S = ()>(pub(super) Context<S>);

impl<S> TestContext<S> {
    /// The context for the handler. Every call gives another view of the same job.
    pub fn context(&self) -> Context<S> {
        self.0.clone()
    }

    /// The job as the handler sees it.
    pub fn meta(&self) -> &JobMeta {
        self.0.meta()
    }

    /// Asks the handler to stop, as a worker would. The first reason stays.
    pub fn cancel(&self, reason: CancelReason) {
        self.0.held().cancel(reason);
    }

    /// The progress that the handler reported last, if it reported any.
    ///
    /// # Panics
    /// If the progress is no `T`.
    pub fn progress<T: Decode>(&self) -> Option<T> {
        let report = Payload::new(self.0.held().reported()?, Json.content_type());
        Some(
            T::decode(&report, &Json, &CodecContext::of(self.meta(), Role::Progress))
                .expect("the progress is of this type"),
        )
    }

    /// The jobs that the handler wants enqueued with its completion, in order; see
    /// [`Context::then`].
    pub fn followers(&self) -> Vec<NewJob> {
        self.0.held().then()
    }

    /// How long the handler may run, by the job or by what the handler itself set last.
    pub fn time_limit(&self) -> Option<Duration> {
        self.0.time_limit()
    }
}

impl TestContext {
    /// Calls what a worker would run, such as a [`Router`](crate::Router), with the
    /// [payload](super::ContextBuilder::payload) of this context. Hooks and time limits belong to a
    /// worker, so there are none here.
    ///
    /// # Errors
    /// What the handler answers.
    ///
    /// # Panics
    /// If the result is no `R` in JSON.
    pub async fn run<R: Decode>(
        &self,
        handler: &impl Handler<Context, Output = Payload, Error = JobError>,
    ) -> Result<R, JobError> {
        let result = handler.handle(self.context()).await?;
        Ok(R::decode(&result, &Json, &CodecContext::of(self.meta(), Role::Result))
            .expect("the result is of this type"))
    }
}
