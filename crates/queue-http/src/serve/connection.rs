//! One connection, from its first byte to its last.

use crate::{
    access::CertificateSubject,
    serve::{
        Lifecycle, RequestBody, ServerLimits,
        listener::Stream,
        served::Served,
        timed_stream::TimedStream,
        tls::{Tls, client_subject},
    },
};
use axum::http::{
    HeaderValue, Request, Response,
    header::{CONNECTION, TRANSFER_ENCODING},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

/// How long a closing connection is read to its end, so that the answer is not lost with what the
/// client was still sending.
const LINGER: Duration = Duration::from_secs(1);
/// How much of it, in bytes.
const LINGER_BYTES_MAX: u64 = 1 << 20;

/// What all connections of a server share.
#[derive(Debug)]
pub(super) struct Connections<S> {
    pub(super) service: S,
    pub(super) limits: ServerLimits,
    pub(super) lifecycle: Lifecycle,
    pub(super) tls: Option<Arc<Tls>>,
}

impl<S: Served> Connections<S> {
    /// Serves a connection until either side ends it.
    pub(super) async fn serve(&self, stream: Box<dyn Stream>, is_network: bool) {
        let ended = match &self.tls {
            // In a box, or every connection would have the room for both.
            Some(tls) if is_network => Box::pin(self.serve_encrypted(tls, stream)).await,
            _ => self.serve_stream(stream, None).await,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection failed");
        }
    }

    async fn serve_encrypted(&self, tls: &Tls, stream: Box<dyn Stream>) -> io::Result<()> {
        let handshake = timeout(self.limits.handshake_timeout, tls.acceptor().accept(stream));
        let stream = tokio::select! {
            shaken = handshake => shaken??,
            () = self.lifecycle.closing() => return Ok(()),
        };
        let subject = client_subject(&stream);
        self.serve_stream(stream, subject).await
    }

    async fn serve_stream(
        &self,
        stream: impl Stream + 'static,
        subject: Option<CertificateSubject>,
    ) -> io::Result<()> {
        let limits = &self.limits;
        let io = TokioIo::new(TimedStream::new(stream, limits.write_timeout));
        let service = service_fn(|request| Box::pin(answer(self, request, subject.clone())));
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_timeout)
            .max_headers(limits.headers_max)
            .max_header_size(limits.header_bytes_max)
            .serve_connection(io, service);
        let served = poll_fn(|cx| connection.poll_without_shutdown(cx));
        let served = tokio::select! {
            served = served => Some(served),
            () = self.lifecycle.closing() => None,
        };
        let served = if let Some(served) = served {
            served
        } else {
            Pin::new(&mut connection).graceful_shutdown();
            let rest = poll_fn(|cx| connection.poll_without_shutdown(cx));
            tokio::select! {
                served = rest => served,
                () = self.lifecycle.ended() => return Ok(()),
            }
        };
        linger(connection.into_parts().io.into_inner().into_inner()).await;
        served.map_err(io::Error::other)
    }
}

async fn answer<S: Served>(
    connections: &Connections<S>,
    request: Request<Incoming>,
    subject: Option<CertificateSubject>,
) -> Result<Response<S::Body>, Infallible> {
    // What a proxy takes for the end of such a body may not be what we take for it, so no further
    // request is read after it.
    let is_last = request.headers().contains_key(TRANSFER_ENCODING);
    let mut request = request.map(RequestBody);
    if let Some(subject) = subject {
        request.extensions_mut().insert(subject);
    }
    let mut response = connections.service.clone().answer(request).await;
    if is_last || connections.lifecycle.is_closing() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}

/// Says that there is nothing more to come, and reads what the client still sends, for a while. A
/// connection that is closed with bytes unread takes the answer away from the client.
async fn linger(mut stream: impl Stream) {
    let rest = async {
        stream.shutdown().await?;
        let mut unread = pin!(stream.take(LINGER_BYTES_MAX));
        tokio::io::copy(&mut unread, &mut tokio::io::sink()).await
    };
    drop(timeout(LINGER, rest).await);
}
