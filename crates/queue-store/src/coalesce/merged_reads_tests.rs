//! Concurrent reads that go out as one.

use super::merged_reads::MergedReads;
use futures_util::{FutureExt, future::join_all};
use queue_core::{Error, ErrorKind, Result, Stamped, Timestamp};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

type Doubles = MergedReads<&'static str, u32, u32>;

/// Doubles numbers, once it is let; zero is damaged, and from `BREAKS` on it panics.
#[derive(Debug)]
struct Server {
    sent: Mutex<Vec<(&'static str, Vec<u32>)>>,
    gate: Semaphore,
    is_down: bool,
}

const BREAKS: u32 = 1_000;

impl Server {
    fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self { sent: Mutex::default(), gate: Semaphore::new(permits), is_down: false })
    }

    fn sent(&self) -> Vec<(&'static str, Vec<u32>)> {
        self.sent.lock().expect("nobody panicked").clone()
    }

    async fn double(self: Arc<Self>, key: &'static str, numbers: Vec<u32>) -> Result<Stamped<Vec<u32>>> {
        self.sent.lock().expect("nobody panicked").push((key, numbers.clone()));
        self.gate.acquire().await.expect("it is open").forget();
        if self.is_down {
            return Err(Error::new(ErrorKind::Unavailable, "get", "down"));
        }
        if numbers.contains(&0) {
            return Err(Error::new(ErrorKind::Corrupt, "get", "damaged"));
        }
        assert!(numbers.iter().all(|number| *number < BREAKS), "part of the test");
        Ok(Stamped {
            now: Timestamp::default(),
            clock: Timestamp::default(),
            value: numbers.iter().map(|number| number * 2).collect(),
        })
    }
}

async fn ask_of(key: &'static str, gather: &Doubles, server: &Arc<Server>, number: u32) -> Result<u32> {
    let server = server.clone();
    let read = gather.read(key, vec![number], move |key, all| server.clone().double(key, all)).await;
    read.map(|doubles| doubles.value[0])
}

async fn ask(gather: &Doubles, server: &Arc<Server>, number: u32) -> Result<u32> {
    ask_of("q", gather, server, number).await
}

#[tokio::test]
async fn who_asks_at_once_goes_together_and_hears_their_own_answer() {
    let gather = Doubles::default();
    let server = Server::new(9);
    let answers = join_all((1..=5).map(|number| ask(&gather, &server, number))).await;
    assert_eq!(answers.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [2, 4, 6, 8, 10]);
    assert_eq!(server.sent(), [("q", vec![1, 2, 3, 4, 5])]);
}

#[tokio::test]
async fn another_key_is_another_read() {
    let gather = Doubles::default();
    let server = Server::new(9);
    let both = tokio::join!(ask(&gather, &server, 1), ask_of("other", &gather, &server, 7));
    assert_eq!((both.0.unwrap(), both.1.unwrap()), (2, 14));
    let mut sent = server.sent();
    sent.sort_unstable();
    assert_eq!(sent, [("other", vec![7]), ("q", vec![1])]);
}

#[tokio::test]
async fn a_key_whose_read_hangs_holds_up_no_other() {
    let gather = Doubles::default();
    let server = Server::new(0);
    let mut hangs = Box::pin(ask(&gather, &server, 1));
    assert!((&mut hangs).now_or_never().is_none() && (&mut hangs).now_or_never().is_none());
    assert_eq!(server.sent().len(), 1, "it is under way");
    let healthy = Server::new(1);
    assert_eq!(ask_of("other", &gather, &healthy, 7).await.unwrap(), 14);
}

/// As one that a `select!` looks at again later.
#[tokio::test]
async fn whoever_is_kept_and_not_polled_holds_up_nobody() {
    let gather = Doubles::default();
    let server = Server::new(0);
    let mut kept = Box::pin(ask(&gather, &server, 1));
    assert!((&mut kept).now_or_never().is_none() && (&mut kept).now_or_never().is_none());
    server.gate.add_permits(2);
    assert_eq!(ask(&gather, &server, 2).await.unwrap(), 4);
    assert_eq!(kept.await.unwrap(), 2, "it was answered meanwhile");
    assert_eq!(server.sent(), [("q", vec![1]), ("q", vec![2])]);
}

#[tokio::test]
async fn a_read_that_panics_fails_and_the_next_one_does_not() {
    let gather = Doubles::default();
    let server = Server::new(9);
    let (panics, next) = tokio::join!(ask(&gather, &server, BREAKS), async {
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        ask(&gather, &server, 1).await
    });
    assert_eq!(panics.unwrap_err().kind(), ErrorKind::Internal);
    assert_eq!(next.unwrap(), 2);
}

/// Whether it was sent or still waited: the others ask again, and one of them leads.
#[tokio::test]
async fn whoever_is_dropped_harms_nobody() {
    let gather = Doubles::default();
    let server = Server::new(0);
    let mut leads = Box::pin(ask(&gather, &server, 1));
    let mut follows = Box::pin(ask(&gather, &server, 2));
    let mut waits = Box::pin(ask(&gather, &server, 3));
    assert!((&mut leads).now_or_never().is_none() && (&mut follows).now_or_never().is_none());
    assert!((&mut leads).now_or_never().is_none(), "both are under way");
    assert!((&mut waits).now_or_never().is_none());
    drop(leads);
    drop(follows);
    server.gate.add_permits(2);
    assert_eq!(waits.await.unwrap(), 6);
    assert_eq!(server.sent(), [("q", vec![1, 2]), ("q", vec![3])]);
}

#[tokio::test]
async fn a_damaged_record_is_the_trouble_of_one() {
    let gather = Doubles::default();
    let server = Server::new(9);
    let answers = join_all([1, 0, 3].map(|number| ask(&gather, &server, number))).await;
    let answers: Vec<_> = answers.into_iter().map(Result::ok).collect();
    assert_eq!(answers, [Some(2), None, Some(6)]);
}

#[tokio::test]
async fn a_server_that_is_down_is_asked_once() {
    let server = Server { sent: Mutex::default(), gate: Semaphore::new(9), is_down: true };
    let gather = Doubles::default();
    let server = Arc::new(server);
    let answers = join_all([1, 2].map(|number| ask(&gather, &server, number))).await;
    assert!(answers.iter().all(Result::is_err));
    assert_eq!(server.sent().len(), 1);
}

#[tokio::test]
async fn a_read_that_leaves_one_out_fails_instead_of_mixing_up_answers() {
    let gather: MergedReads<(), u32, u32> = MergedReads::default();
    let read = |number| {
        gather.read((), vec![number], |(), numbers: Vec<u32>| async {
            let value = numbers.into_iter().filter(|number| *number != 2).collect();
            Ok(Stamped { now: Timestamp::default(), clock: Timestamp::default(), value })
        })
    };
    let (first, second) = tokio::join!(read(1), read(2));
    assert_eq!(first.expect("alone it is answered").value, [1]);
    assert_eq!(second.expect_err("nothing came").kind(), ErrorKind::Internal);
}
