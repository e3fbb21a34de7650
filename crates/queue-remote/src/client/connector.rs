//! Makes the connections of a handle.

use crate::{
    endpoint::Endpoint,
    tls::{CertificateFiles, encrypt},
};
use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tower_service::Service;

/// Connects to the one place that a handle knows; the address of the request is ignored.
#[derive(Clone, Debug)]
pub(crate) struct Connector(Arc<Dialing>);

#[derive(Debug)]
struct Dialing {
    endpoint: Endpoint,
    certificates: CertificateFiles,
    connect_timeout: Duration,
}

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A connection of any kind: TCP, TLS or a Unix socket.
pub(crate) struct Line(TokioIo<Box<dyn Duplex>>);

impl Connector {
    pub(crate) fn new(endpoint: Endpoint, certificates: CertificateFiles, connect_timeout: Duration) -> Self {
        Self(Arc::new(Dialing { endpoint, certificates, connect_timeout }))
    }
}

impl Dialing {
    async fn dial(&self) -> io::Result<Line> {
        let duplex: Box<dyn Duplex> = match &self.endpoint {
            Endpoint::Tcp { is_encrypted, host, port, .. } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                // A call is one small piece, which must not wait for a second one.
                stream.set_nodelay(true)?;
                if *is_encrypted {
                    Box::new(encrypt(stream, host, &self.certificates).await?)
                } else {
                    Box::new(stream)
                }
            }
            #[cfg(unix)]
            Endpoint::Unix(path) => Box::new(tokio::net::UnixStream::connect(path).await?),
            #[cfg(not(unix))]
            Endpoint::Unix(_) => return Err(io::Error::other("this system has no Unix sockets")),
        };
        Ok(Line(TokioIo::new(duplex)))
    }
}

impl Service<Uri> for Connector {
    type Response = Line;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Line>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let dialing = self.0.clone();
        Box::pin(async move {
            let dialed = timeout(dialing.connect_timeout, dialing.dial()).await;
            dialed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        })
    }
}

impl Connection for Line {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl Write for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line(..)")
    }
}
