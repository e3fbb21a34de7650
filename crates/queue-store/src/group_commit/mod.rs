//! One thread that writes, and puts all waiting calls into one transaction: many callers share the
//! cost of one flush.

mod inbox;
mod pending_call;
mod verb_call;
mod writer;

pub use inbox::Inbox;
pub use pending_call::PendingCall;
pub use writer::Writer;

use queue_core::Error;

/// How a kind of store with one writing thread commits. For stores of files and embedded databases,
/// whose calls block.
///
/// ```
/// use queue_core::{Error, ErrorKind, Result};
/// use queue_store::group_commit::{Committer, GroupFailure, PendingCall, Verb, Writer};
///
/// /// A number that calls add to, and that a transaction keeps only if all of its calls succeed.
/// #[derive(Debug)]
/// struct Sums;
///
/// impl Committer for Sums {
///     type Session<'a> = u64;
///     type Need = ();
///     type Failure = &'static str;
///     type Fault = &'static str;
///
///     const USUAL_NEED: () = ();
///
///     fn transact(sum: &mut u64, group: &mut [PendingCall<Self>]) -> Result<(), GroupFailure<&'static str>> {
///         let before = *sum;
///         let ran = group.iter_mut().try_for_each(|call| call.run(sum));
///         ran.map_err(|failure| {
///             *sum = before;
///             GroupFailure::Within(failure)
///         })
///     }
///
///     fn explain(fault: &&'static str, operation: &'static str) -> Error {
///         Error::new(ErrorKind::Unavailable, operation, *fault)
///     }
/// }
///
/// struct Add(u64);
///
/// impl Verb<Sums> for Add {
///     type Answer = u64;
///     const NAME: &'static str = "add";
///
///     fn run(&self, sum: &mut u64) -> Result<u64, &'static str> {
///         *sum = sum.checked_add(self.0).ok_or("the sum is too large")?;
///         Ok(*sum)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let (writer, ()) = Writer::<Sums>::start("sums", |inbox, opened| {
///     if opened.send(Ok(())).is_ok() {
///         inbox.serve(&mut 0);
///     }
/// })
/// .await?;
/// assert_eq!(writer.call(Add(2)).await?, 2);
/// assert!(writer.call(Add(u64::MAX)).await.is_err());
/// assert_eq!(writer.call(Add(3)).await?, 5);
/// writer.close().await;
/// # Ok(())
/// # }
/// ```
pub trait Committer: Sized + 'static {
    /// What calls run in: files or a connection, and what is kept of them in memory. It stays on
    /// the thread.
    type Session<'a>;

    /// What a call needs of its transaction; a transaction has what the most demanding of its calls
    /// needs. `()` if all are alike.
    type Need: Copy + Ord;

    /// Why a call failed.
    type Failure;

    /// Why a transaction failed: not yet tied to one of its calls.
    type Fault;

    /// What most calls need.
    const USUAL_NEED: Self::Need;

    /// Runs the calls of `group` that are [wanted](PendingCall::is_wanted) in one transaction: all
    /// or nothing. When it answers `Ok`, what they did is as durable as the store promises, and the
    /// subscribers got their hints; then they are answered.
    ///
    /// # Errors
    /// [`GroupFailure`], with everything undone that can be. A call may run again after it.
    fn transact(
        session: &mut Self::Session<'_>,
        group: &mut [PendingCall<Self>],
    ) -> Result<(), GroupFailure<Self::Fault>>;

    /// For the caller of a verb.
    fn explain(fault: &Self::Fault, operation: &'static str) -> Error;
}

/// How far a transaction came before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFailure<F> {
    /// It did not begin, or its end is unknown: trying its calls alone would fail in the same way.
    Together(F),
    /// A call failed, or all of them took too much room, and nothing was written: each is tried
    /// alone.
    Within(F),
}

/// When a call runs among the calls that wait at the same time.
///
/// A caller that changes what it read meets the same group as the writers that would overtake it.
/// If its read ran before their writes, and its change behind them, it would lose every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// Before the others: changes of what was read.
    First,
    /// In the order in which they came.
    Usual,
    /// Behind the others: reads, which so show what the group has written.
    Last,
}

/// One verb of a store, as the writing thread runs it.
///
/// It may run twice, since a failed group is taken back and tried again one by one; so it borrows
/// its input.
pub trait Verb<C: Committer>: Send + 'static {
    /// What the caller gets once it is durable.
    type Answer: Send + 'static;

    /// For error messages.
    const NAME: &'static str;

    /// Whether it is skipped when its caller left before it began. For claims, which else lease
    /// jobs to a caller that is not there.
    const SKIPS_ABANDONED: bool = false;

    /// Whether calls of this verb that wait at the same time may run as one, by
    /// [`run_together`](Self::run_together). They run behind the other calls of their
    /// [turn](Self::TURN).
    const JOINS: bool = false;

    /// When it runs among calls that wait at the same time.
    const TURN: Turn = Turn::Usual;

    /// What it needs of its transaction.
    const NEED: C::Need = C::USUAL_NEED;

    /// How much it takes, in jobs touched and KiB brought, to bound transactions.
    fn weight(&self) -> usize {
        1
    }

    /// Whether this call and another may, where the verb's may.
    fn joins(&self, _other: &Self) -> bool {
        true
    }

    /// What is to be done next because a durable answer reached no caller: for claims, which give
    /// back what they leased. It runs at once, in a transaction of its own, and no caller waits for
    /// it.
    fn unheard(_answer: Self::Answer) -> Option<PendingCall<C>> {
        None
    }

    /// Does it. Its changes are durable, or undone, together with the rest of the group.
    ///
    /// # Errors
    /// The errors of the store's calls. The group is then undone.
    fn run(&self, session: &mut C::Session<'_>) -> Result<Self::Answer, C::Failure>;

    /// Does those that [join](Self::joins) each other, as if one came after the other; an answer
    /// for each, in their order.
    ///
    /// # Errors
    /// As for [`run`](Self::run); each then runs by itself.
    fn run_together(calls: &[&Self], session: &mut C::Session<'_>) -> Result<Vec<Self::Answer>, C::Failure> {
        calls.iter().map(|call| call.run(session)).collect()
    }
}
