//! Pauses of kinds, where many claim at once: a pause that was answered holds, no job is lost in a
//! line or leased twice, and a claim reads no more than it has to.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request, server, settle};
use crate::storm::{self, LostReplies, StormHarness, Terminations};
use queue_core::{
    Budget, Changed, ClaimedJob, Kind, NewJob, Pause, PausedKind, Rng, SeededRng, Span, State, Storage,
    StorageExt, SystemClock, lifecycle::Policy,
};
use queue_postgres::PostgresStorage;
use queue_testkit::Harness;
use sqlx::Row;
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};
use tokio::task::JoinSet;

const KINDS: [&str; 3] = ["letter", "mail", "report"];

fn of_kind(kind: &'static str, id: &str) -> NewJob {
    let mut job = job(id);
    job.kind = Kind::from_static(kind);
    job
}

async fn pause(store: &PostgresStorage, kind: &'static str, pause: Pause) {
    store.set_kind_paused(&queue(), &Kind::from_static(kind), pause).await.expect("it pauses kinds");
}

fn ids(jobs: &[ClaimedJob]) -> Vec<&str> {
    jobs.iter().map(|job| job.record.meta.id.as_str()).collect()
}

/// How many lines there are, and whether any queue says that it has some.
async fn lines(place: &Place) -> (i64, bool) {
    let text = "SELECT (SELECT count(*) FROM {schema}.line), coalesce(bool_or(has_lines), false) FROM {schema}.queue";
    let text = text.replace("{schema}", &place.schema.quoted());
    let mut connection = place.schema.connect().await.expect("the server answers");
    let row = sqlx::query(sqlx::AssertSqlSafe(text)).fetch_one(&mut connection).await.expect("it is read");
    (row.get(0), row.get(1))
}

/// Claims until told to stop, and completes what it gets.
async fn work(store: Arc<PostgresStorage>, is_over: Arc<AtomicBool>) -> Vec<ClaimedJob> {
    let mut all = Vec::new();
    while !is_over.load(SeqCst) {
        let jobs = claim(&*store, 3).await.jobs;
        for job in &jobs {
            assert!(matches!(settle(&*store, &job.record.meta, complete(job.token)).await, Changed::Done(_)));
        }
        all.extend(jobs);
    }
    all
}

#[tokio::test]
async fn a_line_goes_with_its_last_job_and_the_queue_is_claimed_as_before() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![of_kind("mail", "a"), of_kind("mail", "b")]).await;
    pause(&store, "mail", Pause::UntilResumed).await;
    assert_eq!(claim(&store, 9).await.set_aside, 2);
    pause(&store, "mail", Pause::Off).await;
    assert_eq!(lines(&place).await, (1, true), "its jobs are there");
    assert_eq!(ids(&claim(&store, 9).await.jobs), ["a", "b"]);
    assert_eq!(claim(&store, 9).await.jobs.len(), 0);
    assert_eq!(lines(&place).await, (0, false));
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
    assert_eq!(lines(&place).await, (1, true), "a claim holds it");
    holder.rollback().await.unwrap();
    assert_eq!(claims.join_next().await.unwrap().unwrap().set_aside, 1);
    assert_eq!(ids(&claim(&other, 9).await.jobs), ["a"]);
    place.finish(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_claim_after_the_answer_of_a_pause_gets_a_job_of_the_kind() {
    let Some(place) = Place::new().await else { return };
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(Arc::new(place.open().await));
    }
    for round in 0..12 {
        let mail = (0..90).map(|n| of_kind(KINDS[n % 3], &format!("{round}-{n}"))).collect();
        enqueue(&*stores[0], mail).await;
        let is_over = Arc::new(AtomicBool::new(false));
        let workers: JoinSet<_> =
            stores[1..].iter().map(|store| work(store.clone(), is_over.clone())).collect();
        pause(&stores[0], "mail", Pause::UntilResumed).await;
        // What is claimed from here on is of other kinds, whoever claims.
        let after = claim(&*stores[0], 30).await;
        assert!(
            after.jobs.iter().all(|job| job.record.meta.kind.as_str() != "mail"),
            "{:?}",
            ids(&after.jobs)
        );
        is_over.store(true, SeqCst);
        workers.join_all().await;
        for store in &stores {
            let late = claim(&**store, 30).await;
            assert!(
                late.jobs.iter().all(|job| job.record.meta.kind.as_str() != "mail"),
                "{:?}",
                ids(&late.jobs)
            );
        }
        pause(&stores[0], "mail", Pause::Off).await;
    }
    place.finish(&stores[0]).await;
}

