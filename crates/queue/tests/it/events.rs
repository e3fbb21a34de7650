//! Changes of a queue as a typed stream, and progress.

use crate::support::{Fault, Faulty, SECOND, memory, on, spawn, take, texts};
use futures_util::StreamExt;
use queue::{
    ErrorKind, Failure, JobEvent, JobEvents, JobOptions, Keep, MemoryStorage, Queue, State, Storage,
    worker::{Context, Router, TokioClock},
};
use std::sync::{Arc, atomic::AtomicU32};

async fn next(events: &mut JobEvents<String>) -> JobEvent<String> {
    let item = tokio::time::timeout(100 * SECOND, events.next()).await.expect("there is another");
    item.expect("it goes on").expect("it can be read")
}

/// The event in words, such as `a Queued` or `a done Some("A")`.
fn words(event: JobEvent<String>) -> String {
    match event {
        JobEvent::Changed { id, state, .. } => format!("{id} {state:?}"),
        JobEvent::Completed { id, result, .. } => format!("{id} done {result:?}"),
        JobEvent::Gone { id, .. } => format!("{id} gone"),
        other => format!("{other:?}"),
    }
}

async fn words_of(events: &mut JobEvents<String>, count: usize) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        all.push(words(next(events).await));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn events_tell_every_change_in_order_with_the_result_decoded() {
    let queue = texts();
    let mut events = queue.events().await.unwrap();
    queue.enqueue("a", "x".to_owned()).await.unwrap();
    let _ = take(&queue).await.nack(Failure::new("Test", "once")).await.unwrap();
    let _ = queue.promote("a").await.unwrap();
    let _ = take(&queue).await.ack(&"A".to_owned()).await.unwrap();
    let expected =
        ["a Queued", "a Processing", "a Failing", "a Failing", "a Processing", "a done Some(\"A\")"];
    assert_eq!(words_of(&mut events, 6).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_removed_as_it_finishes_is_gone() {
    let queue = texts();
    let mut events = queue.events().await.unwrap();
    queue.enqueue_with("a", "x".to_owned(), JobOptions::new().keep(Keep::Nothing)).await.unwrap();
    let _ = take(&queue).await.ack(&"A".to_owned()).await.unwrap();
    assert_eq!(words_of(&mut events, 3).await, ["a Queued", "a Processing", "a gone"]);
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_life_is_not_taken_for_this_ones() {
    let queue = texts();
    let mut events = queue.events().await.unwrap();
    for result in ["first", "second"] {
        queue.enqueue("a", "x".to_owned()).await.unwrap();
        let _ = take(&queue).await.ack(&result.to_owned()).await.unwrap();
        if result == "first" {
            let _ = queue.delete("a").await.unwrap();
        }
    }
    let seen = words_of(&mut events, 7).await;
    assert_eq!(seen[2..4], ["a done None", "a gone"], "it was gone before anybody read");
    assert_eq!(seen[6], "a done Some(\"second\")");
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_type_is_an_error_and_the_stream_goes_on() {
    let storage = memory();
    let numbers: Queue<String, u32> = Queue::new(storage.clone(), "texts").unwrap();
    let mut events = on(storage).events().await.unwrap();
    for id in ["a", "b"] {
        numbers.enqueue(id, "x".to_owned()).await.unwrap();
    }
    let _ = take(&numbers).await.ack(&7).await.unwrap();
    for _ in 0..3 {
        next(&mut events).await;
    }
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let _ = numbers.cancel("b").await.unwrap();
    assert_eq!(words(next(&mut events).await), "b Cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_read_for_the_moment_is_an_error_and_the_stream_goes_on() {
    let storage = memory();
    let queue = on(Faulty::wrap(storage.clone(), Fault::GetFails(AtomicU32::new(1))));
    let mut events = queue.events().await.unwrap();
    let honest = on(storage);
    for id in ["a", "b"] {
        honest.enqueue(id, "x".to_owned()).await.unwrap();
        let _ = take(&honest).await.ack(&id.to_uppercase()).await.unwrap();
    }
    assert_eq!(words_of(&mut events, 2).await, ["a Queued", "a Processing"]);
    assert_eq!(events.next().await.unwrap().unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(words_of(&mut events, 3).await[2], "b done Some(\"B\")");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_is_too_slow_is_told_that_it_missed_some() {
    let queue = texts();
    let mut events = queue.events().await.unwrap();
    for n in 0..3000 {
        queue.enqueue(format!("{n}"), "x".to_owned()).await.unwrap();
    }
    let mut seen = 0;
    while !matches!(next(&mut events).await, JobEvent::Missed) {
        seen += 1;
    }
    assert!(seen < 3000);
}

#[tokio::test(start_paused = true)]
async fn the_stream_ends_when_the_store_closes() {
    let storage = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    let mut events = on(storage.clone()).events().await.unwrap();
    storage.close().await.unwrap();
    assert!(events.next().await.is_none());
}

/// The progress that a handler reports.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Bar {
    done: u32,
    of: u32,
}

#[tokio::test(start_paused = true)]
async fn progress_of_a_running_job_is_read_typed_and_shown_by_its_status() {
    let queue: Queue<u32, ()> = Queue::new(memory(), "bars").unwrap();
    let router = Router::new(()).handle("default", |of: u32, job: Context| async move {
        for done in 1..=of {
            job.report_progress(&Bar { done, of })?;
            tokio::time::sleep(10 * SECOND).await;
        }
        Ok(())
    });
    let worker = queue.worker(router.unwrap()).build().unwrap();
    let stop = worker.stop_token();
    let running = spawn(worker.run());
    queue.enqueue("a", 3).await.unwrap();
    assert_eq!(queue.progress::<Bar>("a").await.unwrap(), None);
    for done in 1..=3 {
        tokio::time::sleep(5 * SECOND).await;
        let status = queue.status("a").await.unwrap().unwrap();
        assert_eq!(status.state(), State::Processing);
        let expected = format!("{{\"done\":{done},\"of\":3}}");
        assert_eq!(status.progress(), Some(expected.as_bytes()));
        assert_eq!(queue.progress("a").await.unwrap(), Some(Bar { done, of: 3 }));
        tokio::time::sleep(5 * SECOND).await;
    }
    assert_eq!(queue.progress::<u32>("a").await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(queue.progress::<Bar>("nobody").await.unwrap(), None);
    stop.cancel();
    running.await.unwrap();
}
