use crate::options::RedisOptions;
use redis::{ConnectionInfo, RedisResult, cluster::ClusterClient, cluster_async::ClusterConnection};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// The connections to all masters of a Cluster. The driver routes each call by its first key, follows redirections and
/// learns of moved slots.
#[derive(Debug)]
pub(crate) struct Cluster {
    client: ClusterClient,
    present: Mutex<Arc<OnceCell<Shared>>>,
}

/// The driver's connection cannot be shown.
#[derive(Clone)]
pub(crate) struct Shared(ClusterConnection);

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Cluster {
    pub(crate) fn new(nodes: &[ConnectionInfo], options: &RedisOptions) -> RedisResult<Self> {
        // Redirections are followed in `Client::send`, where it is known which calls may be sent again.
        let client = ClusterClient::builder(nodes.to_vec())
            .retries(0)
            .connection_timeout(options.connect_timeout)
            .response_timeout(options.response_timeout)
            .build()?;
        Ok(Self { client, present: Mutex::default() })
    }

    /// The connection, made if there is none. Callers that come meanwhile wait for the same one.
    pub(crate) async fn lend(&self) -> RedisResult<ClusterConnection> {
        let cell = self.cell().clone();
        let connect = async || self.client.get_async_connection().await.map(Shared);
        Ok(cell.get_or_try_init(connect).await?.0.clone())
    }

    /// Lets go of the connections.
    pub(crate) fn close(&self) {
        *self.cell() = Arc::default();
    }

    fn cell(&self) -> std::sync::MutexGuard<'_, Arc<OnceCell<Shared>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
