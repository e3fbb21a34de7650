//! The tower service.

use super::{
    answer_body::AnswerBody,
    dispatch::{Answered, answer},
    request::{Refusal, RequestBounds, read},
};
use crate::contract::{CONTENT_TYPE, CONTRACT, LIBRARY, LIBRARY_VERSION, fingerprint};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE as CONTENT_TYPE_HEADER};
use http_body::Body;
use queue_core::Storage;
use std::{
    convert::Infallible,
    error::Error as StdError,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Serves a store to [`RemoteStorage`](crate::RemoteStorage).
///
/// It is to be mounted at `/store/v1/`; it looks at the last part of the path alone, so a router
/// may take a prefix away or not. A program that may call it can do everything that the store can,
/// and nothing here checks its identity: put it behind something that does, or on a socket that
/// only the right programs reach.
///
/// It is cheap to clone. Closing the store makes each call `Unavailable`.
///
/// # Dropped futures
/// A call whose connection ends is dropped with it, as its verb in [`Storage`] describes. An answer
/// of a claim that is dropped before it is sent gives its jobs back.
///
/// ```
/// # #[cfg(feature = "server")] {
/// use bytes::Bytes;
/// use http::{Request, StatusCode};
/// use http_body_util::Full;
/// use queue_memory::MemoryStorage;
/// use queue_remote::StoreService;
/// use std::sync::Arc;
/// use tower_service::Service;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(async {
/// let mut service = StoreService::new(Arc::new(MemoryStorage::new()));
/// let request = Request::post("/store/v1/open").body(Full::<Bytes>::default()).expect("valid");
/// let answer = service.call(request).await.expect("it always answers");
/// assert_eq!(answer.status(), StatusCode::PRECONDITION_FAILED, "it is of another build");
/// # });
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct StoreService {
    store: Arc<dyn Storage>,
    bounds: RequestBounds,
}

impl StoreService {
    /// Answers calls by this store.
    pub fn new(store: Arc<dyn Storage>) -> Self {
        let bounds = RequestBounds::of(&store.capabilities().limits);
        Self { store, bounds }
    }
}

impl<B> Service<Request<B>> for StoreService
where
    B: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>> + Send + 'static,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Self { store, bounds } = self.clone();
        Box::pin(async move {
            let response = match read(request, bounds).await {
                Ok((verb, body)) => match answer(&store, &verb, body).await {
                    Ok(answered) => of_store(answered),
                    Err(refusal) => refused(refusal),
                },
                Err(refusal) => refused(refusal),
            };
            Ok(response)
        })
    }
}

fn of_store(Answered { status, body }: Answered) -> Response<AnswerBody> {
    let mut response = with_contract(status, body);
    response.headers_mut().insert(CONTENT_TYPE_HEADER, HeaderValue::from_static(CONTENT_TYPE));
    response
}

/// An answer of the service itself, before a store saw anything.
fn refused(Refusal { status, why }: Refusal) -> Response<AnswerBody> {
    let mut response = with_contract(status, AnswerBody::whole(Bytes::from_static(why.as_bytes())));
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE_HEADER, plain);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(http::header::ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

fn with_contract(status: StatusCode, body: AnswerBody) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let contract = HeaderValue::try_from(fingerprint()).expect("digits are a header");
    response.headers_mut().insert(CONTRACT, contract);
    response.headers_mut().insert(LIBRARY, HeaderValue::from_static(LIBRARY_VERSION));
    response
}
