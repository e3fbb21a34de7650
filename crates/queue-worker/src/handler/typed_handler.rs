//! A function of a decoded payload as a handler.

use super::{
    Context, JobError,
    router::{Codecs, is_made_here, undecodable},
};
use crate::runtime::Handler;
use async_trait::async_trait;
use queue_core::Payload;
use queue_serde::{CodecContext, Decode, Encode, Role};
use std::{future::Future, marker::PhantomData, sync::Arc};

/// A handler that decodes the payload, calls a function and encodes its result.
pub(super) struct TypedHandler<S, F, P, R> {
    codecs: Codecs,
    state: Arc<S>,
    function: F,
    /// Whether the payload [is made here](is_made_here), which is found out once.
    is_made_here: bool,
    types: PhantomData<fn(P) -> R>,
}

impl<S, F, P: 'static, R> TypedHandler<S, F, P, R> {
    pub(super) fn new(codecs: Codecs, state: Arc<S>, function: F) -> Self {
        Self { codecs, state, function, is_made_here: is_made_here::<P>(), types: PhantomData }
    }
}

#[async_trait]
impl<S, F, Fut, P, R> Handler<Context> for TypedHandler<S, F, P, R>
where
    S: Send + Sync + 'static,
    F: Fn(P, Context<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, JobError>> + Send + 'static,
    P: Decode + Send + 'static,
    R: Encode + Send + 'static,
{
    type Output = Payload;
    type Error = JobError;

    async fn handle(&self, context: Context) -> Result<Payload, JobError> {
        let codec = self.codecs.for_payload(context.payload());
        let held = context.held();
        let reader = self.codecs.for_reading(held.payload(), self.is_made_here);
        let payload = P::decode(held.payload(), reader, &CodecContext::of(held.meta(), Role::Payload))
            .map_err(|error| undecodable(&error))?;
        let result =
            (self.function)(payload, context.with_state(self.state.clone(), Some(self.codecs.clone())))
                .await?;
        // A result that its format cannot hold will not fit the next time either.
        result.encode(codec, &CodecContext::of(held.meta(), Role::Result)).map_err(JobError::terminal)
    }
}
