//! The lines that the store writes at level `debug` when connections are lost, and the secrets that
//! they omit.

use crate::common::queue;
use crate::private::PrivateServer;
use parking_lot::Mutex;
use queue_core::{Interest, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::{io, sync::Arc, time::Duration};
use tokio::time::{sleep, timeout};
use tracing::Level;

const LIMIT: Duration = Duration::from_mins(1);

/// The lines of every thread.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// The lines of the store, without the lines of the driver.
    fn own(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.0.lock()).into_owned();
        text.lines().filter(|line| line.contains(" queue_postgres::")).map(str::to_owned).collect()
    }

    async fn until(&self, words: &str) {
        let said = async {
            while !self.own().iter().any(|line| line.contains(words)) {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(LIMIT, said).await.unwrap_or_else(|_| panic!("{words:?} is not in {:?}", self.own()));
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn lost_connections_are_told_without_the_password() {
    let Some(mut server) = PrivateServer::start().await else { return };
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt().with_max_level(Level::DEBUG).with_writer(move || writer.clone()).init();

    let options = PostgresOptions::new(&server.url()).expect("a URL");
    let store = PostgresStorage::open(options).await.expect("it opens");
    let _hints = store.subscribe(&queue(), Interest::Wake).await.expect("it subscribes");
    server.stop_at_once();
    store.counts(&queue()).await.expect_err("the server is gone");
    lines.until("a connection is lost").await;
    lines.until("no connection to listen on yet").await;
    server.run().await;
    lines.until("another connection listens").await;

    store.close().await.expect("it closes");
    let told: Vec<_> = lines.own().into_iter().filter(|line| line.contains(server.password())).collect();
    assert_eq!(told, Vec::<String>::new(), "the password is told");
}
