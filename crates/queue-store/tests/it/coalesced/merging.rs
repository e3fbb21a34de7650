//! What reaches the store.

use crate::coalesced::{
    recorder::Call,
    setup::{Pending, busy, coalesced, enqueue, join},
};
use queue_core::{ContentType, Detail, Enqueued, JobId, Kind, Limits, NewJob, Payload, QueueName, Seq};

fn call(queue: &str, ids: &[&str]) -> Call {
    Call::Enqueue(queue.to_owned(), ids.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn concurrent_enqueues_reach_the_store_as_one_batch_and_each_hears_its_own_answer() {
    let (recorder, store) = coalesced(Limits::default());
    let first = busy(&recorder, &store).await;
    let ids: Vec<String> = (1..=64).map(|n| format!("job-{n}")).collect();
    let mut waiting = Vec::new();
    for id in &ids {
        let mut call = enqueue(&store, "q", &[id]);
        join(&mut call).await;
        waiting.push(call);
    }
    recorder.open();
    first.await.unwrap();
    for (n, call) in (1..).zip(waiting) {
        assert_eq!(call.await.unwrap().value, [[Enqueued::Queued { seq: Seq::new(n) }]]);
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(recorder.calls(), [call("q", &["first"]), call("q", &ids)]);
}

#[tokio::test]
async fn a_single_call_goes_out_at_once() {
    let (recorder, store) = coalesced(Limits::default());
    recorder.open();
    enqueue(&store, "q", &["a"]).await.unwrap();
    assert_eq!(recorder.calls(), [call("q", &["a"])]);
}

#[tokio::test]
async fn concurrent_reads_of_one_job_each_reach_the_store_together_and_one_of_several_goes_by_itself() {
    let (recorder, store) = coalesced(Limits::default());
    recorder.open();
    let queue = QueueName::from_static("q");
    let ids = ["a", "b", "c", "d"].map(JobId::from_static);
    let read = |ids| store.get(&queue, ids, Detail::Meta);
    let (one, two, several) = tokio::join!(read(&ids[..1]), read(&ids[1..2]), read(&ids[2..]));
    assert_eq!([one, two, several].map(|read| read.unwrap().value.len()), [1, 1, 2]);
    let get = |ids: &[&str]| Call::Get(ids.iter().map(ToString::to_string).collect());
    let sent = recorder.calls();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent.contains(&get(&["a", "b"])) && sent.contains(&get(&["c", "d"])), "{sent:?}");
}

#[tokio::test]
async fn a_caller_that_leaves_harms_nobody_and_what_was_not_sent_is_not_sent() {
    let (recorder, store) = coalesced(Limits::default());
    let first = busy(&recorder, &store).await;
    let (mut leaver, mut stayer) = (enqueue(&store, "q", &["job-1"]), enqueue(&store, "q", &["job-2"]));
    join(&mut leaver).await;
    join(&mut stayer).await;
    drop((first, leaver));
    recorder.open();
    assert_eq!(stayer.await.unwrap().value, [[Enqueued::Queued { seq: Seq::new(2) }]]);
    assert_eq!(recorder.calls(), [call("q", &["first"]), call("q", &["job-2"])]);
}

#[tokio::test]
async fn a_batch_is_cut_where_the_next_call_would_not_fit_and_a_group_is_never_cut() {
    let (recorder, store) = coalesced(Limits { batch_max: 4, ..Limits::default() });
    let first = busy(&recorder, &store).await;
    let mut waiting = Vec::new();
    for ids in [&["a", "b", "c"][..], &["d"], &["e", "f"], &["g", "h", "i", "j"]] {
        let mut call = enqueue(&store, "q", ids);
        join(&mut call).await;
        waiting.push(call);
    }
    recorder.open();
    first.await.unwrap();
    for call in waiting {
        call.await.unwrap();
    }
    let batches = [&["a", "b", "c", "d"][..], &["e", "f"], &["g", "h", "i", "j"]].map(|ids| call("q", ids));
    assert_eq!(recorder.calls()[1..], batches);
}

#[tokio::test]
async fn queues_do_not_merge_and_each_keeps_the_order_of_its_calls() {
    let (recorder, store) = coalesced(Limits { batch_max: 2, ..Limits::default() });
    let first = busy(&recorder, &store).await;
    let mut waiting = Vec::new();
    for (queue, id) in [("y", "1"), ("x", "2"), ("y", "3"), ("y", "4"), ("x", "5"), ("x", "6"), ("y", "7")] {
        let mut call = enqueue(&store, queue, &[id]);
        join(&mut call).await;
        waiting.push(call);
    }
    recorder.open();
    first.await.unwrap();
    for call in waiting {
        call.await.unwrap();
    }
    for (queue, batches) in
        [("x", &[["2"].as_slice(), &["5", "6"]][..]), ("y", &[["1"].as_slice(), &["3", "4"], &["7"]][..])]
    {
        let sent =
            recorder.calls().into_iter().filter(|call| matches!(call, Call::Enqueue(to, _) if to == queue));
        let batches: Vec<_> = batches.iter().map(|ids| call(queue, ids)).collect();
        assert_eq!(sent.collect::<Vec<_>>(), batches);
    }
}

#[tokio::test]
async fn large_calls_of_several_callers_travel_apart() {
    let (recorder, store) = coalesced(Limits { payload_bytes_max: 9 << 20, ..Limits::default() });
    let first = busy(&recorder, &store).await;
    let payload = Payload::new(vec![0; 9 << 20], ContentType::from_static("x"));
    let queue = QueueName::from_static("q");
    let large = |id| NewJob::new(JobId::from_static(id), Kind::unnamed(), payload.clone());
    let mut waiting: Vec<_> = ["a", "b", "c"]
        .map(|id| Box::pin(store.enqueue(&queue, vec![vec![large(id)]])) as Pending<'_, _>)
        .into();
    for call in &mut waiting {
        join(call).await;
    }
    recorder.open();
    first.await.unwrap();
    for call in waiting {
        call.await.unwrap();
    }
    assert_eq!(recorder.calls()[1..], ["a", "b", "c"].map(|id| call("q", &[id])));
}
