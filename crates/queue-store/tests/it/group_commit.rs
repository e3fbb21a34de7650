//! Calls of several callers in one transaction, and their fate when it fails.

use futures_util::{
    FutureExt,
    future::{join, join_all, join3},
};
use queue_core::{Certainty, Error, ErrorKind};
use queue_store::group_commit::{Committer, GroupFailure, Inbox, PendingCall, Turn, Verb, Writer};
use std::sync::{Arc, Barrier};
use tokio::sync::oneshot;

/// The written numbers, transaction by transaction.
#[derive(Debug, Default)]
struct Ledger {
    committed: Vec<Vec<u32>>,
    entries: Vec<u32>,
    /// Commits fail with an unknown outcome.
    breaks: bool,
}

#[derive(Debug)]
struct Ledgers;

impl Committer for Ledgers {
    type Session<'a> = Ledger;
    type Need = ();
    type Failure = &'static str;
    type Fault = &'static str;

    const USUAL_NEED: () = ();

    fn transact(
        ledger: &mut Ledger,
        group: &mut [PendingCall<Self>],
    ) -> Result<(), GroupFailure<&'static str>> {
        ledger.entries.clear();
        let mut wanted = group.iter_mut().filter(|call| call.is_wanted());
        wanted.try_for_each(|call| call.run(ledger)).map_err(GroupFailure::Within)?;
        if ledger.breaks && !ledger.entries.is_empty() {
            return Err(GroupFailure::Together("the disk broke"));
        }
        let entries = std::mem::take(&mut ledger.entries);
        ledger.committed.push(entries);
        Ok(())
    }

    fn explain(fault: &&'static str, operation: &'static str) -> Error {
        Error::new(ErrorKind::Unavailable, operation, *fault)
    }
}

/// Writes a number; odd ones are refused.
struct Enter(u32);

impl Verb<Ledgers> for Enter {
    type Answer = ();
    const NAME: &'static str = "enter";

    fn run(&self, ledger: &mut Ledger) -> Result<(), &'static str> {
        if self.0 % 2 == 1 {
            return Err("odd numbers are refused");
        }
        ledger.entries.push(self.0);
        Ok(())
    }
}

/// The same, skipped if its caller has left.
struct EnterIfWanted(u32);

impl Verb<Ledgers> for EnterIfWanted {
    type Answer = ();
    const NAME: &'static str = "enter_if_wanted";
    const SKIPS_ABANDONED: bool = true;

    fn run(&self, ledger: &mut Ledger) -> Result<(), &'static str> {
        Enter(self.0).run(ledger)
    }
}

/// Keeps the thread busy from the first wait until the second.
struct Hold(Arc<Barrier>);

impl Verb<Ledgers> for Hold {
    type Answer = ();
    const NAME: &'static str = "hold";

    fn run(&self, _: &mut Ledger) -> Result<(), &'static str> {
        self.0.wait();
        self.0.wait();
        Ok(())
    }
}

/// What was written so far.
struct Read;

impl Verb<Ledgers> for Read {
    type Answer = Vec<Vec<u32>>;
    const NAME: &'static str = "read";

    fn run(&self, ledger: &mut Ledger) -> Result<Vec<Vec<u32>>, &'static str> {
        Ok(ledger.committed.iter().filter(|entries| !entries.is_empty()).cloned().collect())
    }
}

async fn start(mut ledger: Ledger) -> Writer<Ledgers> {
    let serve = move |inbox: Inbox<Ledgers>, opened: oneshot::Sender<queue_core::Result<()>>| {
        opened.send(Ok(())).expect("somebody waits");
        inbox.serve(&mut ledger);
    };
    Writer::start("ledger", serve).await.expect("it opens").0
}

/// Sends calls while the thread is busy, so that all of them wait for it.
async fn together<T>(writer: &Writer<Ledgers>, calls: impl Future<Output = T>) -> T {
    let gate = Arc::new(Barrier::new(2));
    let meanwhile = async {
        gate.wait();
        let release = async { gate.wait() };
        join(calls, release).await.0
    };
    let (held, answers) = join(writer.call(Hold(gate.clone())), meanwhile).await;
    held.expect("it holds");
    answers
}

/// The committed numbers. The first read may share a transaction with what came before it.
async fn written(writer: &Writer<Ledgers>) -> Vec<Vec<u32>> {
    writer.call(Read).await.expect("it reads");
    writer.call(Read).await.expect("it reads")
}

#[tokio::test]
async fn calls_that_wait_share_a_transaction() {
    let writer = start(Ledger::default()).await;
    let entered = together(&writer, join_all([2, 4, 6].map(|n| writer.call(Enter(n))))).await;
    assert!(entered.iter().all(Result::is_ok));
    assert_eq!(written(&writer).await, [[2, 4, 6]]);
}

