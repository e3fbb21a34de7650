//! Encrypted connections, and what is said of those that cannot be made.

use crate::{
    common::server::ELSEWHERE,
    jobs::{open, put},
};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use queue_core::{Certainty, ErrorKind};
use queue_memory::MemoryStorage;
use queue_remote::StoreService;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};
use tempfile::TempDir;
use tokio::{
    net::TcpListener,
    task::{AbortHandle, JoinSet},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

/// A server with a certificate of its own for `localhost`.
struct EncryptedServer {
    address: SocketAddr,
    accepting: AbortHandle,
    directory: TempDir,
}

impl EncryptedServer {
    async fn start() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("it is made");
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("ca.pem"), made.cert.pem()).expect("it is written");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider has some")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("they fit");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let bound = ELSEWHERE.spawn(TcpListener::bind("127.0.0.1:0")).await.expect("it runs");
        let listener = bound.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let service = StoreService::new(Arc::new(MemoryStorage::new()));
        let accepting = ELSEWHERE.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, service) = (acceptor.clone(), TowerToHyperService::new(service.clone()));
                connections.spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
                });
            }
        });
        Self { address, accepting: accepting.abort_handle(), directory }
    }

    fn authority(&self) -> PathBuf {
        self.directory.path().join("ca.pem")
    }

    fn url(&self, scheme: &str, host: &str, options: &str) -> String {
        format!("{scheme}://{host}:{}/{options}", self.address.port())
    }
}

impl Drop for EncryptedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[tokio::test]
async fn a_certificate_of_an_authority_that_is_named_is_trusted() {
    let server = EncryptedServer::start().await;
    let options = format!("?ca-file={}", server.authority().display());
    let remote = open(&server.url("https", "localhost", &options)).await.expect("it is trusted");
    put(&remote, "a").await.expect("it is taken");
}

#[tokio::test]
async fn what_is_wrong_with_a_connection_is_said_when_it_opens() {
    let server = EncryptedServer::start().await;
    let authority = format!("?ca-file={}", server.authority().display());
    for (url, word) in [
        (server.url("https", "localhost", ""), "`ca-file`"),
        (server.url("https", "127.0.0.1", &authority), "of another name"),
        (server.url("https", "localhost", "?ca-file=/nowhere.pem"), "/nowhere.pem"),
    ] {
        let error = open(&url).await.expect_err("it is not to be trusted");
        assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied), "{error}");
        assert!(error.message().contains(word), "{error}");
    }
    open(&server.url("http", "localhost", "")).await.expect_err("it speaks TLS alone");
}
