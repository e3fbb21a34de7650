//! The suite as data.

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_memory::MemoryStorage;
use queue_testkit::{
    CaseOutcome, CaseReport, Failure, Harness, Place, Selection, collect,
    fault::{Fault, FaultPlan, FaultStore, Gate, HintFault, StorageVerb},
};
use std::{sync::Arc, time::Duration};

/// Stores in memory with one verb that never answers.
struct Hanging(Option<StorageVerb>);

#[async_trait]
impl Harness for Hanging {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let held = Fault::HoldUntil(Gate::shut());
        let plan = self.0.map_or(FaultPlan::new(1), |verb| FaultPlan::new(1).one_in(1, &[verb], held));
        Ok(Box::new(OneStore(Arc::new(FaultStore::new(Arc::new(MemoryStorage::with_clock(clock)), plan)))))
    }
}

#[derive(Debug)]
struct OneStore(Arc<FaultStore<MemoryStorage>>);

#[async_trait]
impl Place for OneStore {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(self.0.clone())
    }
}

fn names(reports: &[CaseReport]) -> Vec<&str> {
    reports.iter().map(|report| report.name.as_str()).collect()
}

#[test]
fn only_what_is_selected_runs_and_the_order_is_that_of_the_suite() {
    let reports = |at_once| {
        let selection = Selection::default().only(["retry::", "lease::"]).with_cases_at_once(at_once);
        collect(Hanging(None), &selection).expect("the store opens")
    };
    let (alone, together) = (reports(1), reports(8));
    assert!(alone.iter().all(|report| report.outcome == CaseOutcome::Passed), "{alone:#?}");
    let groups: Vec<_> = names(&alone).iter().map(|name| name.split("::").next()).collect();
    assert_eq!(
        groups.chunk_by(|a, b| a == b).map(|run| run[0]).collect::<Vec<_>>(),
        [Some("lease"), Some("retry")]
    );
    assert_eq!(alone, together);
}

/// A verb that is not passed on would answer that it is not offered.
#[test]
fn a_fault_store_without_faults_is_the_store_that_it_wraps() {
    let reports = collect(Hanging(None), &Selection::default()).expect("the store opens");
    let failed: Vec<_> = reports.iter().filter(|report| report.has_failed()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn what_the_harness_does_not_offer_is_ignored() {
    let reports = collect(Hanging(None), &Selection::default().only(["reopen::"])).expect("the store opens");
    assert!(!reports.is_empty());
    assert!(
        reports.iter().all(|report| report.outcome == CaseOutcome::Ignored("needs reopening".to_owned()))
    );
}

#[test]
fn a_case_that_hangs_has_failed_and_says_so() {
    let selection = Selection::default()
        .only(["lease::a_lapse_alone_changes_nothing"])
        .with_hang_after(Duration::from_millis(20));
    let reports = collect(Hanging(Some(StorageVerb::Claim)), &selection).expect("the store opens");
    let [report] = &reports[..] else { panic!("one case: {reports:#?}") };
    let CaseOutcome::Failed(why) = &report.outcome else { panic!("it hangs: {report:#?}") };
    assert!(why.contains("a_lapse_alone_changes_nothing hangs"), "{why}");
    assert!(why.contains("it waits for the answer of `claim` of queue `conformance`"), "{why}");
    assert!(why.ends_with("the answer of `enqueue` of queue `conformance` came last"), "{why}");
    assert!(report.has_failed());
}

/// A case waits for hints on a stream, which is not a call.
#[test]
fn a_case_that_waits_for_a_hint_says_for_which() {
    let selection = Selection::default()
        .only(["events::an_awaited_job_tells_its_end"])
        .with_hang_after(Duration::from_millis(20));
    let reports = collect(Mute, &selection).expect("the store opens");
    let [report] = &reports[..] else { panic!("one case: {reports:#?}") };
    let CaseOutcome::Failed(why) = &report.outcome else { panic!("it hangs: {report:#?}") };
    assert!(why.contains(r#"it waits for a hint of queue `conformance` for Jobs(["a"])"#), "{why}");
}

/// Stores in memory that drop every hint.
struct Mute;

#[async_trait]
impl Harness for Mute {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let plan = FaultPlan::new(1).hints_one_in(1, HintFault::Drop);
        Ok(Box::new(OneStore(Arc::new(FaultStore::new(Arc::new(MemoryStorage::with_clock(clock)), plan)))))
    }
}
