//! Concurrent reads that go out as one.

use futures_util::{FutureExt, future::join_all};
use queue_core::{Error, ErrorKind, Gather, Result, Stamped, Timestamp};
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
    ) -> Result<Stamped<Vec<u32>>> {
        self.sent.borrow_mut().push((key, numbers.clone()));
        gate.acquire().await.expect("it is open").forget();
        if self.is_down.get() {
            return Err(Error::new(ErrorKind::Unavailable, "get", "down"));
        }
        if numbers.contains(&0) {
            return Err(Error::new(ErrorKind::Corrupt, "get", "damaged"));
        }
        Ok(Stamped { now: Timestamp::default(), value: numbers.iter().map(|number| number * 2).collect() })
    }
}

async fn ask(gather: &Doubles, server: &Server, gate: &Semaphore, number: u32) -> Result<u32> {
    let read = gather.read("q", vec![number], |key, all| server.double(key, all, gate)).await;
    read.map(|doubles| doubles.value[0])
}

#[tokio::test]
async fn who_asks_at_once_goes_together_and_hears_their_own_answer() {
    let (gather, server, gate) = (Doubles::default(), Server::default(), Semaphore::new(9));
    let answers = join_all((1..=5).map(|number| ask(&gather, &server, &gate, number))).await;
    assert_eq!(answers.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [2, 4, 6, 8, 10]);
    assert_eq!(*server.sent.borrow(), [("q", vec![1, 2, 3, 4, 5])]);
}

#[tokio::test]
async fn another_key_is_another_read() {
    let (gather, server, gate) = (Doubles::default(), Server::default(), Semaphore::new(9));
    let other = gather.read("other", vec![7], |key, all| server.double(key, all, &gate));
    let (one, other) = tokio::join!(ask(&gather, &server, &gate, 1), other);
    assert_eq!((one.unwrap(), other.unwrap().value), (2, vec![14]));
    assert_eq!(*server.sent.borrow(), [("q", vec![1]), ("other", vec![7])]);
}

/// Whether it was sent or still waited: the others ask again, and one of them leads.
#[tokio::test]
async fn whoever_is_dropped_harms_nobody() {
    let (gather, server, gate) = (Doubles::default(), Server::default(), Semaphore::new(0));
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
    let (gather, server, gate) = (Doubles::default(), Server::default(), Semaphore::new(9));
    let answers = join_all([1, 0, 3].map(|number| ask(&gather, &server, &gate, number))).await;
    let answers: Vec<_> = answers.into_iter().map(Result::ok).collect();
    assert_eq!(answers, [Some(2), None, Some(6)]);
}

#[tokio::test]
async fn a_server_that_is_down_is_asked_once() {
    let (gather, server, gate) = (Doubles::default(), Server::default(), Semaphore::new(9));
    server.is_down.set(true);
    let answers = join_all([1, 2].map(|number| ask(&gather, &server, &gate, number))).await;
    assert!(answers.iter().all(Result::is_err));
    assert_eq!(server.sent.borrow().len(), 1);
}

#[tokio::test]
async fn a_read_that_leaves_one_out_fails_instead_of_mixing_up_answers() {
    let gather: Gather<(), u32, u32> = Gather::default();
    let read = |number| {
        gather.read((), vec![number], async |(), numbers: Vec<u32>| {
            let value = numbers.into_iter().filter(|number| *number != 2).collect();
            Ok(Stamped { now: Timestamp::default(), value })
        })
    };
    let (first, second) = tokio::join!(read(1), read(2));
    assert_eq!(first.expect("alone it is answered").value, [1]);
    assert_eq!(second.expect_err("nothing came").kind(), ErrorKind::Internal);
}
