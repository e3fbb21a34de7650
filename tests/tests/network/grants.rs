//! Postgres with exactly the roles that the page creates, and with fewer rights.

use crate::{page::blocks, server, tour::tour};
use queue::{ErrorKind, Queue, StoreCopy, open};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

const DATABASE: &str = "queue test of grants";

/// Runs statements as an administrator.
async fn execute(url: &str, text: &str) {
    let mut connection = PgConnection::connect(url).await.expect("the server answers");
    sqlx::raw_sql(AssertSqlSafe(text))
        .execute(&mut connection)
        .await
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    connection.close().await.expect("it closes");
}

/// A private database, whose roles are the roles of the page.
struct Database {
    server: String,
}

impl Database {
    async fn new() -> Option<Self> {
        let server = server::url("postgres", "QUEUE_TEST_POSTGRES_URL")?;
        let database = Self { server };
        database.remove().await;
        execute(&database.server, &format!("CREATE DATABASE \"{DATABASE}\"")).await;
        Some(database)
    }

    /// The URL for a user; `None` for the administrator, without a schema.
    fn url(&self, user: Option<&str>) -> String {
        let (_, host) = self.server.rsplit_once('@').expect("a login");
        let (host, _) = host.split_once('/').expect("a database");
        let database = DATABASE.replace(' ', "%20");
        match user {
            Some(user) => format!("postgres://{user}:secret@{host}/{database}?schema=jobs"),
            None => format!("{}/{database}", self.server.rsplit_once('/').expect("a database").0),
        }
    }

    async fn remove(&self) {
        for statement in [
            format!("DROP DATABASE IF EXISTS \"{DATABASE}\" WITH (FORCE)"),
            "DROP ROLE IF EXISTS jobs_owner, jobs_app".to_owned(),
        ] {
            execute(&self.server, &statement).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_roles_do_everything_and_lesser_ones_are_told_what_they_lack() {
    let Some(database) = Database::new().await else { return };
    let blocks = blocks("postgres.md", "Rights", "sql");
    let [statements, of_a_copy] = &blocks[..] else { panic!("there are two blocks") };
    execute(&database.url(None), statements).await;

    // The program that only uses the store finds no schema yet, and may not create it.
    let error = open(&database.url(Some("jobs_app"))).await.expect_err("there are no tables");
    assert_refused(&error, "schema jobs");

    open(&database.url(Some("jobs_owner"))).await.expect("it migrates").close().await.expect("it closes");
    tour(&database.url(Some("jobs_app")), "grants").await;
    tour(&database.url(Some("jobs_owner")), "grants").await;

    for (revoked, named) in [
        ("USAGE ON SEQUENCE jobs.life", "sequence life"),
        ("INSERT ON jobs.ready", "table ready"),
        ("SELECT ON jobs.migration", "table migration"),
        ("USAGE ON SCHEMA jobs", "schema jobs"),
    ] {
        execute(&database.url(None), &format!("REVOKE {revoked} FROM jobs_app")).await;
        assert_refused(&refusal(&database.url(Some("jobs_app"))).await, named);
        execute(&database.url(None), &format!("GRANT {revoked} TO jobs_app")).await;
    }
    tour(&database.url(Some("jobs_app")), "grants").await;
    a_copy_needs_one_right_more(&database, of_a_copy).await;
    database.remove().await;
}

/// The first of the statements gives the right, the second takes it back. The target has given
/// fewer numbers than the source, as one that is new.
async fn a_copy_needs_one_right_more(database: &Database, statements: &str) {
    let source = open("memory:").await.expect("memory opens");
    let jobs: Queue<u32, u32> = Queue::new(source.clone(), "copied").expect("a name");
    for n in 0..1_000 {
        jobs.enqueue(n.to_string(), n).await.expect("memory enqueues");
    }
    let target = open(&database.url(Some("jobs_app"))).await.expect("it may open");
    let copy = StoreCopy::new(source, target.clone());
    let error = copy.run(&mut |_| {}).await.expect_err("a right is missing");
    assert_refused(&error, "sequence life");
    let [grant, revoke] = &statements.lines().collect::<Vec<_>>()[..] else { panic!("there are two") };
    execute(&database.url(None), grant).await;
    assert!(copy.run(&mut |_| {}).await.expect("it may do that").is_verified());
    execute(&database.url(None), revoke).await;
    target.close().await.expect("it closes");
}

/// The error of opening or of the first use.
async fn refusal(url: &str) -> queue::Error {
    let store = match open(url).await {
        Ok(store) => store,
        Err(error) => return error,
    };
    let jobs: Queue<u32, u32> = Queue::new(store.clone(), "refused").expect("a name");
    let error = jobs.enqueue("a", 1).await.expect_err("a right is missing");
    store.close().await.expect("it closes");
    error
}

fn assert_refused(error: &queue::Error, named: &str) {
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    let message = error.message();
    assert!(
        message.contains("docs/stores/postgres.md") && message.contains(named),
        "{named:?} is not in: {message}"
    );
}
