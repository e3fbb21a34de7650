//! What the verbs cost in statements: plain jobs pay nothing for what they do not use, and claims
//! read nothing of full partitions.

use super::{
    Database, SqliteApply, SqliteClaim, SqliteEnqueue, SqliteHandle, SqliteSetLimits, session::SqliteSession,
};
use crate::{
    clock::SqliteClock, connect::connect, files::FileGuard, options::SqliteOptions, own_commits::OwnCommits,
};
use queue_core::{
    ClaimRequest, ClaimedJob, ContentType, Enqueued, JobId, Kind, Limit, LimitScope, NewJob, Partition,
    Payload, QueueName, SeededRng, Seq, Span, State, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_store::group_commit::Verb;
use std::{collections::BTreeMap, ops::Range, sync::Arc};

/// Runs a test on the session of a writer on a new file.
pub(super) fn with_session(test: impl FnOnce(&mut SqliteSession<'_>)) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = SqliteOptions::new(directory.path().join("jobs.db")).checked().expect("they are valid");
    let connection = connect(&options, 0).expect("it opens").writer;
    let clock = SqliteClock::new(options.clock.clone(), options.clock_bound);
    let (hub, files) = (Arc::default(), FileGuard::default());
    let shared = SqliteHandle { options, clock, hub, files, own_commits: OwnCommits::default() };
    test(&mut SqliteSession::new(&connection, &shared).expect("it prepares"));
}

fn run<V: Verb<Database>>(session: &mut SqliteSession<'_>, verb: &V) -> V::Answer {
    session.begin().expect("it begins");
    let answer = verb.run(session).expect("it runs");
    session.flush().expect("it is written");
    session.commit().expect("it commits");
    answer
}

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn job(id: &str) -> NewJob {
    let payload = Payload::new("", ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::unnamed(), payload)
}

fn of(partition: &str, number: usize) -> NewJob {
    job(&format!("{partition}-{number}")).with_partition(Partition::new(partition).expect("a valid key"))
}

fn enqueue(session: &mut SqliteSession<'_>, jobs: Vec<NewJob>) {
    enqueue_groups(session, vec![jobs]);
}

fn enqueue_groups(session: &mut SqliteSession<'_>, groups: Vec<Vec<NewJob>>) -> Vec<Vec<Enqueued>> {
    run(session, &SqliteEnqueue { queue: queue(), groups }).value
}

fn claim(session: &mut SqliteSession<'_>, limit: usize) -> Vec<ClaimedJob> {
    let worker = WorkerId::from_static("w");
    let lease = Span::from_secs(60);
    run(session, &SqliteClaim(ClaimRequest::new(queue(), worker, limit, lease, &SeededRng::new(1)))).jobs
}

fn completion(job: &ClaimedJob) -> Transition {
    let result = Payload::new("", ContentType::from_static("text/plain"));
    let complete = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
    decide(&job.record.meta, complete, &Policy::default()).expect("it is leased")
}

/// How often each statement ran since the last look.
fn runs(session: &mut SqliteSession<'_>) -> BTreeMap<&'static str, i32> {
    session.statements.take_costs().into_iter().map(|(name, (runs, _))| (name, runs)).collect()
}

fn steps(session: &mut SqliteSession<'_>) -> i32 {
    session.statements.take_costs().into_values().map(|(_, steps)| steps).sum()
}

#[test]
fn jobs_of_one_call_share_statements_for_as_long_as_their_ids_are_free() {
    with_session(|session| {
        let mut enqueued = |names: Range<usize>| {
            enqueue(session, names.map(|n| job(&n.to_string())).collect());
            inserts(session)
        };
        assert_eq!(enqueued(0..40), [2, 2, 8, 0]);
        assert_eq!(enqueued(24..64), [1, 0, 40, 0], "the first are all taken");
        assert_eq!(enqueued(60..110), [1, 0, 50, 1], "some of the first are taken");
    });
}

/// As a batch over HTTP sends them, each job of which is whole or absent by itself.
#[test]
fn jobs_of_one_call_share_statements_across_its_groups() {
    with_session(|session| {
        let group = |names: Range<usize>| names.map(|n| job(&n.to_string())).collect::<Vec<_>>();
        let singles = (0..35).map(|n| group(n..n + 1)).chain([group(35..38), Vec::new(), group(3..4)]);
        let answers = enqueue_groups(session, singles.collect());
        assert_eq!(inserts(session), [2, 2, 7, 0], "the last job of 39 is a duplicate");
        let stored = |seq| Enqueued::Queued { seq: Seq::new(seq) };
        let mut expected: Vec<_> = (1..=35).map(|seq| vec![stored(seq)]).collect();
        let duplicate = Enqueued::Duplicate { seq: Seq::new(4), state: State::Queued };
        expected.extend([(36..=38).map(stored).collect(), Vec::new(), vec![duplicate]]);
        assert_eq!(answers, expected);
    });
}

/// How often the statements of new jobs ran since the last look: with several rows, into the line
/// of ready ones with several rows, with one row, and to take several back.
fn inserts(session: &mut SqliteSession<'_>) -> [i32; 4] {
    let runs = runs(session);
    ["insert_jobs", "insert_ready_jobs", "insert_job", "take_back_jobs"]
        .map(|name| runs.get(name).copied().unwrap_or(0))
}

#[test]
fn plain_jobs_run_no_statement_of_partitions() {
    let frame = |rest: &[(&'static str, i32)]| {
        let frame = [("begin", 1), ("load_store", 1), ("save_store", 1), ("commit", 1)];
        frame.into_iter().chain(rest.iter().copied()).collect::<BTreeMap<_, _>>()
    };
    with_session(|session| {
        enqueue(session, vec![job("first")]);
        runs(session);
        enqueue(session, (0..9).map(|n| job(&n.to_string())).collect());
        assert_eq!(runs(session), frame(&[("insert_job", 9), ("insert_ready", 9), ("add_count", 1)]));
        let held = claim(session, 5);
        assert_eq!(held.len(), 5);
        let claims = [("load_paused", 1), ("promote_due", 1), ("ready_jobs", 1), ("delete_claimed", 1)];
        let claims = claims.into_iter().chain([("insert_lease", 5), ("add_count", 2)]);
        let next_due = [("first_ready", 1), ("first_scheduled", 1), ("first_lapse", 1)];
        assert_eq!(runs(session), frame(&claims.chain(next_due).collect::<Vec<_>>()));
        run(session, &SqliteApply(held.iter().map(completion).collect()));
        assert_eq!(runs(session), frame(&[("save_life", 5), ("add_count", 2)]));
    });
}

/// What an enqueue, a claim and a settle cost beside this many full partitions with blocked jobs.
fn steps_beside(full: usize) -> Vec<i32> {
    let mut costs = Vec::new();
    with_session(|session| {
        let each = (LimitScope::EachPartition, Some(Limit { running: Some(1), ..Limit::default() }));
        let limits = SqliteSetLimits::checked(queue(), vec![each]).expect("it can be");
        run(session, &limits).expect("there is room");
        let blocked = |n| (0..3).map(move |number| of(&format!("p{n:04}"), number));
        enqueue(session, (0..full).flat_map(blocked).collect());
        assert_eq!(claim(session, full + 1).len(), full);
        steps(session);
        enqueue(session, (0..4).flat_map(|n| [of(&format!("z{n}"), 0), of(&format!("z{n}"), 1)]).collect());
        costs.push(steps(session));
        let held = claim(session, 20);
        assert_eq!(held.len(), 4);
        costs.push(steps(session));
        assert_eq!(claim(session, 20).len(), 0);
        costs.push(steps(session));
        run(session, &SqliteApply(held.iter().map(completion).collect()));
        costs.push(steps(session));
        assert_eq!(claim(session, 20).len(), 4);
        costs.push(steps(session));
    });
    costs
}

#[test]
fn full_partitions_and_their_blocked_jobs_cost_claims_nothing() {
    assert_eq!(steps_beside(2_000), steps_beside(20));
}
