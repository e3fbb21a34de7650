//! Servers and clients that show wrong certificates, and certificate files with wrong contents.

use crate::{
    harness::REDIS_TLS,
    server::{Fsync, Server},
};
use queue_core::{Certainty, Error, ErrorKind, QueueName, Storage};
use queue_redis::{RedisOptions, RedisStorage};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// The folder of the test servers' certificates; none if these servers are skipped.
fn folder() -> Option<PathBuf> {
    let url = REDIS_TLS.url()?;
    let (_, file) = url.split_once("ssl_ca_certs=").expect("the URL names the authority");
    let file = Path::new(file.split('&').next().expect("a path"));
    Some(file.parent().expect("in a folder").to_owned())
}

/// A server that shows one of the certificates, and a URL that trusts only the authority.
struct Encrypted {
    server: Server,
    folder: PathBuf,
}

impl Encrypted {
    /// `asks` says whether clients have to show a certificate.
    async fn start(certificate: &str, asks: &str) -> Option<Self> {
        let folder = folder()?;
        let file = |name: &str| folder.join(name).display().to_string();
        let settings = |port: u16| {
            let settings = [
                ("--tls-port", port.to_string()),
                ("--tls-ca-cert-file", file("ca.pem")),
                ("--tls-cert-file", file(&format!("{certificate}.pem"))),
                ("--tls-key-file", file(&format!("{certificate}.key"))),
                ("--tls-auth-clients", asks.to_owned()),
            ];
            settings.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
        };
        let server = Server::start_with(Fsync::Never, settings).await;
        Some(Self { server, folder })
    }

    fn port(&self) -> u16 {
        self.server.second_port()
    }

    fn url(&self) -> String {
        format!("rediss://127.0.0.1:{}?ssl_ca_certs={}", self.port(), self.folder.join("ca.pem").display())
    }

    fn url_as(&self, client: &str) -> String {
        let file = self.folder.join(client);
        format!("{}&ssl_certfile={}.pem&ssl_keyfile={}.key", self.url(), file.display(), file.display())
    }

    /// Makes the server show another certificate from now on.
    async fn show(&self, certificate: &str) {
        let file = |kind| self.folder.join(format!("{certificate}.{kind}")).display().to_string();
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("tls-cert-file").arg(file("pem")).arg("tls-key-file").arg(file("key"));
        self.server.run(&mut set).await;
    }
}

async fn open(url: &str) -> Result<RedisStorage, Error> {
    let options = RedisOptions::new(url).expect("valid").connect_timeout(Duration::from_secs(2));
    RedisStorage::open(options).await
}

async fn refusal(url: &str) -> Error {
    let error = open(url).await.expect_err("it is refused");
    assert_eq!((error.operation(), error.certainty()), ("open", Certainty::NotApplied), "{error}");
    error
}

