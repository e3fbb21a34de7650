use super::{Lent, Shared};
use crate::{options::RedisOptions, spawn::spawn};
use redis::{
    ConnectionInfo, RedisError, RedisResult, cluster::ClusterClient, cluster_async::ClusterConnection,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinHandle;

/// The connections to all masters of a Cluster. The driver routes each call by its first key, follows redirections,
/// learns of moved slots, and connects again to a node that closed its connection.
#[derive(Debug)]
pub(crate) struct Cluster {
    client: ClusterClient,
    shared: Arc<Shared<ClusterConnection>>,
    renewal: Mutex<Option<JoinHandle<()>>>,
}

impl Cluster {
    pub(crate) fn new(nodes: &[ConnectionInfo], options: &RedisOptions) -> RedisResult<Self> {
        // Redirections are followed in `Client::send`, where it is known which calls may be sent again.
        let client = ClusterClient::builder(nodes.to_vec())
            .retries(0)
            .connection_timeout(options.connect_timeout)
            .response_timeout(options.response_timeout)
            .build()?;
        Ok(Self { client, shared: Arc::default(), renewal: Mutex::default() })
    }

    pub(crate) async fn lend(&self) -> RedisResult<Lent<ClusterConnection>> {
        self.shared.lend(|| self.client.get_async_connection()).await
    }

    /// After an error. The driver goes on asking a node that does not answer, though a replica took over long ago, so the
    /// nodes are looked up anew. Meanwhile calls keep the former connections, since reaching for a silent node takes its
    /// time and most calls are for others.
    pub(crate) fn give_up(&self, lent: &Lent<ClusterConnection>, error: &RedisError) {
        let is_silence = error.is_io_error() && !error.is_connection_dropped();
        if !is_silence || !self.shared.still_lends(lent) {
            return;
        }
        let mut renewal = self.renewal();
        if renewal.as_ref().is_none_or(JoinHandle::is_finished) {
            *renewal = Some(spawn(renew(self.client.clone(), self.shared.clone(), lent.clone())));
        }
    }

    /// Lets go of the connections.
    pub(crate) fn close(&self) {
        if let Some(renewal) = self.renewal().take() {
            renewal.abort();
        }
        self.shared.close();
    }

    fn renewal(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.renewal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever drops the handle without closing it ends the task too.
impl Drop for Cluster {
    fn drop(&mut self) {
        self.close();
    }
}

/// If it fails, the next call without an answer makes another attempt.
async fn renew(
    client: ClusterClient,
    shared: Arc<Shared<ClusterConnection>>,
    former: Lent<ClusterConnection>,
) {
    if let Ok(connection) = client.get_async_connection().await {
        shared.renew(&former, connection);
    }
}
