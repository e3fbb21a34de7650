//! Encrypted connections, client certificates, and servers that refuse to start.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use crate::server::{PATIENCE, Running, options, say, tokens};
use queue_http::{Address, Door, ServerLimits, ServerOptions, TlsFiles};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UnixStream},
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    },
};

/// An authority, and files with what it signed.
struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "Test authority");
        let key = KeyPair::generate().unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
        Self { folder, issuer: Issuer::new(params, key) }
    }

    fn sign(&self, name: &str, subject: &str) {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, subject);
        let key = KeyPair::generate().unwrap();
        let signed = params.signed_by(&key, &self.issuer).unwrap();
        fs::write(self.path(&format!("{name}.pem")), signed.pem()).unwrap();
        private(&self.path(&format!("{name}.key")), &key.serialize_pem());
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self) -> TlsFiles {
        TlsFiles {
            certificates: self.path("server.pem"),
            key: self.path("server.key"),
            client_authorities: Some(self.path("ca.pem")),
        }
    }

    /// A client that trusts this authority, and shows a certificate if it is given the name of one.
    fn client(&self, shown: Option<(&Self, &str)>) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.path("ca.pem")).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match shown {
            None => builder.with_no_client_auth(),
            Some((signer, name)) => {
                let certificate = CertificateDer::from_pem_file(signer.path(&format!("{name}.pem"))).unwrap();
                let key = PrivateKeyDer::from_pem_file(signer.path(&format!("{name}.key"))).unwrap();
                builder.with_client_auth_cert(vec![certificate], key).unwrap()
            }
        };
        TlsConnector::from(Arc::new(config))
    }
}

fn private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

const REQUEST: &str = "GET /a HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

async fn ask(server: &Running, client: &TlsConnector) -> std::io::Result<String> {
    let stream = TcpStream::connect(server.address).await?;
    let stream = client.connect(ServerName::try_from("localhost").unwrap(), stream).await?;
    Ok(say(stream, REQUEST).await)
}

#[tokio::test]
async fn an_encrypted_server_answers_clients_with_and_without_a_certificate_and_no_foreign_one() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    authority.sign("server", "server");
    authority.sign("mailer", "mailer");
    stranger.sign("mailer", "mailer");
    let server = Running::serve(options().tls(authority.files()).bind().await.unwrap());
    assert!(ask(&server, &authority.client(None)).await.unwrap().contains("200 OK"));
    let known = authority.client(Some((&authority, "mailer")));
    assert!(ask(&server, &known).await.unwrap().contains("200 OK"));
    let foreign = authority.client(Some((&stranger, "mailer")));
    assert!(!ask(&server, &foreign).await.is_ok_and(|answer| answer.contains("200 OK")));
    assert!(ask(&server, &stranger.client(None)).await.is_err(), "another authority's client");
    assert!(!server.say(REQUEST).await.contains("HTTP"), "nothing is answered unencrypted");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn certificates_are_read_again_and_bad_ones_change_nothing() {
    let authority = Authority::new();
    authority.sign("server", "first");
    let server = options().tls(authority.files()).bind().await.unwrap();
    let reload = server.tls_reload();
    let server = Running::serve(server);
    let serial = async || {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let stream = authority.client(None).connect(name, stream).await.unwrap();
        stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
    };
    let first = serial().await;
    private(&authority.path("server.key"), "no key");
    let error = reload.reload().unwrap_err();
    assert!(error.to_string().contains("no private key"), "{error}");
    assert_eq!(serial().await, first);
    authority.sign("server", "second");
    reload.reload().unwrap();
    assert_ne!(serial().await, first);
}

#[tokio::test]
async fn a_handshake_that_does_not_come_closes_the_connection() {
    let authority = Authority::new();
    authority.sign("server", "server");
    let mut limits = ServerLimits::default();
    limits.handshake_timeout = std::time::Duration::from_millis(100);
    let server = Running::serve(options().tls(authority.files()).limits(limits).bind().await.unwrap());
    let mut stream = server.connect().await;
    stream.write_all(b"\x16\x03\x01").await.unwrap();
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("the server closes");
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    let authority = Authority::new();
    authority.sign("server", "server");
    fs::set_permissions(authority.path("server.key"), fs::Permissions::from_mode(0o644)).unwrap();
    let error = options().tls(authority.files()).bind().await.unwrap_err().to_string();
    assert!(error.contains("chmod 600") && !error.contains("BEGIN"), "{error}");
}

#[tokio::test]
async fn a_server_that_would_be_open_to_others_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let (with_tokens, ..) = tokens(&folder);
    let authority = Authority::new();
    authority.sign("server", "server");
    let at = |address: &str, door: &Door| {
        ServerOptions::new(["127.0.0.1:0".parse().unwrap(), address.parse().unwrap()], door.clone())
    };
    for everywhere in ["0.0.0.0:0", "[::]:0"] {
        for refused in [
            at(everywhere, &Door::Anybody),
            at(everywhere, &Door::Anybody).accept_plaintext(),
            at(everywhere, &Door::Anybody).tls(authority.files()),
            at(everywhere, &with_tokens),
        ] {
            let error = refused.bind().await.unwrap_err().to_string();
            assert!(error.contains("other machines reach"), "{error}");
        }
    }
    at("0.0.0.0:0", &with_tokens).accept_plaintext().bind().await.unwrap();
    at("0.0.0.0:0", &with_tokens).tls(authority.files()).bind().await.unwrap();
    at("127.0.0.1:0", &with_tokens).bind().await.unwrap();
    assert!(ServerOptions::new([], with_tokens).bind().await.is_err());
}

#[tokio::test]
async fn a_socket_serves_beside_a_port_and_is_not_encrypted() {
    let authority = Authority::new();
    authority.sign("server", "server");
    let path = authority.path("http.sock");
    let addresses = ["127.0.0.1:0".parse().unwrap(), Address::Unix(path.clone())];
    let options = ServerOptions::new(addresses, Door::Anybody).tls(authority.files());
    let mut server = Running::serve(options.bind().await.unwrap());
    let answer = say(UnixStream::connect(&path).await.unwrap(), REQUEST).await;
    assert!(answer.contains("200 OK"), "{answer}");
    server.lifecycle.stop();
    server.ended().await;
    assert!(!path.exists());
}
