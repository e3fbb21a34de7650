//! A verb reads the rows that it needs, and not the rows of its whole queue or of others, however
//! empty the server believed the tables to be when it made a plan.

use crate::{
    common::{Place, claim, complete, enqueue, fail, job, queue, server::new_schema_at, settle},
    database::Database,
};
use queue_core::{
    Detail, ListQuery, Prune, PruneRequest, Span, Storage, StorageExt,
    lifecycle::{Amendment, Event},
};
use sqlx::{AssertSqlSafe, Row};

/// The other jobs of the queue: waiting, running and finished.
const OTHERS: i64 = 2_000;
const JOBS: usize = 20;
/// The index entries and rows that all verbs may read for one job. A scan of the other jobs in one
/// table would be hundreds more for each job, and even a single one in all would be seen. Beside
/// others they were seen to read 62.
const READS_MAX: i64 = 80;

/// Makes a table look as if it was empty when it was last counted, and will not be counted again.
const EMPTY: &str = "
    ALTER TABLE {schema}.body SET (autovacuum_enabled = off); ALTER TABLE {schema}.ready SET (autovacuum_enabled = off);
    ALTER TABLE {schema}.lease SET (autovacuum_enabled = off); ALTER TABLE {schema}.finished SET (autovacuum_enabled = off);
    UPDATE pg_class SET reltuples = 0, relpages = 1
    WHERE relnamespace = to_regnamespace('{schema}') AND relkind IN ('r', 'i') AND relname <> 'migration'";

/// Stores the other jobs, due later than everything else.
async fn crowd(place: &Place) {
    let others = format!(
        "INSERT INTO {{schema}}.body (seq, created_at, queue, priority, id, kind, content_type, payload)
         SELECT nextval('{{schema}}.life'), 0, 1, 0, 'other' || n, 'k', 'a/b', '' FROM generate_series(1, {OTHERS}) AS n;
         INSERT INTO {{schema}}.ready (seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags)
         SELECT seq, 9e15, 1, 0, 0, 0, queue, 0, 0, 0, 0 FROM {{schema}}.body WHERE id LIKE 'other%' AND seq % 3 = 0;
         INSERT INTO {{schema}}.lease (seq, deadline, claimed_at, expires_at, run_at, revision, epoch, failures, stalls, queue, flags, token, worker)
         SELECT seq, 9e15 + seq, 0, 9e15 + seq, 0, 2, 1, 0, 0, queue, 0, '\\x00', 'w'
         FROM {{schema}}.body WHERE id LIKE 'other%' AND seq % 3 = 1;
         INSERT INTO {{schema}}.finished (seq, finished_at, run_at, revision, epoch, failures, stalls, queue, state, flags)
         SELECT seq, 0, 0, 3, 1, 0, 0, queue, 5, 0 FROM {{schema}}.body WHERE id LIKE 'other%' AND seq % 3 = 2"
    );
    place.execute(&others).await;
}

/// The reads of the job tables by ended sessions: a session reports at its end.
async fn reads(place: &Place) -> i64 {
    const JOBS: &str = "schemaname = $1 AND relname IN ('body', 'ready', 'lease', 'finished')";
    let text = format!(
        "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE {JOBS})::bigint
           + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE {JOBS})::bigint"
    );
    place.until_sessions_are_gone().await;
    let mut connection = place.schema.connect().await.expect("the server answers");
    let row = sqlx::query(AssertSqlSafe(text)).bind(&place.schema.name).fetch_one(&mut connection).await;
    row.expect("the server answers").get(0)
}

/// Takes each job through every verb, by separate calls.
async fn use_everything(store: &dyn Storage) {
    for n in 0..JOBS {
        let id = format!("job {n}");
        enqueue(store, vec![job(&id)]).await;
        enqueue(store, vec![job(&id)]).await;
        let waits = store.get_one(&queue(), &job(&id).id, Detail::Meta).await.expect("it is read");
        settle(store, &waits.expect("it waits").meta, Event::Amend(Amendment::of_priority(-1))).await;
        let held = claim(store, 1).await.jobs.pop().expect("it is due");
        let (meta, token) = (&held.record.meta, held.token);
        settle(store, meta, Event::Extend { token, by: Span::from_secs(60), progress: None }).await;
        settle(store, meta, Event::Await).await;
        store.get(&queue(), std::slice::from_ref(&meta.id), Detail::Full).await.expect("it is read");
        settle(store, meta, if n % 2 == 0 { complete(token) } else { fail(token) }).await;
        store.attempts(&queue(), std::slice::from_ref(&meta.id)).await.expect("they are read");
        store.list(ListQuery::lapsed(queue(), 1)).await.expect("it is listed");
        let expired = PruneRequest { queue: queue(), what: Prune::Expired, limit: 1 };
        store.prune(expired).await.expect("it is pruned");
    }
}

#[tokio::test]
async fn no_verb_reads_a_whole_queue_for_one_job_whatever_the_server_believes_of_its_tables() {
    // Index entries of dead rows are read until no transaction of the database may see them, so a
    // transaction of another test would count here.
    let Some(database) = Database::new().await else { return };
    let place = Place { schema: new_schema_at(&database.url) };
    let store = place.open().await;
    enqueue(&store, vec![job("first")]).await;
    let first = claim(&store, 1).await.jobs.pop().expect("it is due");
    settle(&store, &first.record.meta, complete(first.token)).await;
    store.close().await.expect("it closes");
    crowd(&place).await;
    place.execute(EMPTY).await;
    let before = reads(&place).await;
    let store = place.open().await;
    use_everything(&store).await;
    store.close().await.expect("it closes");
    let read = reads(&place).await - before;
    assert!(read < READS_MAX * i64::try_from(JOBS).expect("few"), "{read} reads");
    database.drop().await;
}
