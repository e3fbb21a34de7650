//! Explains why no encrypted connection can be made.

use std::io;

/// What to set or to repair; nothing for an error of another kind.
#[cfg(not(feature = "tls"))]
pub(crate) fn verdict(_error: &io::Error) -> Option<String> {
    None
}

/// What to set or to repair; nothing for an error of another kind.
#[cfg(feature = "tls")]
pub(crate) fn verdict(error: &io::Error) -> Option<String> {
    use rustls::{AlertDescription, Error as Tls};
    Some(match error.get_ref()?.downcast_ref()? {
        Tls::InvalidCertificate(certificate) => refused(certificate),
        Tls::AlertReceived(AlertDescription::CertificateRequired) => {
            "the server wants a client certificate; set `sslcert` and `sslkey`".to_owned()
        }
        Tls::AlertReceived(alert) => {
            format!("the server refuses the client certificate ({alert:?}); check `sslcert`")
        }
        other => format!("no encrypted connection can be made ({other}); check the server, and `sslmode`"),
    })
}

#[cfg(feature = "tls")]
fn refused(certificate: &rustls::CertificateError) -> String {
    use rustls::CertificateError as E;
    match certificate {
        E::UnknownIssuer => {
            "the server's certificate is not trusted; name the file of the authority that signed it in `sslrootcert`"
                .to_owned()
        }
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
