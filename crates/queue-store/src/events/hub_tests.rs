//! Which hints subscribers get, in which order, and when no more.

use super::{
    hub::{BACKLOG_MAX, Hub},
    news::News,
};
use futures_util::{FutureExt, StreamExt};
use queue_core::{
    CompletedJob, ContentType, EventStream, Hint, Interest, JobChange, JobId, Payload, QueueName, Seq, State,
};
use std::sync::Arc;

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn change(id: &str, state: Option<State>) -> JobChange {
    JobChange { id: JobId::new(id).expect("valid"), seq: Seq::new(1), revision: 1, state }
}

fn next(stream: &mut EventStream) -> Option<Hint> {
    stream.next().now_or_never().flatten()
}

#[test]
fn waking_coalesces_and_never_blocks() {
    let hub = Arc::new(Hub::default());
    let mut stream = hub.subscribe(&queue(), Interest::Wake);
    (0..5000).for_each(|_| hub.wake(&queue()));
    assert_eq!(next(&mut stream), Some(Hint::Wake));
    assert_eq!(next(&mut stream), None);
}

#[test]
fn an_id_hears_of_its_end_alone_and_all_hears_everything() {
    let hub = Arc::new(Hub::default());
    let mut of_a = hub.subscribe(&queue(), Interest::Jobs(vec![JobId::from_static("a")]));
    let mut all = hub.subscribe(&queue(), Interest::All);
    hub.changed(&queue(), &change("a", Some(State::Processing)));
    hub.changed(&queue(), &change("b", Some(State::Completed)));
    hub.changed(&queue(), &change("a", None));
    assert_eq!(next(&mut of_a), Some(Hint::Job(change("a", None))));
    assert_eq!(next(&mut of_a), None);
    assert_eq!((0..4).filter_map(|_| next(&mut all)).count(), 3);
}

#[test]
fn a_result_reaches_the_subscribers_of_its_id_and_others_get_the_change_alone() {
    let hub = Arc::new(Hub::default());
    let [mut first, mut second] =
        [(); 2].map(|()| hub.subscribe(&queue(), Interest::Jobs(vec![JobId::from_static("a")])));
    let mut of_b = hub.subscribe(&queue(), Interest::Jobs(vec![JobId::from_static("b")]));
    let mut all = hub.subscribe(&queue(), Interest::All);
    let result = Payload::new("1", ContentType::from_static("text/plain"));
    let job = CompletedJob { id: JobId::from_static("a"), seq: Seq::new(1), revision: 1, result };
    hub.completed(&queue(), &job);
    let hint = Some(Hint::Completed(Box::new(job.clone())));
    assert_eq!([&mut first, &mut second].map(next), [hint.clone(), hint]);
    let change = change("a", Some(State::Completed));
    assert_eq!([&mut of_b, &mut all].map(next), [None, Some(Hint::Job(change))]);
}

#[test]
fn a_slow_subscriber_learns_that_it_missed_some() {
    let hub = Arc::new(Hub::default());
    let mut all = hub.subscribe(&queue(), Interest::All);
    (0..=BACKLOG_MAX).for_each(|_| hub.changed(&queue(), &change("a", None)));
    assert_eq!(next(&mut all), Some(Hint::Missed));
}

#[test]
fn what_others_wrote_is_told_to_the_subscribers_of_that_queue_alone() {
    let hub = Arc::new(Hub::default());
    let of_a = Interest::Jobs(vec![JobId::from_static("a")]);
    let [mut wake, mut job, mut all] =
        [Interest::Wake, of_a.clone(), Interest::All].map(|interest| hub.subscribe(&queue(), interest));
    let mut other = hub.subscribe(&QueueName::from_static("other"), of_a);
    let mut idle = hub.subscribe(&QueueName::from_static("other"), Interest::Wake);
    for (news, woken) in [(News::Changed, None), (News::Wakes, Some(Hint::Wake))] {
        assert!(hub.tell(&queue(), news));
        assert!(!hub.tell(&QueueName::from_static("unheard"), news));
        assert_eq!([&mut wake, &mut other, &mut idle].map(next), [woken, None, None]);
        assert_eq!([&mut job, &mut all].map(next), [Some(Hint::Missed), Some(Hint::Missed)]);
    }
}

#[test]
fn dropping_a_stream_leaves_nothing_behind() {
    let hub = Arc::new(Hub::default());
    let streams = [Interest::Wake, Interest::All, Interest::Jobs(vec![JobId::from_static("a")])]
        .map(|interest| hub.subscribe(&queue(), interest));
    assert!(hub.has_subscribers());
    drop(streams);
    assert!(!hub.has_subscribers());
}

#[test]
fn closing_ends_streams_now_and_later() {
    let hub = Arc::new(Hub::default());
    let mut before = hub.subscribe(&queue(), Interest::Wake);
    hub.close();
    assert_eq!(before.next().now_or_never(), Some(None));
    assert_eq!(hub.subscribe(&queue(), Interest::All).next().now_or_never(), Some(None));
}
