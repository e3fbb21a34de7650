//! How a group of calls becomes one record of the journal.

use super::session::JournalSession;
use crate::error::FsFault;
use queue_core::Error;
use queue_store::group_commit::{Committer, GroupFailure, PendingCall};

/// Commits groups of calls to a journal: each transaction is one record, written and flushed once.
#[derive(Debug)]
pub(crate) struct FsCommitter;

/// What a verb needs of its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TransactionKind {
    /// It writes nothing.
    Read,
    /// It writes, but adds no jobs. On a full disk it may use the reserve.
    Change,
    /// It adds jobs. It is refused on a full disk.
    Grow,
}

impl Committer for FsCommitter {
    type Session<'a> = JournalSession;
    type Need = TransactionKind;
    type Failure = FsFault;
    type Fault = FsFault;

    const USUAL_NEED: TransactionKind = TransactionKind::Change;

    /// Hints are published between the commit and the answers, so that the hints come before the
    /// answer.
    fn transact(
        session: &mut JournalSession,
        group: &mut [PendingCall<Self>],
    ) -> Result<(), GroupFailure<FsFault>> {
        let wanted = group.iter().filter(|call| call.is_wanted());
        let Some(need) = wanted.map(PendingCall::need).max() else {
            session.end();
            return Ok(());
        };
        session.begin(need).map_err(|fault| failed(fault, GroupFailure::Together))?;
        let mut done = attempt(session, group, need);
        if need == TransactionKind::Read && done.as_ref().is_err_and(FsFault::is_missing) {
            // Another process removed a segment during this read. Under the lock none can.
            tracing::debug!("a segment was removed while it was read; it is read again under the lock");
            session.end();
            session.begin(TransactionKind::Change).map_err(GroupFailure::Together)?;
            done = attempt(session, group, need);
        }
        let is_certain = |fault: &FsFault| !fault.is_unknown();
        let done = done.map_err(|fault| {
            session.rollback();
            let how = if is_certain(&fault) { GroupFailure::Within } else { GroupFailure::Together };
            how(fault)
        });
        session.end();
        done
    }

    fn explain(fault: &FsFault, operation: &'static str) -> Error {
        fault.of(operation)
    }
}

fn attempt(
    session: &mut JournalSession,
    group: &mut [PendingCall<FsCommitter>],
    need: TransactionKind,
) -> Result<(), FsFault> {
    group.iter_mut().filter(|call| call.is_wanted()).try_for_each(|call| call.run(session))?;
    session.commit(need)
}

