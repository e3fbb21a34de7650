//! Where a server is, or the nodes of a Cluster, or Sentinels.

use redis::{ConnectionAddr, ConnectionInfo};
use std::fmt;

/// Where the server is, from a URL.
#[derive(Clone)]
pub(crate) enum Endpoint {
    /// One server.
    Single(ConnectionInfo),
    /// Some nodes of a Cluster, each as it can be connected to.
    Cluster(Vec<ConnectionInfo>),
    /// Sentinels, the service that they watch, and how to log in to its master.
    Sentinel { sentinels: Vec<ConnectionInfo>, service: String, master: ConnectionInfo },
}

impl Endpoint {
    /// Whether what is sent is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.infos().iter().any(|info| matches!(info.addr(), ConnectionAddr::TcpTls { .. }))
    }

    fn infos(&self) -> &[ConnectionInfo] {
        match self {
            Self::Single(info) => std::slice::from_ref(info),
            Self::Cluster(nodes) => nodes,
            Self::Sentinel { sentinels, .. } => sentinels,
        }
    }
}

/// The addresses, without a login.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, info) in self.infos().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}", info.addr())?;
        }
        Ok(())
    }
}

/// Hides the password.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(_) => write!(f, "Single({self})"),
            Self::Cluster(_) => write!(f, "Cluster({self})"),
            Self::Sentinel { service, .. } => write!(f, "Sentinel({self} for {service:?})"),
        }
    }
}
