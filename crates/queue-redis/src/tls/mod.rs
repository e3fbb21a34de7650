//! Certificates: the files that a URL names, and what is wrong with those that a server shows.

#[cfg(feature = "tls")]
mod encrypted;
#[cfg(not(feature = "tls"))]
mod plain;

use queue_core::{Error, Result};
use std::path::PathBuf;

#[cfg(feature = "tls")]
pub(crate) use encrypted::{LoadedCertificates, verdict};
#[cfg(not(feature = "tls"))]
pub(crate) use plain::{LoadedCertificates, verdict};

/// The options of a URL, named as other clients of Redis name them.
pub(crate) const AUTHORITY: &str = "ssl_ca_certs";
pub(crate) const CERTIFICATE: &str = "ssl_certfile";
pub(crate) const KEY: &str = "ssl_keyfile";

/// Files in PEM form. They are read for each connection, so that renewed ones need no restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CertificateFiles {
    /// The authorities to trust, in place of the system's.
    authority: Option<PathBuf>,
    /// The certificate to show, and its key.
    client: Option<(PathBuf, PathBuf)>,
}

impl CertificateFiles {
    /// From the options of a URL; one that encrypts nothing has none of them.
    pub(crate) fn new(
        is_encrypted: bool,
        authority: Option<String>,
        certificate: Option<String>,
        key: Option<String>,
    ) -> Result<Self> {
        let client = match (certificate, key) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            _ => {
                let message = format!("`{CERTIFICATE}` and `{KEY}` are of use only together");
                return Err(Error::invalid("open", message));
            }
        };
        let files = Self { authority: authority.map(PathBuf::from), client };
        if !is_encrypted && files != Self::default() {
            let message =
                format!("`{AUTHORITY}`, `{CERTIFICATE}` and `{KEY}` are of use only with `rediss://`");
            return Err(Error::invalid("open", message));
        }
        Ok(files)
    }
}
