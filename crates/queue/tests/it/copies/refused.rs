//! Copies that are refused.

use super::{claim, copy, count, fill, job, jobs, put, run, state};
use crate::support::memory;
use queue::{
    ErrorKind, HeldJobs, Policy, Queue, State, Storage, StorageExt, open,
    queue_core::{ImportRequest, Pause, Seq, lifecycle::Event},
};
use std::{sync::Arc, time::Duration};

async fn refusal(copying: &queue::StoreCopy) -> String {
    let error = run(copying).await.expect_err("it is refused");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    error.message().to_owned()
}

async fn pair() -> (Arc<dyn Storage>, Arc<dyn Storage>) {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    fill(&*from).await;
    (from, to)
}

#[tokio::test]
async fn a_target_that_is_worked_on_is_refused_and_nothing_is_touched() {
    let (from, to) = pair().await;
    put(&*to, &jobs(), job("own")).await;
    assert!(refusal(&copy(&from, &to)).await.contains("not paused"));
    assert_eq!(count(&*to, &jobs()).await, 1);
    assert!(!from.status_of(&jobs()).await.expect("it answers").expect("it answers").pause.is_on());
}

#[tokio::test]
async fn a_finished_copy_is_not_run_again_once_its_target_works() {
    let (from, to) = pair().await;
    run(&copy(&from, &to)).await.expect("it answers");
    to.set_paused(&jobs(), None, Pause::Off).await.expect("it answers");
    assert!(refusal(&copy(&from, &to)).await.contains("is finished"));
}

/// A pause of the target looks like a copy that was begun. The target has worked: jobs that were
/// done and removed there are not brought back.
#[tokio::test]
async fn a_finished_copy_brings_nothing_back_unless_it_is_asked_for_again() {
    let (from, to) = pair().await;
    run(&copy(&from, &to)).await.expect("it answers");
    let done = super::id("queued-0");
    to.change(&jobs(), &done, Event::Delete, &Policy::default()).await.expect("it answers");
    for copying in [copy(&from, &to), copy(&from, &to).adding(), copy(&from, &to).queue(jobs())] {
        assert!(refusal(&copying).await.contains("is finished"));
    }
    assert_eq!(count(&*to, &jobs()).await, 9);
}

#[tokio::test]
async fn a_paused_target_with_other_jobs_is_refused() {
    let (from, to) = pair().await;
    put(&*to, &jobs(), job("own")).await;
    to.set_paused(&jobs(), None, Pause::UntilResumed).await.expect("it answers");
    assert!(refusal(&copy(&from, &to)).await.contains("\"own\""));
    assert_eq!(count(&*to, &jobs()).await, 1);
}

#[tokio::test]
async fn a_copy_that_adds_leaves_the_jobs_of_the_target_and_tells_which_differ() {
    let (from, to) = pair().await;
    put(&*to, &jobs(), job("own")).await;
    put(&*to, &jobs(), job("queued-0")).await;
    let report = run(&copy(&from, &to).adding()).await.expect("it answers");
    assert_eq!(count(&*to, &jobs()).await, 11);
    assert_eq!((report.queues[0].present, report.queues[0].differing), (1, 1));
    assert_eq!(report.queues[0].differing_ids, [super::id("queued-0")]);
    assert!(!report.is_verified() && report.queues[1].is_verified());
}

#[tokio::test]
async fn jobs_that_are_being_processed_are_refused() {
    let (from, to) = pair().await;
    claim(&*from, &jobs()).await;
    assert!(refusal(&copy(&from, &to)).await.contains("1 jobs"));
    assert!(refusal(&copy(&from, &to).dry_run()).await.contains("1 jobs"));
    assert_eq!(to.status_of(&jobs()).await.expect("it answers"), None);
}

#[tokio::test]
async fn jobs_of_workers_that_are_gone_are_copied_as_given_back() {
    let (from, to) = pair().await;
    let held = claim(&*from, &jobs()).await;
    let giving_back = copy(&from, &to).held(HeldJobs::GiveBack);
    let report = run(&giving_back).await.expect("it answers");
    assert!(report.is_verified(), "{report:?}");
    assert_eq!(report.queues[0].held, 1);
    let text = held.record.meta.id.as_str();
    assert_eq!(state(&*from, text).await, Some(State::Processing));
    assert_eq!(state(&*to, text).await, Some(State::Queued));
    assert!(run(&giving_back.again()).await.expect("it answers").is_verified(), "and again");
    to.set_paused(&jobs(), None, Pause::Off).await.expect("it answers");
    let next = claim(&*to, &jobs()).await.record.meta;
    assert_eq!((next.id.as_str(), next.epoch), (text, held.record.meta.epoch + 1));
    assert!(next.seq > held.record.meta.seq, "the fence goes on");
}

#[tokio::test(start_paused = true)]
async fn a_copy_waits_for_leases_to_end() {
    let (from, to) = (memory(), memory());
    put(&*from, &jobs(), job("a")).await;
    claim(&*from, &jobs()).await;
    let waiting = |longest| copy(&from, &to).held(HeldJobs::Wait(Duration::from_secs(longest)));
    assert!(refusal(&waiting(29)).await.contains("being processed"));
    let report = run(&waiting(31)).await.expect("it answers");
    assert!(report.is_verified());
    assert_eq!(state(&*to, "a").await, Some(State::Failing), "the lapse was charged in the source");
}

#[tokio::test]
async fn a_number_that_the_target_does_not_reach_needs_consent() {
    let directory = tempfile::tempdir().expect("it answers");
    let from = open("memory:").await.expect("it answers");
    let to = open(&format!("sqlite:{}/jobs.db", directory.path().display())).await.expect("it answers");
    let far = ImportRequest { queue: jobs(), after: Seq::new(1 << 45), jobs: Vec::new() };
    from.import(far).await.expect("it answers");
    fill(&*from).await;
    assert!(refusal(&copy(&from, &to)).await.contains("numbers"));
    let report = run(&copy(&from, &to).renumbering()).await.expect("it answers");
    assert!(report.is_verified());
    to.close().await.expect("it answers");
}

#[tokio::test]
async fn a_target_without_imports_is_refused() {
    #[derive(Debug)]
    struct Plain(Arc<dyn Storage>);

    impl queue::queue_core::StorageLayer for Plain {
        type Inner = dyn Storage;

        fn inner(&self) -> &(dyn Storage + 'static) {
            &*self.0
        }

        fn capabilities(&self) -> queue::Capabilities {
            let mut capabilities = self.0.capabilities();
            capabilities.import = false;
            capabilities
        }
    }

    let (from, to) = pair().await;
    let plain: Arc<dyn Storage> = Arc::new(Plain(to));
    let refused = run(&copy(&from, &plain)).await.expect_err("it cannot");
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    let queue: Queue<String> = Queue::new(plain, "jobs").expect("it answers");
    assert_eq!(queue.counts().await.expect("it answers").total(), 0);
}