/// A full disk fails the calls that add jobs; the other calls of the group can still succeed.
fn failed(fault: FsFault, otherwise: fn(FsFault) -> GroupFailure<FsFault>) -> GroupFailure<FsFault> {
    if fault.is_full() { GroupFailure::Within(fault) } else { otherwise(fault) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Flush, FsOptions, FsStorage,
        writer::{FsCatchUp, FsEnqueue, FsFlushNow, FsHandle, start},
    };
    use futures_util::{FutureExt, StreamExt};
    use queue_core::{
        ClaimRequest, Clock, ContentType, Hint, Interest, JobId, Kind, ManualClock, NewJob, Payload,
        QueueName, Span, Storage, SystemRng, WorkerId,
    };
    use queue_store::{Hub, group_commit::Verb, watcher::Wake};
    use std::{
        io::ErrorKind,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    /// A read that fails this many times.
    struct Flaky {
        fails: AtomicUsize,
        with: ErrorKind,
    }

    impl Verb<FsCommitter> for Flaky {
        type Answer = ();

        const NAME: &'static str = "flaky";
        const NEED: TransactionKind = TransactionKind::Read;

        fn run(&self, _: &mut JournalSession) -> Result<(), FsFault> {
            let left =
                self.fails.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            left.map_or(Ok(()), |_| Err(FsFault::io("part of the test", self.with.into())))
        }
    }

    fn flaky(fails: usize, with: ErrorKind) -> Flaky {
        Flaky { fails: AtomicUsize::new(fails), with }
    }

    fn jobs(id: &'static str) -> Vec<Vec<NewJob>> {
        let payload = Payload::new("x", ContentType::from_static("x/y"));
        vec![vec![NewJob::new(JobId::from_static(id), Kind::unnamed(), payload)]]
    }

    #[tokio::test]
    async fn a_read_that_was_tried_again_leaves_nothing_to_be_taken_back() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = FsOptions::new(directory.path().join("jobs")).checked().expect("they are valid");
        let other = FsStorage::open(options.clone()).await.expect("it opens");
        let shared = FsHandle::new(options, Arc::default());
        let (writer, _) = start(shared).await.expect("it opens");
        // Another process removed a segment while this one read it.
        writer.call(flaky(1, ErrorKind::NotFound)).await.expect("the second try is fine");
        let queue = QueueName::from_static("q");
        let theirs = other.enqueue(&queue, jobs("theirs")).await.expect("it enqueues").value[0][0].seq();
        // This read learns of that job, and then fails.
        writer.call(flaky(1, ErrorKind::Other)).await.expect_err("the disk fails");
        let ours = writer.call(FsEnqueue { queue: queue.clone(), groups: jobs("ours") }).await;
        assert!(ours.expect("it enqueues").value[0][0].seq() > theirs, "a number is given once");
        assert_eq!(other.verify().await.expect("it verifies"), Vec::<String>::new());
    }

    /// Two idle handles would otherwise wake each other for as long as the clock is behind.
    #[tokio::test]
    async fn a_record_that_only_keeps_the_time_is_no_news_to_other_handles() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let clock = Arc::new(ManualClock::default());
        let options = FsOptions::new(directory.path().join("jobs")).clock(clock.clone());
        let options = options.checked().expect("they are valid");
        let other = FsStorage::open(options.clone()).await.expect("it opens");
        let hub = Arc::new(Hub::default());
        let (writer, _) = start(FsHandle::new(options, hub.clone())).await.expect("it opens");
        let queue = QueueName::from_static("q");
        let mut hints = hub.subscribe(&queue, Interest::Wake);
        let mut news = async || {
            writer.call(flaky(0, ErrorKind::Other)).await.expect("it reads");
            hints.next().now_or_never().flatten()
        };
        let right = clock.now();
        clock.advance(Duration::from_secs(3600));
        other.enqueue(&queue, jobs("a")).await.expect("it enqueues");
        assert_eq!(news().await, Some(Hint::Wake));
        clock.set(right);
        let worker = WorkerId::from_static("w");
        let nothing = ClaimRequest::new(queue.clone(), worker, 0, Span::from_secs(1), &SystemRng);
        for _ in 0..3 {
            clock.advance(Duration::from_secs(64));
            let told = other.claim(nothing.clone()).await.expect("it claims").now;
            assert_eq!(news().await, None);
            let fresh = FsStorage::open(FsOptions::new(directory.path().join("jobs")).clock(clock.clone()));
            let fresh = fresh.await.expect("it opens");
            assert_eq!(fresh.counts(&queue).await.expect("it counts").now, told, "the time was kept");
        }
        other.enqueue(&queue, jobs("b")).await.expect("it enqueues");
        assert_eq!(news().await, Some(Hint::Wake));
    }

    #[tokio::test]
    async fn foreign_writes_are_noted_for_the_watcher_if_a_subscriber_was_told() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = FsOptions::new(directory.path().join("jobs")).checked().expect("they are valid");
        let other = FsStorage::open(options.clone()).await.expect("it opens");
        let handle = FsHandle::new(options, Arc::default());
        let (writer, _) = start(handle.clone()).await.expect("it opens");
        let [heard, unheard] = ["heard", "unheard"].map(QueueName::from_static);
        let _hints = handle.hub.subscribe(&heard, Interest::Wake);
        for (queue, id, is_told) in [(&unheard, "a", false), (&heard, "b", true), (&unheard, "c", false)] {
            other.enqueue(queue, jobs(id)).await.expect("it enqueues");
            writer.call(FsCatchUp).await.expect("it reads");
            assert_eq!(handle.has_notified.swap(false, Ordering::SeqCst), is_told, "{queue}");
        }
    }

    /// An earlier request for a flush may have been dropped, because the mailbox was full of calls
    /// like this read.
    #[tokio::test]
    async fn while_a_flush_is_due_every_call_asks_for_it() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = FsOptions::new(directory.path().join("jobs")).flush(Flush::Every(Duration::MAX));
        let options = options.checked().expect("they are valid");
        let shared = FsHandle::new(options, Arc::default());
        let (writer, _) = start(shared.clone()).await.expect("it opens");
        let asked = || shared.unflushed.wait_for_touch(Duration::ZERO);
        let queue = QueueName::from_static("q");
        writer.call(FsEnqueue { queue, groups: jobs("one") }).await.expect("it enqueues");
        assert_eq!(asked(), Wake::Touched);
        writer.call(flaky(0, ErrorKind::Other)).await.expect("it reads");
        assert_eq!(asked(), Wake::Touched);
        writer.call(FsFlushNow).await.expect("it flushes");
        assert_eq!(asked(), Wake::TimedOut);
    }
}
