//! Addresses that a URL may have besides a name: an IPv6 address, and a socket.

use crate::{
    common::{enqueue, job},
    private::PrivateServer,
};
use queue_core::{Error, Result, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};

async fn works(url: &str) -> Result<(), Error> {
    let store = PostgresStorage::open(PostgresOptions::new(url)?).await?;
    enqueue(&store, vec![job(url)]).await;
    store.close().await
}

#[tokio::test]
async fn a_server_is_reached_at_an_ipv6_address_and_at_its_socket() {
    let Some(server) = PrivateServer::start().await else { return };
    let (password, port, sockets) = (server.password(), server.port(), server.sockets().display());
    let encoded = sockets.to_string().replace('/', "%2F");
    for url in [
        format!("postgres://queue:{password}@[::1]:{port}/postgres"),
        format!("postgres://queue:{password}@/postgres?host={sockets}&port={port}"),
        format!("postgres://queue:{password}@:{port}/postgres?host={sockets}"),
        format!("postgres://queue:{password}@{encoded}:{port}/postgres"),
    ] {
        works(&url).await.unwrap_or_else(|error| panic!("{}: {error}", url.replace(password, "..")));
    }
}
