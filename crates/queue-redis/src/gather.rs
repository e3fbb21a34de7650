//! Reads of many tasks in one script: whoever asks while a read is under way goes with the next one.
//!
//! Nobody waits for a timer, and there is no task of its own. The first who asks leads: it takes along whoever asks the like,
//! answers them, and hands the lead to one of those that came meanwhile. If it is dropped, they ask again, which a read may.

use queue_core::{Error, ErrorKind, Result, Timestamp};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;

/// Items in one read, unless one asks for more.
const ITEMS_MAX: usize = 1_000;

/// When it was, and an answer for each item.
type Answers<A> = (Timestamp, Vec<A>);

/// A place among those that wait.
type Place<K, I, A> = oneshot::Receiver<Told<K, I, A>>;

/// Merges concurrent reads with equal keys.
#[derive(Debug)]
pub(crate) struct Gather<K, I, A> {
    waiting: Mutex<Waiting<K, I, A>>,
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
    Answers(Result<Answers<A>>),
    /// It is the next to lead. What is not heard any more passes the lead on.
    Lead(Lead<K, I, A>),
    /// A read of several failed in a way that one of them may be the cause of.
    Alone,
}

/// The right to read, of one at a time.
#[derive(Debug)]
struct Lead<K, I, A> {
    gather: Arc<Gather<K, I, A>>,
}

impl<K: Clone + PartialEq, I: Clone, A> Gather<K, I, A> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::new(Waiting { is_led: false, asks: VecDeque::new() }) })
    }

    /// Reads items, perhaps with those of others. Dropping the future harms nobody.
    pub(crate) async fn read<F: Future<Output = Result<Answers<A>>>>(
        self: &Arc<Self>,
        key: K,
        items: Vec<I>,
        send: impl Fn(K, Vec<I>) -> F,
    ) -> Result<Answers<A>> {
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
    fn join(self: &Arc<Self>, key: &K, items: &[I]) -> Result<Lead<K, I, A>, Place<K, I, A>> {
        let mut waiting = self.lock();
        if !waiting.is_led {
            waiting.is_led = true;
            return Ok(Lead { gather: self.clone() });
        }
        let (reply, answer) = oneshot::channel();
        waiting.asks.push_back(Ask { key: key.clone(), items: items.to_vec(), reply });
        Err(answer)
    }

    /// Those that ask the like, as far as they fit one read.
    fn companions(&self, key: &K, mut room: usize) -> Vec<Ask<K, I, A>> {
        let mut waiting = self.lock();
        let (mut taken, mut left) = (Vec::new(), VecDeque::new());
        for ask in waiting.asks.drain(..) {
            if ask.key == *key && ask.items.len() <= room {
                room -= ask.items.len();
                taken.push(ask);
            } else {
                left.push_back(ask);
            }
        }
        waiting.asks = left;
        taken
    }
}

impl<K, I, A> Gather<K, I, A> {
    fn lock(&self) -> MutexGuard<'_, Waiting<K, I, A>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next one that still waits; if there is none, the lead is free.
    fn successor(&self) -> Option<Ask<K, I, A>> {
        let mut waiting = self.lock();
        while let Some(ask) = waiting.asks.pop_front() {
            if !ask.reply.is_closed() {
                return Some(ask);
            }
        }
        waiting.is_led = false;
        None
    }
}