/// Pauses and resumes kinds at random while others claim, and enqueues more.
async fn toggle(store: Arc<PostgresStorage>, seed: u64, is_over: Arc<AtomicBool>) {
    let rng = SeededRng::new(seed);
    for round in 0..40 {
        let kind = KINDS[usize::try_from(rng.next_u64() % 3).expect("small")];
        let is_on = rng.next_u64() % 2 == 0;
        pause(&store, kind, if is_on { Pause::UntilResumed } else { Pause::Off }).await;
        let jobs = (0..6).map(|n| {
            let priority = i16::try_from(n % 2).expect("small");
            of_kind(KINDS[n % 3], &format!("{seed}-{round}-{n}")).with_priority(priority)
        });
        enqueue(&*store, jobs.collect()).await;
    }
    for kind in KINDS {
        pause(&store, kind, Pause::Off).await;
    }
    while store.counts(&queue()).await.expect("it counts").unfinished() > 0 {}
    is_over.store(true, SeqCst);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_that_meet_while_kinds_are_paused_and_resumed_lease_each_job_once() {
    let Some(place) = Place::new().await else { return };
    let is_over = Arc::new(AtomicBool::new(false));
    let mut workers = JoinSet::new();
    for _ in 0..4 {
        workers.spawn(work(Arc::new(place.open().await), is_over.clone()));
    }
    let store = Arc::new(place.open().await);
    toggle(store.clone(), 7, is_over).await;
    let all: Vec<ClaimedJob> = workers.join_all().await.into_iter().flatten().collect();
    let ids: HashSet<_> = all.iter().map(|job| job.record.meta.id.clone()).collect();
    assert_eq!((all.len(), ids.len()), (240, 240));
    for _ in 0..2 {
        assert_eq!(claim(&*store, 1).await.jobs.len(), 0);
    }
    assert_eq!(lines(&place).await, (0, false));
    place.finish(&store).await;
}

/// Neither of the others that wait in front, nor of those that were set aside.
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
    store.close().await.unwrap();
    let before = place.rows_read().await;
    let store = place.open().await;
    enqueue(&store, vec![of_kind("report", "another")]).await;
    assert_eq!(ids(&claim(&store, 5).await.jobs), ["another"]);
    store.close().await.unwrap();
    let read = place.rows_read().await - before;
    // The dead entries of what was set aside may still be there.
    assert!(read < 100, "{read} rows are read");
    place.remove().await;
}

/// Calls until it succeeds.
async fn insist<T, F: Future<Output = queue_core::Result<T>>>(call: impl Fn() -> F) -> T {
    loop {
        if let Ok(answer) = call().await {
            return answer;
        }
    }
}

/// Claims and completes whatever the faults let it, and rescues what they left leased.
async fn work_in_a_storm(store: Arc<dyn Storage>, is_over: Arc<AtomicBool>) {
    while !is_over.load(SeqCst) {
        drop(store.rescue(&queue(), 100, &Policy::default()).await);
        let Ok(claimed) = store.claim(request(3, Span::from_millis(500))).await else { continue };
        for job in claimed.jobs {
            drop(store.settle(&job.record.meta, complete(job.token), &Policy::default()).await);
        }
    }
}

async fn survive(harness: &dyn Harness) {
    const JOBS: usize = 240;
    let place = harness.create(Arc::new(SystemClock)).await.expect("the server answers");
    let is_over = Arc::new(AtomicBool::new(false));
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(place.connect().await.expect("it opens"));
    }
    let store = stores.pop().expect("four are open");
    let work = |store| work_in_a_storm(store, is_over.clone());
    let workers: JoinSet<_> = stores.into_iter().map(work).collect();
    let q = queue();
    for n in 0..JOBS / 6 {
        let kind = Kind::from_static(KINDS[n % 3]);
        let pause = if n % 4 < 2 { Pause::UntilResumed } else { Pause::Off };
        insist(|| store.set_kind_paused(&q, &kind, pause)).await;
        let jobs: Vec<_> = (0..6)
            .map(|i| of_kind(KINDS[i % 3], &format!("{n}-{i}")).with_max_stalls(Budget::Unlimited))
            .collect();
        insist(|| store.enqueue(&q, vec![jobs.clone()])).await;
    }
    for kind in KINDS {
        let kind = Kind::from_static(kind);
        insist(|| store.set_kind_paused(&q, &kind, Pause::Off)).await;
    }
    while insist(|| store.counts(&q)).await.unfinished() > 0 {}
    is_over.store(true, SeqCst);
    workers.join_all().await;
    assert_eq!(insist(|| store.counts(&q)).await.of(State::Completed), JOBS as u64);
    assert_sound(&*store).await;
    store.close().await.expect("it closes");
    place.clean_up().await.expect("it is removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn faults_while_kinds_are_paused_and_resumed_lose_no_job() {
    if server::url().is_none() {
        return;
    }
    for _ in 0..storm::rounds() {
        survive(&StormHarness(Terminations)).await;
        survive(&StormHarness(LostReplies)).await;
    }
}
