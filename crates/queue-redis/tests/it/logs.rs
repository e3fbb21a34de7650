//! The lines that the store writes at level `debug` when connections are lost, and the secrets that
//! they omit.

use crate::server::{Fsync, Server};
use parking_lot::Mutex;
use queue_core::{Interest, QueueName, Storage};
use queue_redis::{Eviction, RedisOptions, RedisStorage};
use std::{io, sync::Arc, time::Duration};
use tokio::time::{sleep, timeout};
use tracing::Level;

const LIMIT: Duration = Duration::from_secs(30);
const PASSWORD: &str = "a-word-that-nobody-shall-read";

/// The lines of every thread.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// The lines of the store, without the lines of the driver.
    fn own(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.0.lock()).into_owned();
        text.lines().filter(|line| line.contains(" queue_redis::")).map(str::to_owned).collect()
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
async fn lost_connections_and_forgotten_scripts_are_told_without_the_password() {
    let server = Server::start(Fsync::Never).await;
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt().with_max_level(Level::DEBUG).with_writer(move || writer.clone()).init();

    // Connections without a password stay open, so that the test can continue.
    let mut user = redis::cmd("ACL");
    user.arg("SETUSER").arg("worker").arg("on").arg(format!(">{PASSWORD}")).arg("~*").arg("&*").arg("+@all");
    server.run(&mut user).await;
    let url = format!("redis://worker:{PASSWORD}@127.0.0.1:{}", server.port());
    let options = RedisOptions::new(&url).expect("a URL").eviction(Eviction::Allow);
    let (store, queue) = (RedisStorage::open(options).await.expect("it opens"), QueueName::from_static("q"));
    let _hints = store.subscribe(&queue, Interest::Wake).await.expect("it subscribes");
    server.run(redis::cmd("SCRIPT").arg("FLUSH")).await;
    store.counts(&queue).await.expect("the text is sent");
    lines.until("the server does not know a script").await;
    server.kill_connections().await;
    // The first call may notice only in use that its connection is broken.
    drop(store.counts(&queue).await);
    lines.until("a connection is").await;
    lines.until("the connection that listens is lost").await;

    store.close().await.expect("it closes");
    let told: Vec<_> = lines.own().into_iter().filter(|line| line.contains(PASSWORD)).collect();
    assert_eq!(told, Vec::<String>::new(), "the password is told");
}
