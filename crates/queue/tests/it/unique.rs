//! Ids of parts of a payload, and of periods.

use crate::support::{SECOND, memory, on, texts};
use queue::{ErrorKind, Id, JobOptions, ManualClock, MemoryStorage, Queue};
use std::{sync::Arc, time::Duration};

type Digests = Queue<(String, u32, bool)>;

fn digest(user: &str, day: u32, urgent: bool) -> (String, u32, bool) {
    (user.to_owned(), day, urgent)
}

#[tokio::test(start_paused = true)]
async fn work_is_the_same_if_the_parts_of_its_payload_are() {
    let queue: Digests = Queue::new(memory(), "digests").unwrap();
    let mut new = Vec::new();
    for digest in
        [digest("ada", 1, false), digest("ada", 1, true), digest("ada", 2, true), digest("bob", 1, true)]
    {
        let id = queue.id_of(&(&digest.0, digest.1)).unwrap();
        new.push(queue.enqueue(id, digest).await.unwrap().is_new());
    }
    assert_eq!(new, [true, false, true, true]);
}

#[tokio::test(start_paused = true)]
async fn the_id_of_all_parts_is_that_of_the_content() {
    let queue: Digests = Queue::builder(memory(), "digests").id_key([7; 32]).build().unwrap();
    let kinds = queue.of(queue::JobKind::<(String, u32, bool)>::new("other"));
    let whole = digest("ada", 1, false);
    let [of_parts, of_kind] = [queue.id_of(&whole), kinds.id_of(&whole)].map(Result::unwrap);
    assert_ne!(of_parts, of_kind);
    assert_eq!(queue.enqueue(Id::OfContent, whole.clone()).await.unwrap().id(), &of_parts);
    let unkeyed: Digests = Queue::new(memory(), "digests").unwrap();
    assert_ne!(unkeyed.id_of(&whole).unwrap(), of_parts);
}

#[tokio::test(start_paused = true)]
async fn an_id_of_a_period_changes_when_the_next_begins_by_the_clock_of_the_store() {
    let clock = Arc::new(ManualClock::default());
    let queue = on(Arc::new(MemoryStorage::with_clock(clock.clone())));
    let period = 60 * SECOND;
    let now = queue::Clock::now(&*clock).as_millis();
    let (number, left) = (now.div_euclid(60_000), 60_000 - now.rem_euclid(60_000));
    let mut ids = Vec::new();
    for wait in [0, left - 1, 1] {
        clock.advance(Duration::from_millis(wait.unsigned_abs()));
        let id = queue.id_in_period("a", period).await.unwrap();
        ids.push(queue.enqueue_with(id, String::new(), JobOptions::new().keep(period)).await.unwrap());
    }
    let stored: Vec<_> = ids.iter().map(|stored| (stored.is_new(), stored.id().to_string())).collect();
    let (first, next) = (format!("a@{number}"), format!("a@{}", number + 1));
    assert_eq!(stored, [(true, first.clone()), (false, first), (true, next)]);
}

#[tokio::test(start_paused = true)]
async fn a_period_that_cannot_be_is_refused() {
    let queue = texts();
    for (id, period) in
        [("a", Duration::ZERO), ("a", Duration::MAX), ("", SECOND), (&*"a".repeat(255), SECOND)]
    {
        assert_eq!(queue.id_in_period(id, period).await.unwrap_err().kind(), ErrorKind::Invalid, "{id}");
    }
}
