//! Pauses of kinds: the fate of their lines, and what many claims make of them at once.

mod crowds;
mod lines;

use crate::common::{Place, job, queue};
use queue_core::{ClaimedJob, Kind, NewJob, Pause, Storage};
use queue_postgres::PostgresStorage;
use sqlx::Row;

const KINDS: [&str; 3] = ["letter", "mail", "report"];

fn of_kind(kind: &'static str, id: &str) -> NewJob {
    let mut job = job(id);
    job.kind = Kind::from_static(kind);
    job
}

async fn pause(store: &PostgresStorage, kind: &'static str, pause: Pause) {
    store.set_paused(&queue(), Some(&Kind::from_static(kind)), pause).await.expect("it pauses kinds");
}

fn ids(jobs: &[ClaimedJob]) -> Vec<&str> {
    jobs.iter().map(|job| job.record.meta.id.as_str()).collect()
}

/// How many lines there are, and whether any queue says that it has some.
async fn line_count(place: &Place) -> (i64, bool) {
    let text = "SELECT (SELECT count(*) FROM {schema}.line), coalesce(bool_or(has_lines), false) FROM {schema}.queue";
    let text = text.replace("{schema}", &place.schema.quoted());
    let mut connection = place.schema.connect().await.expect("the server answers");
    let row = sqlx::query(sqlx::AssertSqlSafe(text)).fetch_one(&mut connection).await.expect("it is read");
    (row.get(0), row.get(1))
}
