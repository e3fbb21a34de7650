//! A function that blocks its thread as a handler.

use super::{
    Context, JobError,
    router::{Codecs, is_made_here, undecodable},
};
use crate::{runtime::Handler, spawn::blocking, worker::HeldJob};
use async_trait::async_trait;
use queue_core::Payload;
use queue_serde::{CodecContext, Decode, Encode, Role};
use std::{marker::PhantomData, panic::resume_unwind, sync::Arc};

/// A handler whose function runs on one of tokio's threads for blocking work.
pub(super) struct BlockingHandler<S, F, P, R> {
    codecs: Codecs,
    state: Arc<S>,
    function: Arc<F>,
    /// Whether the payload [is made here](is_made_here), which is found out once.
    is_made_here: bool,
    types: PhantomData<fn(P) -> R>,
}

/// Marks a job as blocking for as long as a thread works for it, also when the handler's future is
/// dropped.
struct BlockingGuard(Arc<HeldJob>);

impl<S, F, P: 'static, R> BlockingHandler<S, F, P, R> {
    pub(super) fn new(codecs: Codecs, state: Arc<S>, function: F) -> Self {
        Self {
            codecs,
            state,
            function: Arc::new(function),
            is_made_here: is_made_here::<P>(),
            types: PhantomData,
        }
    }
}

#[async_trait]
impl<S, F, P, R> Handler<Context> for BlockingHandler<S, F, P, R>
where
    S: Send + Sync + 'static,
    F: Fn(P, Context<S>) -> Result<R, JobError> + Send + Sync + 'static,
    P: Decode + Send + 'static,
    R: Encode + Send + 'static,
{
    type Output = Payload;
    type Error = JobError;

    async fn handle(&self, context: Context) -> Result<Payload, JobError> {
        let codec = self.codecs.for_payload(context.payload());
        let reader = self.codecs.for_reading(context.payload(), self.is_made_here);
        let payload = P::decode(context.payload(), reader, &CodecContext::of(context.meta(), Role::Payload));
        let payload = payload.map_err(|error| undecodable(&error))?;
        let view = context.with_state(self.state.clone(), Some(self.codecs.clone()));
        let function = self.function.clone();
        let busy = BlockingGuard::new(context.held().clone());
        let ended = blocking(move || {
            let _until_the_end = busy;
            // The thread may start after the worker has given the job up.
            if view.held().is_given_up() {
                return Err(JobError::release());
            }
            function(payload, view)
        });
        let result = match ended.await {
            Ok(answer) => answer?,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            // The runtime ends, and with it the threads that had not started.
            Err(_) => return Err(JobError::release()),
        };
        result.encode(codec, &CodecContext::of(context.meta(), Role::Result)).map_err(JobError::terminal)
    }
}

impl BlockingGuard {
    fn new(job: Arc<HeldJob>) -> Self {
        job.blocking_started();
        Self(job)
    }
}

impl Drop for BlockingGuard {
    fn drop(&mut self) {
        self.0.blocking_ended();
    }
}
