//! The store as the measurements use it.

use crate::Outcome;
use queue_core::{
    ClaimRequest, ClaimedJob, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, SystemRng,
    WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

pub(crate) const SCHEMA: &str = "queue_measure";
/// A small payload, so that the tables and not the data are measured.
const PAYLOAD: &str = "{\"to\":\"ada@example.org\",\"template\":\"welcome\",\"locale\":\"en\"}";

/// Opens an empty store.
pub(crate) async fn open(url: &str, connections: u32) -> Outcome<PostgresStorage> {
    execute(url, &format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")).await?;
    let options = PostgresOptions::new(url)?.schema(SCHEMA)?.connections_max(connections);
    Ok(PostgresStorage::open(options).await?)
}

pub(crate) async fn execute(url: &str, text: &str) -> Outcome {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::raw_sql("SET client_min_messages = error").execute(&mut connection).await?;
    sqlx::raw_sql(AssertSqlSafe(text.to_owned())).execute(&mut connection).await?;
    Ok(connection.close().await?)
}

/// One number that a query answers.
pub(crate) async fn number(url: &str, text: &str) -> Outcome<i64> {
    let mut connection = PgConnection::connect(url).await?;
    let row = sqlx::query(AssertSqlSafe(text.to_owned())).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(row.try_get(0)?)
}

/// The same of a text.
pub(crate) async fn text(url: &str, text: &str) -> Outcome<String> {
    let mut connection = PgConnection::connect(url).await?;
    let row = sqlx::query(AssertSqlSafe(text.to_owned())).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(row.try_get(0)?)
}

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("measured")
}

pub(crate) fn job(number: usize) -> NewJob {
    let payload = Payload::new(PAYLOAD, ContentType::from_static("application/json"));
    let id = JobId::new(format!("{number:032x}")).expect("32 characters are a valid id");
    NewJob::new(id, Kind::from_static("email"), payload)
}

pub(crate) fn request(limit: usize) -> ClaimRequest {
    ClaimRequest::new(queue(), WorkerId::from_static("measure"), limit, Span::from_secs(60), &SystemRng)
}

/// The completion of a job.
pub(crate) fn completion(job: &ClaimedJob) -> Transition {
    let result = Payload::new("{\"sent\":true}", ContentType::from_static("application/json"));
    let complete = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
    decide(&job.record.meta, complete, &Policy::default()).expect("a claimed job can be completed")
}
