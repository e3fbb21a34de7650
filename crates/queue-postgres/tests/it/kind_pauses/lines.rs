//! A line holds the jobs that were set aside for as long as there are some, beside other callers at
//! work, and claims wait for no other call.

use super::{ids, line_count, of_kind, pause};
use crate::common::{Place, claim, enqueue};
use queue_core::{Pause, PausedKind};
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_line_goes_with_its_last_job_and_the_queue_is_claimed_as_before() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![of_kind("mail", "a"), of_kind("mail", "b")]).await;
    pause(&store, "mail", Pause::UntilResumed).await;
    assert_eq!(claim(&store, 9).await.set_aside, 2);
    pause(&store, "mail", Pause::Off).await;
    assert_eq!(line_count(&place).await, (1, true), "its jobs are there");
    assert_eq!(ids(&claim(&store, 9).await.jobs), ["a", "b"]);
    assert_eq!(claim(&store, 9).await.jobs.len(), 0);
    assert_eq!(line_count(&place).await, (0, false));
    place.finish(&store).await;
}

/// A process may be stopped while it pauses a kind.
#[tokio::test]
async fn claims_wait_for_nobody_who_changes_the_lines_of_their_queue() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![of_kind("mail", "a"), of_kind("report", "b")]).await;
    pause(&store, "mail", Pause::UntilResumed).await;
    pause(&store, "letter", Pause::UntilResumed).await;
    let pool = place.pool(1).await;
    let mut stopped = pool.begin().await.unwrap();
    let change = format!(
        "SELECT FROM {0}.queue FOR NO KEY UPDATE; UPDATE {0}.line SET paused = 0 WHERE kind = 'mail';
         SELECT FROM {0}.line WHERE kind = 'letter' FOR UPDATE",
        place.schema.quoted()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(change)).execute(&mut *stopped).await.unwrap();
    let first = claim(&store, 9).await;
    assert_eq!((ids(&first.jobs), first.set_aside), (vec!["b"], 1));
    stopped.commit().await.unwrap();
    let mut stopped = pool.begin().await.unwrap();
    let lock = format!("SELECT FROM {}.queue FOR NO KEY UPDATE", place.schema.quoted());
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock)).execute(&mut *stopped).await.unwrap();
    assert_eq!(ids(&claim(&store, 9).await.jobs), ["a"]);
    assert_eq!(claim(&store, 9).await.jobs.len(), 0, "its line cannot be forgotten now");
    stopped.rollback().await.unwrap();
    assert_eq!(claim(&store, 9).await.jobs.len(), 0);
    assert_eq!(line_count(&place).await, (1, true), "the letters'");
    place.finish(&store).await;
}

/// A transaction of an application deletes the last job of a line, and may still take that back.
#[tokio::test]
async fn a_line_stays_while_a_job_of_it_may_come_back() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![of_kind("mail", "a")]).await;
    pause(&store, "mail", Pause::UntilResumed).await;
    assert_eq!(claim(&store, 9).await.set_aside, 1);
    let pool = place.pool(1).await;
    let mut transaction = pool.begin().await.unwrap();
    let delete = format!("DELETE FROM {}.ready", place.schema.quoted());
    sqlx::raw_sql(sqlx::AssertSqlSafe(delete)).execute(&mut *transaction).await.unwrap();
    pause(&store, "mail", Pause::Off).await;
    for _ in 0..3 {
        assert_eq!(claim(&store, 9).await.jobs.len(), 0, "somebody holds it");
    }
    transaction.rollback().await.unwrap();
    assert_eq!(ids(&claim(&store, 9).await.jobs), ["a"]);
    place.finish(&store).await;
}

/// A claim that sets jobs aside is held up before it commits, while the kind is resumed and the
/// line would be empty without it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn jobs_that_a_claim_sets_aside_while_their_kind_is_resumed_are_not_lost() {
    let Some(place) = Place::new().await else { return };
    let store = Arc::new(place.open().await);
    let other = place.open().await;
    enqueue(&*store, vec![of_kind("mail", "a")]).await;
    pause(&store, "mail", Pause::UntilResumed).await;
    // The claim locks the line, and then waits to write the row of the job.
    let pool = place.pool(1).await;
    let mut holder = pool.begin().await.unwrap();
    let trigger = "CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(7539); RETURN NEW; END';
        CREATE TRIGGER wait BEFORE UPDATE ON {schema}.ready FOR EACH ROW EXECUTE FUNCTION {schema}.wait()";
    place.execute(trigger).await;
    sqlx::raw_sql("SELECT pg_advisory_xact_lock(7539)").execute(&mut *holder).await.unwrap();
    let claimer = store.clone();
    let mut claims = JoinSet::from_iter([async move { claim(&*claimer, 9).await }]);
    place.until_one_waits_for_a_lock().await;
    pause(&other, "mail", Pause::Off).await;
    assert_eq!(line_count(&place).await, (1, true), "a claim holds it");
    holder.rollback().await.unwrap();
    assert_eq!(claims.join_next().await.unwrap().unwrap().set_aside, 1);
    assert_eq!(ids(&claim(&other, 9).await.jobs), ["a"]);
    place.finish(&store).await;
}

#[tokio::test]
async fn a_claim_sets_a_bounded_number_aside_and_meets_none_of_them_again() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let many = PausedKind::SET_ASIDE_MAX * 2 + 10;
    for part in 0..=many / 500 {
        let jobs = (part * 500..many.min(part * 500 + 500)).map(|n| of_kind("mail", &n.to_string()));
        enqueue(&store, jobs.collect()).await;
    }
    enqueue(&store, vec![of_kind("report", "r"), of_kind("letter", "l")]).await;
    pause(&store, "mail", Pause::UntilResumed).await;
    pause(&store, "letter", Pause::UntilResumed).await;
    let answers = [claim(&store, 1).await, claim(&store, 1).await, claim(&store, 1).await];
    assert_eq!(answers.each_ref().map(|answer| answer.set_aside), [1_000, 1_000, 10]);
    assert_eq!(ids(&answers[2].jobs), ["r"]);
    assert_eq!(claim(&store, 1).await.set_aside, 1, "the letter");
    enqueue(&store, vec![of_kind("report", "another")]).await;
    let last = claim(&store, 5).await;
    assert_eq!((ids(&last.jobs), last.set_aside), (vec!["another"], 0));
    place.finish(&store).await;
}
