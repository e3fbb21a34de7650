//! How connections are made: to a server, to a Sentinel's master, with or without TLS.

use super::Connection;
use crate::{
    endpoint::Endpoint,
    tls::{CertificateFiles, LoadedCertificates},
};
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, ProtocolVersion, PushInfo, RedisResult,
    TlsMode,
    aio::{MultiplexedConnection, SendError},
    sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType},
};
use std::{sync::Arc, time::Duration};

/// Receives what a server sends unasked, on the task of the connection, so it must not block.
pub(crate) type Listen = Box<dyn Fn(PushInfo) -> Result<(), SendError> + Send + Sync>;

/// How a connection to one server is made.
#[derive(Clone, Debug)]
pub(crate) struct Dial {
    pub(crate) endpoint: Endpoint,
    pub(crate) certificates: CertificateFiles,
    pub(crate) response_timeout: Duration,
    pub(crate) connect_timeout: Duration,
}

impl Dial {
    /// Connects for calls.
    pub(crate) async fn open(&self) -> RedisResult<Connection> {
        let held = Arc::new(());
        let seen = Arc::downgrade(&held);
        // The driver's task is not ours, so its end is known by what it drops: the receiver of
        // pushes, of which none come.
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
        // Certificates are read for each connection, so that renewed ones need no restart.
        let certificates = LoadedCertificates::read(&self.certificates).await?;
        match &self.endpoint {
            Endpoint::Single(info) => connect(&certificates.on(info)?, &config).await,
            Endpoint::Cluster(nodes) => first(nodes, &certificates, &config).await,
            Endpoint::Sentinel { sentinels, service, master } => {
                let mut client = sentinel_client(sentinels, service, master, &certificates)?;
                client.get_async_connection_with_config(&config).await
            }
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the driver asks whether it was sent on")]
fn ignore(_held: &Arc<()>, _push: PushInfo) -> Result<(), SendError> {
    Ok(())
}

/// The driver's own, which asks all Sentinels for the master and the master whether it is one.
fn sentinel_client(
    sentinels: &[ConnectionInfo],
    service: &str,
    master: &ConnectionInfo,
    certificates: &LoadedCertificates,
) -> RedisResult<SentinelClient> {
    let addresses = sentinels.iter().map(|info| info.addr().clone());
    let mut builder = SentinelClientBuilder::new(addresses, service, SentinelServerType::Master)?
        .set_client_to_redis_db(master.redis_settings().db())
        .set_client_to_redis_protocol(ProtocolVersion::RESP3)
        .set_client_to_sentinel_protocol(ProtocolVersion::RESP3);
    if let ConnectionAddr::TcpTls { insecure, .. } = master.addr() {
        let mode = if *insecure { TlsMode::Insecure } else { TlsMode::Secure };
        builder = builder.set_client_to_redis_tls_mode(mode);
    }
    if let Some(user) = master.redis_settings().username() {
        builder = builder.set_client_to_redis_username(user);
    }
    if let Some(password) = master.redis_settings().password() {
        builder = builder.set_client_to_redis_password(password);
    }
    // The driver has one login for all Sentinels, as the URL has.
    let login = sentinels.first().map(ConnectionInfo::redis_settings);
    if let Some(user) = login.and_then(|login| login.username()) {
        builder = builder.set_client_to_sentinel_username(user);
    }
    if let Some(password) = login.and_then(|login| login.password()) {
        builder = builder.set_client_to_sentinel_password(password);
    }
    certificates.on_sentinels(builder).build()
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
    certificates: &LoadedCertificates,
    config: &AsyncConnectionConfig,
) -> RedisResult<MultiplexedConnection> {
    let mut outcome = Err((redis::ErrorKind::InvalidClientConfig, "no node was named").into());
    for info in nodes {
        outcome = connect(&certificates.on(info)?, config).await;
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
