use crate::{Error, ErrorKind, Result, Stamped};
use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
};
use tokio::sync::oneshot;

/// Items in one read, unless one asks for more. Their answers may be large.
const ITEMS_MAX: usize = 256;

/// A place among those that wait.
type Place<K, I, A> = oneshot::Receiver<Told<K, I, A>>;

/// Merges concurrent reads with equal keys, as callers that wait for their results send them. For stores where a read costs a
/// round trip.
///
/// Whoever asks while a read is under way goes with the next one; nobody waits for a timer, and there is no task of its own. The
/// first who asks leads: it takes along whoever asks the like, answers them, and hands the lead to one of those that came
/// meanwhile. If it is dropped, they ask again, which a read may.
///
/// ```
/// use queue_core::{Gather, Result, Stamped, Timestamp};
///
/// async fn lengths(words: Vec<String>) -> Result<Stamped<Vec<usize>>> {
///     Ok(Stamped { now: Timestamp::default(), value: words.iter().map(String::len).collect() })
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let reads = Gather::default();
/// let read = |word: &str| reads.read((), vec![word.to_owned()], |(), words| lengths(words));
/// let (short, long) = tokio::join!(read("job"), read("queue"));
/// assert_eq!((short?.value, long?.value), (vec![3], vec![5]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Gather<K, I, A> {
    waiting: Arc<Mutex<Waiting<K, I, A>>>,
}

impl<K, I, A> Default for Gather<K, I, A> {
    fn default() -> Self {
        Self { waiting: Arc::new(Mutex::new(Waiting { is_led: false, asks: VecDeque::new() })) }
    }
}

#[derive(Debug)]
struct Waiting<K, I, A> {
    is_led: bool,
    asks: VecDeque<Ask<K, I, A>>,
}

#[derive(Debug)]
struct Ask<K, I, A> {
    key: K,
    items: Vec<I>,
    reply: oneshot::Sender<Told<K, I, A>>,
}

/// What one who waits hears.
#[derive(Debug)]
enum Told<K, I, A> {
    Answers(Result<Stamped<Vec<A>>>),
    /// It is the next to lead. What is not heard any more passes the lead on.
    Lead(Lead<K, I, A>),
    /// A read of several failed in a way that one of them may be the cause of.
    Alone,
}

/// The right to read, of one at a time.
#[derive(Debug)]
struct Lead<K, I, A> {
    waiting: Arc<Mutex<Waiting<K, I, A>>>,
}

impl<K: Clone + PartialEq, I: Clone, A> Gather<K, I, A> {
    /// Reads items, perhaps with those of others: `send` gets the items of all, and answers each in its place. Dropping the
    /// future harms nobody.
    ///
    /// # Errors
    /// Those of `send`. One that may be the fault of a single item, such as a damaged record, is met by the one who asked for
    /// it alone.
    pub async fn read<F: Future<Output = Result<Stamped<Vec<A>>>>>(
        &self,
        key: K,
        items: Vec<I>,
        send: impl Fn(K, Vec<I>) -> F,
    ) -> Result<Stamped<Vec<A>>> {
        let send = |key, items: Vec<I>| {
            let (count, sending) = (items.len(), send(key, items));
            async move { complete(sending.await?, count) }
        };
        loop {
            let told = match self.join(&key, &items) {
                Ok(lead) => Told::Lead(lead),
                Err(answer) => match answer.await {
                    Ok(told) => told,
                    // Who led was dropped.
                    Err(_) => continue,
                },
            };
            return match told {
                Told::Answers(answers) => answers,
                Told::Lead(lead) => lead.read(key, items, send).await,
                Told::Alone => send(key, items).await,
            };
        }
    }

    /// The lead if nobody has it, else a place among those that wait.
    fn join(&self, key: &K, items: &[I]) -> Result<Lead<K, I, A>, Place<K, I, A>> {
        let mut waiting = lock(&self.waiting);
        if !waiting.is_led {
            waiting.is_led = true;
            return Ok(Lead { waiting: self.waiting.clone() });
        }
        let (reply, answer) = oneshot::channel();
        waiting.asks.push_back(Ask { key: key.clone(), items: items.to_vec(), reply });
        Err(answer)
    }
}

impl<K: PartialEq, I, A> Waiting<K, I, A> {
    /// Those that ask the like, as far as they fit one read.
    fn companions(&mut self, key: &K, mut room: usize) -> Vec<Ask<K, I, A>> {
        let (mut taken, mut left) = (Vec::new(), VecDeque::new());
        for ask in self.asks.drain(..) {
            if ask.key == *key && ask.items.len() <= room {
                room -= ask.items.len();
                taken.push(ask);
            } else {
                left.push_back(ask);
            }
        }
        self.asks = left;
        taken
    }
}

impl<K, I, A> Waiting<K, I, A> {
    /// The next one that still waits; if there is none, the lead is free.
    fn successor(&mut self) -> Option<Ask<K, I, A>> {
        while let Some(ask) = self.asks.pop_front() {
            if !ask.reply.is_closed() {
                return Some(ask);
            }
        }
        self.is_led = false;
        None
    }
}

impl<K: Clone + PartialEq, I: Clone, A> Lead<K, I, A> {
    async fn read<F: Future<Output = Result<Stamped<Vec<A>>>>>(
        self,
        key: K,
        items: Vec<I>,
        send: impl Fn(K, Vec<I>) -> F,
    ) -> Result<Stamped<Vec<A>>> {
        // Who was woken by the same hint comes first.
        let_others_go().await;
        let others = lock(&self.waiting).companions(&key, ITEMS_MAX.saturating_sub(items.len()));
        let mut all = items.clone();
        for ask in &others {
            all.extend_from_slice(&ask.items);
        }
        match send(key.clone(), all).await {
            Ok(Stamped { now, value }) => {
                let mut answers = value.into_iter();
                let own = answers.by_ref().take(items.len()).collect();
                for ask in others {
                    let value = answers.by_ref().take(ask.items.len()).collect();
                    drop(ask.reply.send(Told::Answers(Ok(Stamped { now, value }))));
                }
                Ok(Stamped { now, value: own })
            }
            Err(error) if !others.is_empty() && may_be_of_one(&error) => {
                for ask in others {
                    drop(ask.reply.send(Told::Alone));
                }
                send(key, items).await
            }
            Err(error) => {
                for ask in others {
                    drop(ask.reply.send(Told::Answers(Err(error.clone()))));
                }
                Err(error)
            }
        }
    }
}

impl<K, I, A> Drop for Lead<K, I, A> {
    fn drop(&mut self) {
        let successor = lock(&self.waiting).successor();
        if let Some(ask) = successor {
            // One that has just gone drops the lead, and so passes it on.
            drop(ask.reply.send(Told::Lead(Lead { waiting: self.waiting.clone() })));
        }
    }
}

fn lock<K, I, A>(waiting: &Mutex<Waiting<K, I, A>>) -> MutexGuard<'_, Waiting<K, I, A>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One turn, whatever the runtime.
async fn let_others_go() {
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
    Err(Error::new(
        ErrorKind::Internal,
        "get",
        "a read did not answer each item, which is a bug of the store",
    ))
}

/// A damaged record, rather than trouble with the server.
fn may_be_of_one(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Closed)
}