#[tokio::test]
async fn a_call_that_fails_takes_nobody_along() {
    let writer = start(Ledger::default()).await;
    let entered = together(&writer, join_all([2, 3, 4].map(|n| writer.call(Enter(n))))).await;
    assert_eq!(entered.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(written(&writer).await, [[2], [4]]);
}

#[tokio::test]
async fn a_commit_that_fails_fails_everybody_and_is_not_tried_again() {
    let writer = start(Ledger { breaks: true, ..Ledger::default() }).await;
    let entered = together(&writer, join_all([2, 4].map(|n| writer.call(Enter(n))))).await;
    for answer in entered {
        let error = answer.unwrap_err();
        assert_eq!((error.operation(), error.message()), ("enter", "the disk broke"));
    }
    assert_eq!(written(&writer).await, Vec::<Vec<u32>>::new());
}

#[tokio::test]
async fn a_caller_that_is_gone_before_its_turn_is_skipped_if_the_verb_says_so() {
    let writer = start(Ledger::default()).await;
    let gone = async {
        drop(writer.call(EnterIfWanted(2)).now_or_never());
        drop(writer.call(Enter(4)).now_or_never());
    };
    together(&writer, gone).await;
    assert_eq!(written(&writer).await, [[4]]);
}

#[tokio::test]
async fn closing_finishes_what_was_sent_and_refuses_more() {
    let writer = start(Ledger::default()).await;
    let (entered, ()) = together(&writer, join(writer.call(Enter(2)), writer.close())).await;
    entered.expect("it was sent before");
    assert!(writer.is_closed());
    assert_eq!(writer.call(Enter(4)).await.unwrap_err().kind(), ErrorKind::Closed);
}

#[tokio::test]
async fn what_the_opening_says_is_told() {
    let refuse = |_: Inbox<Ledgers>, opened: oneshot::Sender<queue_core::Result<()>>| {
        opened.send(Err(Error::new(ErrorKind::Corrupt, "open", "torn pages"))).expect("somebody waits");
    };
    let error = Writer::start("ledger", refuse).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Corrupt, "torn pages"));
}

#[tokio::test]
async fn a_thread_that_panics_leaves_its_callers_in_doubt_and_not_in_waiting() {
    struct Panic;
    impl Verb<Ledgers> for Panic {
        type Answer = ();
        const NAME: &'static str = "panic";

        fn run(&self, _: &mut Ledger) -> Result<(), &'static str> {
            panic!("part of the test")
        }
    }
    let writer = start(Ledger::default()).await;
    let error = writer.call(Panic).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Internal, Certainty::Unknown));
    // Calls answer closed as soon as the thread has ended.
    assert!(writer.call(Enter(2)).await.is_err());
}

/// Writes a number, merged with numbers of the same hundred; another one is written if its caller
/// has left.
struct Draw(u32);

impl Verb<Ledgers> for Draw {
    type Answer = u32;
    const NAME: &'static str = "draw";
    const JOINS: bool = true;

    fn joins(&self, other: &Self) -> bool {
        self.0 / 100 == other.0 / 100
    }

    fn unheard(drawn: u32) -> Option<PendingCall<Ledgers>> {
        Some(PendingCall::unanswered(Enter(drawn + 1_000)))
    }

    fn run(&self, ledger: &mut Ledger) -> Result<u32, &'static str> {
        Enter(self.0).run(ledger).map(|()| self.0)
    }

    /// A zero marks numbers that were written together.
    fn run_together(calls: &[&Self], ledger: &mut Ledger) -> Result<Vec<u32>, &'static str> {
        Enter(0).run(ledger)?;
        calls.iter().map(|call| call.run(ledger)).collect()
    }
}

/// Writes a number behind what came with it, or before that.
struct EnterAside<const LAST: bool>(u32);

impl<const LAST: bool> Verb<Ledgers> for EnterAside<LAST> {
    type Answer = ();
    const NAME: &'static str = "enter aside";
    const TURN: Turn = if LAST { Turn::Last } else { Turn::First };

    fn run(&self, ledger: &mut Ledger) -> Result<(), &'static str> {
        Enter(self.0).run(ledger)
    }
}

#[tokio::test]
async fn a_change_of_what_was_read_comes_before_writes_of_its_group_and_a_read_behind_them() {
    let writer = start(Ledger::default()).await;
    let (read, change) = (writer.call(EnterAside::<true>(6)), writer.call(EnterAside::<false>(8)));
    let calls = join(read, join3(writer.call(Enter(2)), change, writer.call(Enter(4))));
    drop(together(&writer, calls).await);
    assert_eq!(written(&writer).await, [[8, 2, 4, 6]]);
}

#[tokio::test]
async fn calls_that_join_run_as_one_behind_the_others_and_each_has_its_own_answer() {
    let writer = start(Ledger::default()).await;
    let sent = join_all([2, 102, 4, 104, 202].map(|n| writer.call(Draw(n))));
    let calls = join(sent, writer.call(Enter(8)));
    let (drawn, _) = together(&writer, calls).await;
    assert_eq!(drawn.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [2, 102, 4, 104, 202]);
    assert_eq!(written(&writer).await, [[8, 0, 2, 4, 0, 102, 104, 202]]);
}

#[tokio::test]
async fn of_calls_that_join_one_that_fails_takes_nobody_along() {
    let writer = start(Ledger::default()).await;
    let drawn = together(&writer, join_all([2, 3, 4].map(|n| writer.call(Draw(n))))).await;
    assert_eq!(drawn.into_iter().map(Result::ok).collect::<Vec<_>>(), [Some(2), None, Some(4)]);
    assert_eq!(written(&writer).await, [[2], [4]]);
}

#[tokio::test]
async fn an_answer_that_nobody_hears_is_followed_at_once_by_what_undoes_it() {
    let writer = start(Ledger::default()).await;
    let gone = async { drop(writer.call(Draw(2)).now_or_never()) };
    together(&writer, join(gone, writer.call(Draw(4)))).await.1.unwrap();
    assert_eq!(written(&writer).await, [vec![0, 2, 4], vec![1_002]]);
}

#[tokio::test]
async fn an_answer_that_came_and_was_never_looked_at_is_not_heard() {
    let writer = start(Ledger::default()).await;
    let mut call = Box::pin(writer.call(Draw(2)));
    together(&writer, async { assert!((&mut call).now_or_never().is_none(), "the thread is busy") }).await;
    // Answers are given in order, so it is there by now.
    writer.call(Enter(4)).await.unwrap();
    drop(call);
    assert_eq!(written(&writer).await.concat().last(), Some(&1_002));
}
