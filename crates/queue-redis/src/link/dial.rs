use super::Connection;
use crate::endpoint::Endpoint;
use redis::{
    AsyncConnectionConfig, Client, ConnectionInfo, PushInfo, RedisResult,
    aio::{MultiplexedConnection, SendError},
    sentinel::{SentinelClient, SentinelNodeConnectionInfo, SentinelServerType},
};
use std::{sync::Arc, time::Duration};

/// Hears what a server sends unasked, on the task of the connection, so it must not block.
pub(crate) type Listen = Box<dyn Fn(PushInfo) -> Result<(), SendError> + Send + Sync>;

/// How a connection to one server is made.
#[derive(Clone, Debug)]
pub(crate) struct Dial {
    pub(crate) endpoint: Endpoint,
    pub(crate) response_timeout: Duration,
    pub(crate) connect_timeout: Duration,
}

impl Dial {
    /// Connects for calls.
    pub(crate) async fn open(&self) -> RedisResult<Connection> {
        let held = Arc::new(());
        let seen = Arc::downgrade(&held);
        // The driver's task is not ours, so its end is known by what it drops: the receiver of pushes, of which none come.
        let pushes: Listen = Box::new(move |push| ignore(&held, push));
        Ok(Connection::new(self.connect(Some(pushes)).await?, seen))
    }

    /// Connects; what the server sends unasked goes to `pushes`.
    pub(crate) async fn connect(&self, pushes: Option<Listen>) -> RedisResult<MultiplexedConnection> {
        let mut config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.response_timeout));
        if let Some(pushes) = pushes {
            config = config.set_push_sender(pushes);
        }
        match &self.endpoint {
            Endpoint::Single(info) => connect(info, &config).await,
            Endpoint::Cluster(nodes) => first(nodes, &config).await,
            Endpoint::Sentinel { sentinels, service, master } => {
                let login = SentinelNodeConnectionInfo::default()
                    .set_redis_connection_info(master.redis_settings().clone());
                let service = service.clone();
                let (sentinels, kind) = (sentinels.clone(), SentinelServerType::Master);
                let mut client = SentinelClient::build(sentinels, service, Some(login), kind)?;
                client.get_async_connection_with_config(&config).await
            }
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the driver asks whether it was sent on")]
fn ignore(_held: &Arc<()>, _push: PushInfo) -> Result<(), SendError> {
    Ok(())
}

async fn connect(
    info: &ConnectionInfo,
    config: &AsyncConnectionConfig,
) -> RedisResult<MultiplexedConnection> {
    Client::open(info.clone())?.get_multiplexed_async_connection_with_config(config).await
}

/// The first node that can be reached.
async fn first(
    nodes: &[ConnectionInfo],
    config: &AsyncConnectionConfig,
) -> RedisResult<MultiplexedConnection> {
    let mut outcome = Err((redis::ErrorKind::InvalidClientConfig, "no node was named").into());
    for info in nodes {
        outcome = connect(info, config).await;
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
