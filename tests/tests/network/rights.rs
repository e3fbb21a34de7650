//! Redis, Valkey and a Cluster with exactly the user that the page gives, and with fewer rights.

use crate::{administrator, page::blocks, server, tour::tour};
use queue::{ErrorKind, open};
use redis::{Cmd, Value, aio::MultiplexedConnection};

/// The line of the page for a user called `app` with the namespace `mail`.
fn documented() -> Vec<String> {
    let [line] = &blocks("redis.md", "Rights", "text")[..] else { panic!("there is one line") };
    line.split(' ').map(str::to_owned).collect()
}

/// A server with an administrator's connections.
struct Admin {
    nodes: Vec<MultiplexedConnection>,
    url: String,
}

impl Admin {
    /// Connects to every node of a URL with the same login.
    async fn of(url: &str) -> Self {
        let (_, place) = url.split_once("://").expect("a scheme");
        let (login, hosts) = place.trim_end_matches("/0").rsplit_once('@').expect("a login");
        let mut nodes = Vec::new();
        for host in hosts.split(',') {
            let client = redis::Client::open(format!("redis://{login}@{host}")).expect("a URL");
            nodes.push(administrator::connect(&client).await.expect("it connects"));
        }
        Self { nodes, url: url.to_owned() }
    }

    /// Runs a command on every node, as an administrator has to.
    async fn run(&mut self, words: &[String]) {
        let mut command = Cmd::new();
        for word in words {
            command.arg(word);
        }
        for node in &mut self.nodes {
            command.query_async::<Value>(node).await.unwrap_or_else(|error| panic!("{words:?}: {error}"));
        }
    }

    async fn set_user(&mut self, words: &[String]) {
        self.forget_user().await;
        self.run(words).await;
    }

    async fn forget_user(&mut self) {
        self.run(&["ACL", "DELUSER", "app"].map(str::to_owned)).await;
    }

    /// The URL of that user with its namespace.
    fn url_of_user(&self) -> String {
        let (scheme, place) = self.url.split_once("://").expect("a scheme");
        let (_, hosts) = place.rsplit_once('@').expect("a login");
        format!("{scheme}://app:secret@{hosts}?namespace=mail")
    }
}

/// The error for a user that lacks one right.
async fn refusal_without(admin: &mut Admin, right: &str) -> String {
    let line: Vec<String> = documented().into_iter().filter(|word| word != right).collect();
    assert_ne!(line.len(), documented().len(), "the page does not give {right}");
    admin.set_user(&line).await;
    let error = open(&admin.url_of_user()).await.expect_err(right);
    assert_eq!(error.kind(), ErrorKind::Invalid, "{right}: {error}");
    error.message().to_owned()
}

async fn does_everything_with_the_documented_user(url: &str) {
    let mut admin = Admin::of(url).await;
    admin.set_user(&documented()).await;
    tour(&admin.url_of_user(), "rights").await;
    for (right, named) in [
        ("+time", "TIME"),
        ("+@hash", "HSET"),
        ("+@sortedset", "ZADD"),
        ("+@string", "SET"),
        ("+@pubsub", "PUBLISH"),
        ("&mail:*", "PUBLISH mail:"),
        ("~mail:*", "key"),
        ("+eval", "'eval'"),
        ("+evalsha", "'evalsha'"),
        ("+info", "'info'"),
    ] {
        let message = refusal_without(&mut admin, right).await;
        assert!(message.contains("docs/stores/redis.md"), "{right}: {message}");
        assert!(message.contains(named), "without {right}, {named} is not named: {message}");
    }
    admin.forget_user().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_user_does_everything_on_redis() {
    let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") else { return };
    does_everything_with_the_documented_user(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_user_does_everything_on_a_cluster() {
    let Some(url) = server::url("redis-cluster", "QUEUE_TEST_REDIS_CLUSTER_URL") else { return };
    let mut admin = Admin::of(&url).await;
    admin.set_user(&documented()).await;
    tour(&admin.url_of_user(), "rights").await;
    let message = refusal_without(&mut admin, "+cluster|slots").await;
    assert!(message.contains("cluster|slots") && message.contains("docs/stores/redis.md"), "{message}");
    admin.forget_user().await;
}

/// `cargo xtask services run valkey -- cargo test -p queue-e2e --test network -- --ignored valkey`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Valkey, which everyday tests do not have"]
async fn the_documented_user_does_everything_on_valkey() {
    let Some(url) = server::url("valkey", "QUEUE_TEST_VALKEY_URL") else { return };
    does_everything_with_the_documented_user(&url).await;
}
