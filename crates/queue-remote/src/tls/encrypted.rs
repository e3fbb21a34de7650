//! TLS connections, where the feature is on.

use super::CertificateFiles;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use std::{error::Error as StdError, io, path::Path, sync::Arc};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Shakes hands on a connection.
pub(crate) async fn encrypt(
    stream: TcpStream,
    host: &str,
    files: &CertificateFiles,
) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config(files).await?)).connect(name, stream).await
}

async fn config(files: &CertificateFiles) -> io::Result<ClientConfig> {
    let roots = match &files.authority {
        Some(file) => authorities(file).await?,
        None => system_authorities(),
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots);
    let (Some(certificate), Some(key)) = (&files.certificate, &files.key) else {
        return Ok(builder.with_no_client_auth());
    };
    let chain = certificates("cert-file", certificate).await?;
    let pem = content("key-file", key).await?;
    let key = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| unusable("key-file", key, &error))?;
    builder.with_client_auth_cert(chain, key).map_err(io::Error::other)
}

async fn authorities(file: &Path) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates("ca-file", file).await? {
        roots.add(certificate).map_err(|error| unusable("ca-file", file, &error))?;
    }
    Ok(roots)
}

/// The authorities of the operating system. One that cannot be read is left out: the server may
/// need another.
fn system_authorities() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

async fn certificates(option: &str, file: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let pem = content(option, file).await?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match read {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(unusable(option, file, &"it holds no certificate")),
        Err(error) => Err(unusable(option, file, &error)),
    }
}

async fn content(option: &str, file: &Path) -> io::Result<Vec<u8>> {
    tokio::fs::read(file).await.map_err(|error| unusable(option, file, &error))
}

fn unusable(option: &str, file: &Path, why: &impl ToString) -> io::Error {
    let message = format!("`{option}={}`: {}", file.display(), why.to_string());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// What is wrong with an encrypted connection, and what to set; nothing for an error of another
/// kind.
pub(crate) fn verdict(error: &(dyn StdError + 'static)) -> Option<String> {
    use rustls::Error as Tls;
    let failed = error.downcast_ref::<io::Error>()?;
    if failed.kind() == io::ErrorKind::InvalidInput {
        return Some(format!("certificates cannot be used: {failed}"));
    }
    Some(match failed.get_ref()?.downcast_ref()? {
        Tls::InvalidCertificate(certificate) => refused(certificate),
        Tls::AlertReceived(AlertDescription::CertificateRequired) => {
            "the server wants a client certificate; set `cert-file` and `key-file`".to_owned()
        }
        Tls::AlertReceived(alert) => format!("the server refuses the connection ({alert:?})"),
        Tls::InvalidMessage(_) => {
            "the server speaks no TLS on that port; check the port, or use `http://`".to_owned()
        }
        other => format!("no encrypted connection can be made ({other})"),
    })
}

fn refused(certificate: &CertificateError) -> String {
    use CertificateError as E;
    match certificate {
        E::UnknownIssuer => {
            "the server's certificate is not trusted; name the file of the authority that signed it in \
                             `ca-file`"
                .to_owned()
        }
        E::Expired | E::ExpiredContext { .. } => {
            "the server's certificate has expired; renew it on the server, or set the clock of this machine"
                .to_owned()
        }
        E::NotValidForName | E::NotValidForNameContext { .. } => {
            format!(
                "the server's certificate is of another name ({certificate}); connect to a name that stands in it"
            )
        }
        other => format!("the server's certificate is not valid ({other}); renew it on the server"),
    }
}
