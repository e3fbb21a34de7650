//! Encrypted connections, and who is at their other end.

use crate::access::{AccessError, CertificateSubject, read_private, subject_of};
use parking_lot::RwLock;
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The most certificates of one file.
const CERTIFICATES_MAX: usize = 1_000;

/// The files of an encrypted server.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate of the server and those between it and its authority, in PEM.
    pub certificates: PathBuf,
    /// Its private key, in PEM; the file must be readable by its owner only.
    pub key: PathBuf,
    /// Authorities whose client certificates are accepted in place of a token, in PEM. A client
    /// need not have one.
    pub client_authorities: Option<PathBuf>,
}

/// What a server shows to its clients, as the files were when they were read last.
#[derive(Debug)]
pub(super) struct Tls {
    files: TlsFiles,
    config: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    pub(super) fn load(files: TlsFiles) -> Result<Self, AccessError> {
        let config = RwLock::new(Arc::new(config(&files)?));
        Ok(Self { files, config })
    }

    /// Reads the files again; new connections use what they say. If they cannot be used, nothing
    /// changes.
    pub(super) fn reload(&self) -> Result<(), AccessError> {
        let config = Arc::new(config(&self.files)?);
        *self.config.write() = config;
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.read().clone())
    }
}

/// The subject of the certificate that the client has proven to own, if it has shown one.
pub(super) fn client_subject<S>(stream: &TlsStream<S>) -> Option<CertificateSubject> {
    let certificate = stream.get_ref().1.peer_certificates()?.first()?;
    subject_of(certificate).map(|subject| CertificateSubject(subject.into()))
}

fn config(files: &TlsFiles) -> Result<ServerConfig, AccessError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| malformed(&files.certificates, &error))?;
    let builder = match &files.client_authorities {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(path)? {
                roots.add(certificate).map_err(|error| malformed(path, &error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .allow_unauthenticated()
                .build()
                .map_err(|error| malformed(path, &error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    // The parser's message could quote the key.
    let key = PrivateKeyDer::from_pem_slice(&read_private(&files.key)?).map_err(|_| {
        AccessError::Malformed { path: files.key.clone(), why: "it has no private key in PEM".to_owned() }
    })?;
    let mut config = builder
        .with_single_cert(certificates(&files.certificates)?, key)
        .map_err(|error| malformed(&files.certificates, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, AccessError> {
    let bytes = std::fs::read(path).map_err(|source| AccessError::Io { path: path.to_owned(), source })?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).take(CERTIFICATES_MAX).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(AccessError::Malformed {
            path: path.to_owned(),
            why: "it has no certificate in PEM".to_owned(),
        }),
        Err(error) => Err(malformed(path, &error)),
    }
}

fn malformed(path: &Path, error: &dyn std::error::Error) -> AccessError {
    AccessError::Malformed { path: path.to_owned(), why: error.to_string() }
}
