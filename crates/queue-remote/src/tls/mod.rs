//! Certificates: the files that a URL names, and encrypted connections.

#[cfg(feature = "tls")]
mod encrypted;
#[cfg(not(feature = "tls"))]
mod plain;

#[cfg(feature = "tls")]
pub(crate) use encrypted::{encrypt, verdict};
#[cfg(not(feature = "tls"))]
pub(crate) use plain::{encrypt, verdict};

use queue_core::{Error, Result};
use std::path::PathBuf;

/// Files in PEM form. They are read for each connection, so that renewed ones need no restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CertificateFiles {
    /// The authorities to trust, in place of the system's.
    pub(crate) authority: Option<PathBuf>,
    /// The certificate to show.
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
}

impl CertificateFiles {
    pub(crate) fn check(&self, is_encrypted: bool) -> Result<()> {
        if self.certificate.is_some() != self.key.is_some() {
            return Err(Error::invalid("open", "`cert-file` and `key-file` are of use only together"));
        }
        if !is_encrypted && *self != Self::default() {
            let message = "`ca-file`, `cert-file` and `key-file` are of use only with `https://`";
            return Err(Error::invalid("open", message));
        }
        Ok(())
    }
}
