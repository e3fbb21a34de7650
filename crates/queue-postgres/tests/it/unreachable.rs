//! Servers that cannot be reached, or that have no connection left.

use crate::common::{Place, queue};
use queue_core::{Certainty, Error, ErrorKind, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::proxy::Proxy;
use sqlx::{Connection, PgConnection};
use std::{net::TcpListener, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::JoinSet,
};

const SOON: Duration = Duration::from_secs(4);

fn options(url: &str) -> PostgresOptions {
    PostgresOptions::new(url).expect("a URL").acquire_timeout(SOON)
}

fn assert_says(error: &Error, words: &[&str]) {
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    for word in words {
        assert!(error.message().contains(word), "{word:?} is not in: {error}");
    }
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let silent = silent.local_addr().expect("it is bound").to_string();
    for (host, place) in [
        ("127.0.0.1:1/d", "127.0.0.1:1"),
        ("no-such-host.invalid/d", "no-such-host.invalid:5432"),
        ("localhost/d?host=/no/such/folder", "/no/such/folder"),
        (&format!("{silent}/d"), &silent),
    ] {
        let options = options(&format!("postgres://queue:hunter2@{host}"));
        let error = PostgresStorage::open(options).await.expect_err(host);
        assert_says(&error, &[place, "no server can be reached", "is it running"]);
    }
}

/// A proxy listens there, and has no server behind it.
#[tokio::test]
async fn what_is_no_server_of_postgres_is_not_taken_for_a_pooler() {
    for answer in ["", "HTTP/1.1 502 Bad Gateway\r\n\r\n"] {
        let proxy = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = proxy.local_addr().expect("it is bound");
        let mut answering = JoinSet::new();
        answering.spawn(async move {
            while let Ok((mut stream, _)) = proxy.accept().await {
                drop(stream.read(&mut [0; 64]).await);
                drop(stream.write_all(answer.as_bytes()).await);
            }
        });
        let options = options(&format!("postgres://queue:hunter2@{address}/d"));
        let error = PostgresStorage::open(options).await.expect_err(answer);
        assert_says(&error, &["is "]);
        let message = error.message();
        assert!(
            message.contains("is there a server behind") || message.contains("is it running"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_server_that_went_away_is_told_with_its_address() {
    let Some(place) = Place::new().await else { return };
    let at = place.schema.url.rfind('@').expect("a login");
    let (address, database) = place.schema.url[at + 1..].split_once('/').expect("a database");
    let proxy = Proxy::start(address.parse().expect("an address")).expect("a free port");
    let (login, far) = (&place.schema.url[..at], proxy.address().to_string());
    let options = options(&format!("{login}@{far}/{database}")).schema(&place.schema.name).expect("a name");
    let store = PostgresStorage::open(options).await.expect("it opens");
    store.counts(&queue()).await.expect("it answers");
    proxy.close().await;
    // The first call may notice only in use that its connection is broken.
    drop(store.counts(&queue()).await);
    let error = store.counts(&queue()).await.expect_err("nobody is there");
    assert_says(&error, &[&far, "Connection refused", "is it running"]);
    store.close().await.expect("closing needs no server");
    place.remove().await;
}

/// The limit is that of a role, so that other tests find connections.
#[tokio::test]
async fn a_server_without_a_connection_left_is_told_as_such() {
    let Some(place) = Place::new().await else { return };
    let role = place.schema.quoted();
    place
        .execute(&format!(
            "DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1;
            CREATE SCHEMA {{schema}} AUTHORIZATION {role}"
        ))
        .await;
    let at = place.schema.url.rfind('@').expect("a login");
    let url = format!("postgres://{}:x{}", place.schema.name.replace(' ', "%20"), &place.schema.url[at..]);
    let options = || options(&url).schema(&place.schema.name).expect("a name");
    let store = PostgresStorage::open(options()).await.expect("it opens");
    let holder = hold(&url).await;
    for error in [
        PostgresStorage::open(options()).await.expect_err("the limit is reached"),
        store.counts(&queue()).await.expect_err("the limit is reached"),
    ] {
        assert_says(&error, &["no connection left", "`max_connections`", "too many connections"]);
    }
    holder.close().await.expect("it closes");
    store.counts(&queue()).await.expect("there is one again");
    store.close().await.expect("it closes");
    place.execute(&format!("DROP SCHEMA {{schema}} CASCADE; DROP ROLE {role}")).await;
}

/// The only connection that is allowed, once the server has noticed that the last one was closed.
async fn hold(url: &str) -> PgConnection {
    loop {
        if let Ok(connection) = PgConnection::connect(url).await {
            return connection;
        }
    }
}