impl<K: Clone + PartialEq, I: Clone, A> Lead<K, I, A> {
    async fn read<F: Future<Output = Result<Answers<A>>>>(
        self,
        key: K,
        items: Vec<I>,
        send: impl Fn(K, Vec<I>) -> F,
    ) -> Result<Answers<A>> {
        // Who was woken by the same hint comes first.
        tokio::task::yield_now().await;
        let others = self.gather.companions(&key, ITEMS_MAX.saturating_sub(items.len()));
        let mut all = items.clone();
        for ask in &others {
            all.extend_from_slice(&ask.items);
        }
        match send(key.clone(), all).await {
            Ok((now, answers)) => {
                let mut answers = answers.into_iter();
                let own = answers.by_ref().take(items.len()).collect();
                for ask in others {
                    let theirs = answers.by_ref().take(ask.items.len()).collect();
                    drop(ask.reply.send(Told::Answers(Ok((now, theirs)))));
                }
                Ok((now, own))
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
        if let Some(ask) = self.gather.successor() {
            // One that has just gone drops the lead, and so passes it on.
            drop(ask.reply.send(Told::Lead(Lead { gather: self.gather.clone() })));
        }
    }
}

/// A damaged record, rather than trouble with the server.
fn may_be_of_one(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Closed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, future::join_all};
    use std::cell::{Cell, RefCell};
    use tokio::sync::Semaphore;

    type Doubles = Gather<&'static str, u32, u32>;

    /// Doubles numbers, once it is let; zero is damaged.
    #[derive(Default)]
    struct Server {
        sent: RefCell<Vec<(&'static str, Vec<u32>)>>,
        is_down: Cell<bool>,
    }

    impl Server {
        async fn double(
            &self,
            key: &'static str,
            numbers: Vec<u32>,
            gate: &Semaphore,
        ) -> Result<Answers<u32>> {
            self.sent.borrow_mut().push((key, numbers.clone()));
            gate.acquire().await.expect("it is open").forget();
            if self.is_down.get() {
                return Err(Error::new(ErrorKind::Unavailable, "get", "down"));
            }
            if numbers.contains(&0) {
                return Err(Error::new(ErrorKind::Corrupt, "get", "damaged"));
            }
            Ok((Timestamp::default(), numbers.iter().map(|number| number * 2).collect()))
        }
    }

    async fn ask(gather: &Arc<Doubles>, server: &Server, gate: &Semaphore, number: u32) -> Result<u32> {
        let read = gather.read("q", vec![number], |key, all| server.double(key, all, gate)).await;
        read.map(|(_, doubles)| doubles[0])
    }

    #[tokio::test]
    async fn who_asks_at_once_goes_together_and_hears_their_own_answer() {
        let (gather, server, gate) = (Doubles::new(), Server::default(), Semaphore::new(9));
        let answers = join_all((1..=5).map(|number| ask(&gather, &server, &gate, number))).await;
        assert_eq!(answers.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [2, 4, 6, 8, 10]);
        assert_eq!(*server.sent.borrow(), [("q", vec![1, 2, 3, 4, 5])]);
    }

    #[tokio::test]
    async fn another_key_is_another_read() {
        let (gather, server, gate) = (Doubles::new(), Server::default(), Semaphore::new(9));
        let other = gather.read("other", vec![7], |key, all| server.double(key, all, &gate));
        let (one, other) = tokio::join!(ask(&gather, &server, &gate, 1), other);
        assert_eq!((one.unwrap(), other.unwrap().1), (2, vec![14]));
        assert_eq!(*server.sent.borrow(), [("q", vec![1]), ("other", vec![7])]);
    }

    /// Whether it was sent or still waited: the others ask again, and one of them leads.
    #[tokio::test]
    async fn whoever_is_dropped_harms_nobody() {
        let (gather, server, gate) = (Doubles::new(), Server::default(), Semaphore::new(0));
        let mut leads = Box::pin(ask(&gather, &server, &gate, 1));
        let mut follows = Box::pin(ask(&gather, &server, &gate, 2));
        let mut waits = Box::pin(ask(&gather, &server, &gate, 3));
        assert!((&mut leads).now_or_never().is_none() && (&mut follows).now_or_never().is_none());
        assert!((&mut leads).now_or_never().is_none(), "both are under way");
        assert!((&mut waits).now_or_never().is_none());
        drop(leads);
        drop(follows);
        gate.add_permits(1);
        assert_eq!(waits.await.unwrap(), 6);
        assert_eq!(*server.sent.borrow(), [("q", vec![1, 2]), ("q", vec![3])]);
    }

    #[tokio::test]
    async fn a_damaged_record_is_the_trouble_of_one() {
        let (gather, server, gate) = (Doubles::new(), Server::default(), Semaphore::new(9));
        let answers = join_all([1, 0, 3].map(|number| ask(&gather, &server, &gate, number))).await;
        let answers: Vec<_> = answers.into_iter().map(Result::ok).collect();
        assert_eq!(answers, [Some(2), None, Some(6)]);
    }

    #[tokio::test]
    async fn a_server_that_is_down_is_asked_once() {
        let (gather, server, gate) = (Doubles::new(), Server::default(), Semaphore::new(9));
        server.is_down.set(true);
        let answers = join_all([1, 2].map(|number| ask(&gather, &server, &gate, number))).await;
        assert!(answers.iter().all(Result::is_err));
        assert_eq!(server.sent.borrow().len(), 1);
    }
}
