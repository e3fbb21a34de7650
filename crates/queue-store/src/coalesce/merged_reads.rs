//! Merges concurrent reads with equal keys, without a task of its own.

use super::line_key::LineKey;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, Moment, Result, Stamped};
use std::{
    collections::HashMap, fmt, future::poll_fn, hash::Hash, ops::Range, panic::AssertUnwindSafe, sync::Arc,
    task::Poll,
};

/// Items in one read, unless one asks for more. Their answers may be large.
const ITEMS_MAX: usize = 256;

/// Merges concurrent reads with equal keys, as callers that wait for their results send them. For
/// stores where a read costs a round trip.
///
/// A caller that arrives while a read is in flight joins the next one. There is no timer and no
/// task. Reads of one key go one after the other; reads of different keys do not wait for each
/// other. All callers that wait for a read drive it, so a caller whose future is dropped, or kept
/// and not polled, holds up no other. Reads of different runtimes do not merge either
/// ([`LineKey`]).
pub(super) struct MergedReads<K, I, A> {
    latest: Mutex<HashMap<LineKey<K>, OpenRead<I, A>>>,
}

/// The newest read of a key, which can be joined until it is sent.
struct OpenRead<I, A> {
    asked: ReadItems<I>,
    read: WeakShared<ReadFuture<A>>,
}

/// What a read is about; none once it is sent.
type ReadItems<I> = Arc<Mutex<Option<Vec<I>>>>;

type ReadFuture<A> = BoxFuture<'static, ReadOutcome<A>>;

/// What came of a read, for all who asked.
#[derive(Debug)]
struct ReadOutcome<A> {
    count: usize,
    outcome: Result<(Moment, SharedAnswers<A>)>,
}

/// Each is taken by the one who asked for it.
type SharedAnswers<A> = Arc<Mutex<Vec<Option<A>>>>;

impl<A> Clone for ReadOutcome<A> {
    fn clone(&self) -> Self {
        Self { count: self.count, outcome: self.outcome.clone() }
    }
}

impl<K, I, A> Default for MergedReads<K, I, A> {
    fn default() -> Self {
        Self { latest: Mutex::default() }
    }
}

impl<K, I, A> fmt::Debug for MergedReads<K, I, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedReads").finish_non_exhaustive()
    }
}

impl<K, I, A> MergedReads<K, I, A>
where
    K: Clone + Eq + Hash + Send + 'static,
    I: Clone + Send + 'static,
    A: Send + 'static,
{
    /// Reads items, perhaps with the items of other callers: `send` gets the items of all, and
    /// answers each in its place. The future can be dropped at any time; the read goes on if others
    /// wait for it.
    ///
    /// # Errors
    /// The errors of `send`, and `Internal` if it panics. An error that may be the fault of a
    /// single item, such as a damaged record, reaches only the caller that asked for this item.
    pub(super) async fn read<F>(
        &self,
        key: K,
        items: Vec<I>,
        send: impl Fn(K, Vec<I>) -> F + Clone + Send + 'static,
    ) -> Result<Stamped<Vec<A>>>
    where
        F: Future<Output = Result<Stamped<Vec<A>>>> + Send + 'static,
    {
        let (read, range) = self.join(&LineKey::here(key.clone()), &items, &send);
        // Callers that the same hint woke join this read before it is sent.
        let_others_go().await;
        let outcome = read.await;
        match outcome.outcome {
            Ok((moment, answers)) => {
                let value = answers.lock()[range].iter_mut().filter_map(Option::take).collect();
                Ok(Stamped::at(moment, value))
            }
            Err(error) if outcome.count > items.len() && may_be_of_one(&error) => {
                complete(send(key, items.clone()).await?, items.len())
            }
            Err(error) => Err(error),
        }
    }

    /// The read that these items go with, and where among its items they are.
    fn join<F>(
        &self,
        key: &LineKey<K>,
        items: &[I],
        send: &(impl Fn(K, Vec<I>) -> F + Clone + Send + 'static),
    ) -> (Shared<ReadFuture<A>>, Range<usize>)
    where
        F: Future<Output = Result<Stamped<Vec<A>>>> + Send + 'static,
    {
        // One lock covers the search and the insert, or two callers could begin a read each.
        let mut latest = self.latest.lock();
        let before = latest.get(key).and_then(|open| Some((open.read.upgrade()?, &open.asked)));
        if let Some((read, asked)) = &before
            && let Some(range) = add_items(asked, items)
        {
            return (read.clone(), range);
        }
        // A read in flight may have begun before a change that this caller knows of, so it is not
        // joined. The next one waits for it, and takes every caller that arrives until then.
        let asked = Arc::new(Mutex::new(Some(items.to_vec())));
        let before = before.map(|(read, _)| read);
        let read = read_after(before, asked.clone(), key.key.clone(), send.clone()).boxed().shared();
        latest.retain(|_, open| open.read.upgrade().is_some());
        if let Some(weak) = read.downgrade() {
            latest.insert(key.clone(), OpenRead { asked, read: weak });
        }
        (read, 0..items.len())
    }
}

/// Adds items to a read that is not yet sent, if they fit.
fn add_items<I: Clone>(asked: &Mutex<Option<Vec<I>>>, items: &[I]) -> Option<Range<usize>> {
    let mut asked = asked.lock();
    let all = asked.as_mut().filter(|all| all.len() + items.len() <= ITEMS_MAX)?;
    let from = all.len();
    all.extend_from_slice(items);
    Some(from..all.len())
}

/// Waits for the read before, and reads what was asked until then.
async fn read_after<K, I, A, F: Future<Output = Result<Stamped<Vec<A>>>>>(
    before: Option<Shared<ReadFuture<A>>>,
    asked: ReadItems<I>,
    key: K,
    send: impl FnOnce(K, Vec<I>) -> F,
) -> ReadOutcome<A> {
    if let Some(before) = before {
        drop(before.await);
    }
    let items = asked.lock().take().unwrap_or_default();
    let count = items.len();
    // What panics would be met by all who ask from then on.
    let reading = AssertUnwindSafe(async move { complete(send(key, items).await?, count) });
    let answers = reading.catch_unwind().await;
    let outcome = answers.unwrap_or_else(|_| Err(bug("a read panicked, which is a bug of the store")));
    let take_each = |value: Vec<A>| Arc::new(Mutex::new(value.into_iter().map(Some).collect()));
    ReadOutcome { count, outcome: outcome.map(|answer| (answer.moment(), take_each(answer.value))) }
}

/// One turn, on any runtime or none.
pub(super) async fn let_others_go() {
    let mut had_a_turn = false;
    poll_fn(|context| {
        if std::mem::replace(&mut had_a_turn, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// An answer for each item, in their order.
fn complete<A>(answers: Stamped<Vec<A>>, count: usize) -> Result<Stamped<Vec<A>>> {
    if answers.value.len() == count {
        return Ok(answers);
    }
    Err(bug("a read did not answer each item, which is a bug of the store"))
}

fn bug(message: &'static str) -> Error {
    Error::new(ErrorKind::Internal, "get", message)
}

/// A damaged record, rather than trouble with the server.
fn may_be_of_one(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Closed)
}
