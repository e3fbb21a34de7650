//! TLS connections, where the feature is on.

use super::{AUTHORITY, CERTIFICATE, CertificateFiles, KEY};
use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, RedisResult,
    TlsCertificates, sentinel::SentinelClientBuilder,
};
use rustls::{AlertDescription, CertificateError, crypto::CryptoProvider};
use std::{error::Error as StdError, io, path::Path, sync::Arc};

/// What was in the files; nothing where the system's authorities are all that is needed.
#[derive(Debug)]
pub(crate) struct LoadedCertificates(Option<TlsCertificates>);

impl LoadedCertificates {
    pub(crate) async fn read(files: &CertificateFiles) -> RedisResult<Self> {
        provide();
        if *files == CertificateFiles::default() {
            return Ok(Self(None));
        }
        let root_cert = match &files.authority {
            Some(file) => Some(content(AUTHORITY, file).await?),
            None => None,
        };
        let client_tls = match &files.client {
            Some((certificate, key)) => Some(ClientTlsConfig {
                client_cert: content(CERTIFICATE, certificate).await?,
                client_key: content(KEY, key).await?,
            }),
            None => None,
        };
        Ok(Self(Some(TlsCertificates { client_tls, root_cert })))
    }

    /// The same server, with these certificates.
    pub(crate) fn on(&self, info: &ConnectionInfo) -> RedisResult<ConnectionInfo> {
        let (Some(certificates), ConnectionAddr::TcpTls { .. }) = (&self.0, info.addr()) else {
            return Ok(info.clone());
        };
        let client = Client::build_with_tls(info.clone(), certificates.clone());
        client.map(|client| client.get_connection_info().clone()).map_err(|error| unusable(&error))
    }

    /// For Sentinels and for the master that they name.
    pub(crate) fn on_sentinels(&self, builder: SentinelClientBuilder) -> SentinelClientBuilder {
        match &self.0 {
            Some(certificates) => builder
                .set_client_to_sentinel_certificates(certificates.clone())
                .set_client_to_redis_certificates(certificates.clone()),
            None => builder,
        }
    }
}

/// The driver takes the cryptography of the process, and panics where it cannot tell which that is;
/// so the process gets some, unless the application chose before.
fn provide() {
    if CryptoProvider::get_default().is_none() {
        // If another thread sets one first, that one will do.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}

async fn content(option: &str, file: &Path) -> RedisResult<Vec<u8>> {
    let read = tokio::fs::read(file).await;
    read.map_err(|error| unusable(&format!("`{option}={}`: {error}", file.display())))
}

fn unusable(why: &impl ToString) -> RedisError {
    (ErrorKind::InvalidClientConfig, "certificates cannot be used", why.to_string()).into()
}

/// What is wrong with an encrypted connection, and what to set; nothing for an error of another
/// kind.
pub(crate) fn verdict(error: &RedisError) -> Option<String> {
    use rustls::Error as Tls;
    Some(match cause(error)? {
        Tls::InvalidCertificate(certificate) => refused(certificate),
        Tls::AlertReceived(AlertDescription::CertificateRequired) => {
            format!("the server wants a client certificate; set `{CERTIFICATE}` and `{KEY}`")
        }
        Tls::AlertReceived(alert) => {
            format!("the server refuses the client certificate ({alert:?}); check `{CERTIFICATE}`")
        }
        Tls::InvalidMessage(_) => {
            "the server speaks no TLS on that port; check the port, or use `redis://`".to_owned()
        }
        other => format!("no encrypted connection can be made ({other})"),
    })
}

fn refused(certificate: &CertificateError) -> String {
    use CertificateError as E;
    match certificate {
        E::UnknownIssuer => format!(
            "the server's certificate is not trusted; name the file of the authority that signed it in `{AUTHORITY}`"
        ),
        E::Expired | E::ExpiredContext { .. } => {
            "the server's certificate has expired; renew it on the server, or set the clock of this machine"
                .to_owned()
        }
        E::NotValidForName | E::NotValidForNameContext { .. } => format!(
            "the server's certificate is of another name ({certificate}); connect to a name that stands in it, or give \
             the server one with this name"
        ),
        other => format!("the server's certificate is not valid ({other}); renew it on the server"),
    }
}

/// The driver keeps it behind shared errors, which do not show it as their source.
fn cause(error: &RedisError) -> Option<&rustls::Error> {
    let shared = error.source()?.downcast_ref::<Arc<dyn StdError + Send + Sync>>()?;
    match shared.downcast_ref::<io::Error>() {
        Some(failed) => failed.get_ref()?.downcast_ref(),
        None => shared.downcast_ref(),
    }
}
