//! Tests of the audit, each on a made-up run in which one thing went wrong or stands out.

use super::*;
use queue::Timestamp;

const VICTIM: usize = 0;
const SURVIVOR: usize = 1;
const KILLED_AT: i64 = 1000;

/// Four jobs: the first was held by the killed worker, the second failed on purpose, the others ran
/// once.
struct World {
    documents: Vec<Document>,
    found: HashMap<String, Found>,
    runs: Runs,
    /// What the worker held that was killed.
    held: Vec<usize>,
}

impl World {
    fn healthy() -> Self {
        let documents: Vec<Document> = Document::all(4).collect();
        let found = documents.iter().map(|document| (document.id(), done(*document, 0))).collect();
        let mut world = Self { documents, found, runs: Runs::default(), held: vec![0] };
        world.found(0).stalls = 1;
        world.note(VICTIM, Step::Start, 900, 0);
        world.note(SURVIVOR, Step::Start, 3000, 0);
        world.note(SURVIVOR, Step::Start, 10, 1);
        world.note(SURVIVOR, Step::Fail, 20, 1);
        for job in [1, 2, 3] {
            world.note(SURVIVOR, Step::Start, 30, job);
            world.note(SURVIVOR, Step::End, 40, job);
        }
        world
    }

    fn id(&self, job: usize) -> String {
        self.documents[job].id()
    }

    fn found(&mut self, job: usize) -> &mut Found {
        let id = self.id(job);
        self.found.get_mut(&id).expect("every job has a record at first")
    }

    fn note(&mut self, worker: usize, step: Step, at: i64, job: usize) {
        let id = self.id(job);
        self.runs.note(worker, step, Timestamp::from_millis(at), id);
    }

    fn audit(&self) -> Audit {
        let victim = Victim {
            worker: VICTIM,
            pid: 1,
            killed_at: Timestamp::from_millis(KILLED_AT),
            held: self.held.iter().map(|&n| self.id(n)).collect(),
            mid_work: 1,
        };
        let took = Duration::from_secs(1);
        audit(Story { accepted: &self.documents, found: &self.found, runs: &self.runs, victim, took })
    }
}

fn done(document: Document, stalls: u32) -> Found {
    Found { is_completed: true, stalls, result: Some(document.digest()) }
}

#[test]
fn a_healthy_run_is_a_proof() {
    let audit = World::healthy().audit();
    assert!(audit.is_proof(), "{audit:?}");
    assert_eq!((audit.accepted, audit.completed), (4, 4));
    assert_eq!(audit.again, Again { killed: 1, failed: 1, lapsed: 0 });
    assert_eq!(audit.recovery, Some(Duration::from_secs(2)));
}

#[test]
fn a_job_that_is_gone_or_unfinished_is_lost() {
    let mut world = World::healthy();
    world.found(2).is_completed = false;
    let gone = world.id(3);
    world.found.remove(&gone);
    let audit = world.audit();
    assert_eq!(audit.lost, [world.id(2), gone]);
    assert!(!audit.is_proof());
}

#[test]
fn another_result_is_wrong() {
    let mut world = World::healthy();
    world.found(2).result = Some("0".repeat(64));
    world.found(3).result = None;
    let audit = world.audit();
    assert_eq!(audit.wrong, [world.id(2), world.id(3)]);
    assert!(!audit.is_proof());
}

#[test]
fn a_second_run_without_a_reason_is_unexplained() {
    let mut world = World::healthy();
    world.note(SURVIVOR, Step::Start, 50, 2);
    let audit = world.audit();
    assert_eq!(audit.unexplained, [world.id(2)]);
    assert!(!audit.is_proof());
}

#[test]
fn a_third_run_of_a_job_of_the_killed_worker_is_unexplained() {
    let mut world = World::healthy();
    world.note(SURVIVOR, Step::Start, 4000, 0);
    assert_eq!(world.audit().unexplained, [world.id(0)]);
}

#[test]
fn a_lapse_under_a_living_worker_is_a_reason_and_shown_as_such() {
    let mut world = World::healthy();
    world.note(SURVIVOR, Step::Start, 50, 2);
    world.found(2).stalls = 1;
    let audit = world.audit();
    assert!(audit.is_proof());
    assert_eq!(audit.again.lapsed, 1);
}

#[test]
fn a_job_that_completed_without_a_run_is_unexplained() {
    let mut world = World::healthy();
    world.runs = Runs::default();
    assert_eq!(world.audit().unexplained.len(), 4);
}

#[test]
fn a_run_of_a_job_that_nobody_enqueued_is_unexplained() {
    let mut world = World::healthy();
    world.runs.note(SURVIVOR, Step::Start, Timestamp::from_millis(1), "stranger".to_owned());
    assert_eq!(world.audit().unexplained, ["stranger"]);
}

#[test]
fn a_job_of_the_killed_worker_that_never_started_again_is_no_proof() {
    let mut world = World::healthy();
    world.runs = Runs::default();
    world.note(VICTIM, Step::Start, 900, 0);
    let audit = world.audit();
    assert_eq!(audit.recovery, None);
    assert!(!audit.is_proof());
}

#[test]
fn an_outcome_that_reached_the_server_after_the_death_needs_no_second_run() {
    let mut world = World::healthy();
    world.held.push(3);
    world.runs = Runs::default();
    world.note(VICTIM, Step::Start, 900, 0);
    world.note(SURVIVOR, Step::Start, 3000, 0);
    world.note(VICTIM, Step::Start, 900, 3);
    assert_eq!(world.audit().recovery, None, "it was at work");
    world.note(VICTIM, Step::End, 950, 3);
    assert_eq!(world.audit().recovery, Some(Duration::from_secs(2)), "of the job that did start again");
    world.found(3).stalls = 1;
    assert_eq!(world.audit().recovery, None, "its lease lapsed, so the outcome did not arrive");
}
