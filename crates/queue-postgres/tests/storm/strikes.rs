//! The faults that strike.

use super::{Begin, Rhythm, application};
use crate::common::server::{Failure, TestSchema, url};
use async_trait::async_trait;
use bytes::Bytes;
use queue_testkit::proxy::{Proxy, Traffic};
use sqlx::PgConnection;
use std::fmt::Debug;
use tokio::sync::Mutex;

/// A fault of the server, or of the connection to it.
#[async_trait]
pub(crate) trait Strike: Debug + Send + Sync {
    /// The URL for the stores.
    fn url(&self, server: &str) -> String {
        server.to_owned()
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm::OFTEN
    }

    async fn strike(&self);

    /// Ends the fault.
    async fn calm(&self) {}
}

/// Ends a random session of the stores.
pub(crate) struct Terminations;

#[async_trait]
impl Begin for Terminations {
    async fn begin(&self, schema: &TestSchema) -> Result<Box<dyn Strike>, Failure> {
        let connection = Mutex::new(schema.connect().await?);
        Ok(Box::new(Terminator { connection, application: application(schema) }))
    }
}

#[derive(Debug)]
struct Terminator {
    connection: Mutex<PgConnection>,
    application: String,
}

#[async_trait]
impl Strike for Terminator {
    async fn strike(&self) {
        let end_one = "SELECT count(pg_terminate_backend(pid)) FROM (
            SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY random() LIMIT 1
        ) AS victim";
        let mut connection = self.connection.lock().await;
        sqlx::query(end_one)
            .bind(&self.application)
            .execute(&mut *connection)
            .await
            .expect("a superuser may");
    }
}

/// Kills a session without warning. The server then ends all others at once and recovers from its
/// log, as after an immediate stop.
pub(crate) struct Crashes;

#[async_trait]
impl Begin for Crashes {
    async fn begin(&self, schema: &TestSchema) -> Result<Box<dyn Strike>, Failure> {
        Ok(Box::new(Crasher(TestSchema { url: schema.url.clone(), name: schema.name.clone() })))
    }
}

#[derive(Debug)]
struct Crasher(TestSchema);

#[async_trait]
impl Strike for Crasher {
    fn rhythm(&self) -> Rhythm {
        Rhythm::SELDOM
    }

    async fn strike(&self) {
        // The server may still be recovering from the last strike.
        let mut connection = loop {
            if let Ok(connection) = self.0.connect().await {
                break connection;
            }
            tokio::task::yield_now().await;
        };
        let kill_self = "DO $$ BEGIN
            EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', 'kill -9 ' || pg_backend_pid());
        END $$";
        sqlx::raw_sql(kill_self).execute(&mut connection).await.expect_err("nobody survives to answer");
    }
}

/// Lets the server execute a request, and cuts the connection in place of the answer.
pub(crate) struct LostReplies;

#[async_trait]
impl Begin for LostReplies {
    async fn begin(&self, _: &TestSchema) -> Result<Box<dyn Strike>, Failure> {
        Ok(Box::new(Cutter(proxy_of(&url().ok_or("there is no server")?))))
    }
}

#[derive(Debug)]
struct Cutter(Proxy);

#[async_trait]
impl Strike for Cutter {
    fn url(&self, server: &str) -> String {
        through(&self.0, server)
    }

    /// The next prepared statement or commit is executed and not answered, on every connection,
    /// until the next strike lets everything pass again.
    async fn strike(&self) {
        let withheld = self.0.counts().withheld;
        let request = if withheld.is_multiple_of(2) { "sqlx_s_" } else { "COMMIT" };
        self.0.set(Traffic::CutBeforeReply(Bytes::from_static(request.as_bytes()))).await.expect("it runs");
    }

    async fn calm(&self) {
        self.0.set(Traffic::Pass).await.expect("it runs");
    }
}

/// Splits a URL into the parts before, at and after its address.
fn split(url: &str) -> (String, String, String) {
    let at = url.rfind('@').expect("the URL of the test server names a user") + 1;
    let end = url[at..].find('/').map_or(url.len(), |slash| at + slash);
    (url[..at].to_owned(), url[at..end].to_owned(), url[end..].to_owned())
}

/// The URL of another database of the same server.
pub(crate) fn in_database(server: &str, database: &str) -> String {
    let (before, address, _) = split(server);
    format!("{before}{address}/{database}")
}

/// A proxy to the server of a URL.
pub(crate) fn proxy_of(server: &str) -> Proxy {
    let address = split(server).1.parse().expect("the test server has a numeric address");
    Proxy::start(address).expect("there is a free port")
}

/// The URL of the same server through a proxy.
pub(crate) fn through(proxy: &Proxy, server: &str) -> String {
    let (before, _, after) = split(server);
    format!("{before}{}{after}", proxy.address())
}

/// Ends the session that listens for the stores of a schema; returns whether there was one.
pub(crate) async fn end_listener(schema: &TestSchema) -> bool {
    let mut connection = schema.connect().await.expect("the server answers");
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = $1 AND query LIKE 'LISTEN%'";
    let ended = sqlx::query(end).bind(application(schema)).execute(&mut connection).await;
    ended.expect("a superuser may").rows_affected() > 0
}