fn assert_says(error: &Error, kind: ErrorKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    for word in words {
        assert!(error.message().contains(word), "{word:?} is not in: {error}");
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_told_with_what_to_set() {
    let Some(server) = Encrypted::start("stranger", "no").await else { return };
    let error = refusal(&server.url()).await;
    assert_says(
        &error,
        ErrorKind::Invalid,
        &["not trusted", "`ssl_ca_certs`", &format!("127.0.0.1:{}", server.port())],
    );
    let system = format!("rediss://127.0.0.1:{}", server.port());
    assert_says(&refusal(&system).await, ErrorKind::Invalid, &["not trusted", "`ssl_ca_certs`"]);
}

#[tokio::test]
async fn a_certificate_that_has_expired_is_told_as_such() {
    let Some(server) = Encrypted::start("expired", "no").await else { return };
    assert_says(&refusal(&server.url()).await, ErrorKind::Invalid, &["expired", "renew"]);
}

#[tokio::test]
async fn a_certificate_of_another_name_is_told_with_the_names() {
    let Some(server) = Encrypted::start("other-name", "no").await else { return };
    let error = refusal(&server.url()).await;
    assert_says(&error, ErrorKind::Invalid, &["another name", "127.0.0.1", "elsewhere.invalid"]);
}

/// The server may close the connection before its reason is read; either way the message names the
/// options.
#[tokio::test]
async fn a_client_certificate_that_is_missing_is_told_with_what_to_set() {
    let Some(server) = Encrypted::start("server", "yes").await else { return };
    let error = refusal(&server.url()).await;
    assert_says(&error, error.kind(), &["client certificate", "`ssl_certfile`"]);
    assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
    open(&server.url_as("client")).await.expect("with one it opens").close().await.expect("it closes");
}

#[tokio::test]
async fn a_client_certificate_that_is_not_accepted_is_told_as_such() {
    let Some(server) = Encrypted::start("server", "yes").await else { return };
    for client in ["stranger", "expired"] {
        let error = refusal(&server.url_as(client)).await;
        assert_says(&error, error.kind(), &["client certificate", "`ssl_certfile`"]);
    }
}

#[tokio::test]
async fn a_port_without_tls_is_told_as_such() {
    let Some(server) = Encrypted::start("server", "no").await else { return };
    let plain = server.url().replace(&server.port().to_string(), &server.server.port().to_string());
    let error = refusal(&plain).await;
    // The server takes the beginning of an encrypted connection for half a line, and waits for the
    // rest.
    assert_says(&error, ErrorKind::Unavailable, &["no TLS on that port"]);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_named() {
    let Some(server) = Encrypted::start("server", "no").await else { return };
    let missing = server.url().replace("ca.pem", "no-such.pem");
    assert_says(&refusal(&missing).await, ErrorKind::Invalid, &["`ssl_ca_certs=", "no-such.pem"]);
    let garbage = server.url_as("client").replace("client.key", "client.pem");
    assert_says(&refusal(&garbage).await, ErrorKind::Invalid, &["certificates cannot be used", "key"]);
}

/// The server has to be repaired then, so callers keep trying.
#[tokio::test]
async fn an_open_handle_takes_a_certificate_that_went_bad_for_trouble_that_passes() {
    let Some(server) = Encrypted::start("server", "no").await else { return };
    let (store, queue) = (open(&server.url()).await.expect("it opens"), QueueName::from_static("q"));
    server.show("expired").await;
    server.server.kill_connections().await;
    // The first call may notice only in use that its connection is broken.
    drop(store.counts(&queue).await);
    let error = store.counts(&queue).await.expect_err("the certificate is refused");
    assert_says(&error, ErrorKind::Unavailable, &["expired"]);
    assert_eq!(error.certainty(), Certainty::NotApplied);
    server.show("server").await;
    store.counts(&queue).await.expect("it is as before");
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn renewed_files_need_no_restart() {
    let Some(server) = Encrypted::start("server", "yes").await else { return };
    let own = tempfile::tempdir().expect("a folder");
    let copy = |from: &str, to: &str| {
        fs::copy(server.folder.join(from), own.path().join(to)).expect("it can be copied");
    };
    let show = |name: &str| {
        copy(&format!("{name}.pem"), "client.pem");
        copy(&format!("{name}.key"), "client.key");
    };
    show("client");
    let file = own.path().join("client");
    let url =
        format!("{}&ssl_certfile={}.pem&ssl_keyfile={}.key", server.url(), file.display(), file.display());
    let (store, queue) = (open(&url).await.expect("it opens"), QueueName::from_static("q"));
    show("expired");
    server.server.kill_connections().await;
    drop(store.counts(&queue).await);
    store.counts(&queue).await.expect_err("the file is looked at for each connection");
    show("client");
    store.counts(&queue).await.expect("and so is the renewed one");
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn options_about_certificates_are_refused_where_they_mean_nothing() {
    for url in [
        "redis://h?ssl_ca_certs=/ca.pem",
        "rediss://h?ssl_certfile=/a.pem",
        "rediss://h?ssl_keyfile=/a.key",
        "rediss://h?ssl_cert_reqs=none",
        "rediss://h?sentinel_password=x",
        "rediss+sentinel://h?service=s&sentinel_username=x",
    ] {
        let error = RedisOptions::new(url).expect_err(url);
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
}
