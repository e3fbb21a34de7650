//! Servers and clients that show wrong certificates, and certificate files with wrong contents.

use super::tls_url;
use crate::private::PrivateServer;
use queue_core::{Certainty, Error, ErrorKind, QueueName, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The folder of the test servers' certificates; none if these servers are skipped.
fn folder() -> Option<PathBuf> {
    let url = tls_url()?;
    let (_, file) = url.split_once("sslrootcert=").expect("the URL names the authority");
    let file = Path::new(file.split('&').next().expect("a path"));
    Some(file.parent().expect("in a folder").to_owned())
}

/// A server that encrypts.
struct Encrypted {
    server: PrivateServer,
    folder: PathBuf,
}

impl Encrypted {
    async fn start() -> Option<Self> {
        let folder = folder()?;
        Some(Self { server: PrivateServer::start().await?, folder })
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Makes the server show one of the certificates from now on. It restarts, so that the time is
    /// known.
    async fn show(&mut self, certificate: &str) {
        for (name, value) in [
            ("ssl_ca_file", self.file("ca.pem")),
            ("ssl_cert_file", self.file(&format!("{certificate}.pem"))),
            ("ssl_key_file", self.file(&format!("{certificate}.key"))),
            ("ssl", "on".to_owned()),
        ] {
            self.server.execute(&format!("ALTER SYSTEM SET {name} = '{value}'")).await;
        }
        self.server.stop_in_order();
        self.server.run().await;
    }

    /// A URL that checks the whole certificate, by the authority alone.
    fn url(&self) -> String {
        format!("{}?sslmode=verify-full&sslrootcert={}", self.server.url(), self.file("ca.pem"))
    }

    fn url_as(&self, client: &str) -> String {
        let (certificate, key) = (self.file(&format!("{client}.pem")), self.file(&format!("{client}.key")));
        format!("{}&sslcert={certificate}&sslkey={key}", self.url())
    }
}

async fn open(url: &str) -> Result<PostgresStorage, Error> {
    let options = PostgresOptions::new(url).expect("valid").acquire_timeout(Duration::from_secs(5));
    PostgresStorage::open(options).await
}

async fn assert_refused(url: &str, words: &[&str]) {
    let error = open(url).await.expect_err("it is refused");
    let told = (error.kind(), error.operation(), error.certainty());
    assert_eq!(told, (ErrorKind::Invalid, "open", Certainty::NotApplied), "{error}");
    for word in words {
        assert!(error.message().contains(word), "{word:?} is not in: {error}");
    }
}

/// One server serves all cases, since each takes seconds to create.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_certificate_is_told_with_what_to_do() {
    let Some(mut server) = Encrypted::start().await else { return };
    assert_refused(&server.url(), &["does not support TLS", "`sslmode`"]).await;

    server.show("stranger").await;
    assert_refused(&server.url(), &["not trusted", "`sslrootcert`", "127.0.0.1:"]).await;
    let well_known = format!("{}?sslmode=verify-full", server.server.url());
    assert_refused(&well_known, &["not trusted", "`sslrootcert`"]).await;

    server.show("expired").await;
    assert_refused(&server.url(), &["expired", "renew"]).await;

    server.show("other-name").await;
    assert_refused(&server.url(), &["another name", "127.0.0.1", "elsewhere.invalid"]).await;

    server.show("server").await;
    assert_refused(&server.url_as("stranger"), &["client certificate", "`sslcert`"]).await;
    assert_refused(&server.url_as("expired"), &["client certificate", "`sslcert`"]).await;
    assert_refused(&server.url().replace("ca.pem", "no-such.pem"), &["`sslrootcert=", "no-such.pem"]).await;
    let mixed = server.url_as("client").replace("client.key", "client.pem");
    assert_refused(&mixed, &["check the URL", "key"]).await;
    let store = open(&server.url_as("client")).await.expect("nothing is wrong now");

    // The server has to be repaired if its certificate goes bad later, so callers keep trying.
    let queue = QueueName::from_static("q");
    store.counts(&queue).await.expect("it answers");
    server.show("expired").await;
    drop(store.counts(&queue).await);
    let error = store.counts(&queue).await.expect_err("the certificate is refused");
    let told = (error.kind(), error.certainty());
    assert_eq!(told, (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert!(error.message().contains("expired"), "{error}");
    server.show("server").await;
    store.counts(&queue).await.expect("it is as before");
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn a_client_certificate_that_is_missing_is_told_with_what_to_set() {
    let Some(url) = tls_url() else { return };
    let (without, _) = url.split_once("&sslcert=").expect("the URL names it");
    assert_refused(without, &["client certificate", "`sslcert`"]).await;
}
