//! The answers to callers when the store refuses or fails.

use crate::coalesced::{
    recorder::{Call, Script},
    setup::{busy, coalesced, enqueue, job, join, release},
};
use queue_core::{Certainty, Error, ErrorKind, Limits, QueueName};

#[tokio::test]
async fn a_refused_batch_is_sent_call_by_call_so_that_the_guilty_one_fails_alone() {
    let (recorder, store) = coalesced(Limits::default());
    let first = busy(&recorder, &store).await;
    recorder.script(Script { refused_id: Some("bad"), ..Script::default() });
    let mut waiting = Vec::new();
    for id in ["a", "bad", "c"] {
        let mut call = enqueue(&store, "q", &[id]);
        join(&mut call).await;
        waiting.push(call);
    }
    recorder.open();
    first.await.unwrap();
    let mut answers = Vec::new();
    for call in waiting {
        answers.push(call.await.map_err(|error| error.kind()).map(drop));
    }
    assert_eq!(answers, [Ok(()), Err(ErrorKind::Invalid), Ok(())]);
    let sent = |ids: &[&str]| Call::Enqueue("q".into(), ids.iter().map(ToString::to_string).collect());
    let expected = [sent(&["a", "bad", "c"]), sent(&["a"]), sent(&["bad"]), sent(&["c"])];
    assert_eq!(recorder.calls()[1..], expected);
}

#[tokio::test]
async fn an_error_reaches_every_caller_with_its_certainty_and_is_not_sent_again() {
    for error in [
        Error::new(ErrorKind::Unavailable, "enqueue", "the connection broke").unknown(),
        Error::new(ErrorKind::Unavailable, "enqueue", "no connection"),
    ] {
        let (recorder, store) = coalesced(Limits::default());
        let first = busy(&recorder, &store).await;
        recorder.script(Script { error: Some(error.clone()), ..Script::default() });
        let (mut one, mut other) = (enqueue(&store, "q", &["a"]), enqueue(&store, "q", &["b"]));
        join(&mut one).await;
        join(&mut other).await;
        recorder.open();
        first.await.unwrap();
        for call in [one, other] {
            let heard = call.await.unwrap_err();
            assert_eq!((heard.kind(), heard.certainty()), (error.kind(), error.certainty()));
        }
        assert_eq!(recorder.calls().len(), 2);
    }
}

#[tokio::test]
async fn a_store_that_answers_too_little_leaves_those_callers_in_doubt_and_no_others() {
    let (recorder, store) = coalesced(Limits::default());
    let first = busy(&recorder, &store).await;
    recorder.script(Script { answers_missing: 1, ..Script::default() });
    let (mut answered, mut doubtful) = (enqueue(&store, "q", &["a"]), enqueue(&store, "q", &["b"]));
    join(&mut answered).await;
    join(&mut doubtful).await;
    recorder.open();
    first.await.unwrap();
    assert!(answered.await.is_ok());
    let error = doubtful.await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Internal, Certainty::Unknown));
}

#[tokio::test]
async fn input_over_the_limits_is_refused_before_it_joins_a_batch() {
    let limits = Limits { payload_bytes_max: 3, batch_max: 2, ..Limits::default() };
    let (recorder, store) = coalesced(limits);
    recorder.open();
    let queue = QueueName::from_static("q");
    let mut large = job("large");
    large.payload.bytes = "four".into();
    let refused = [
        store.enqueue(&queue, vec![vec![large]]).await.map(drop),
        store.enqueue(&queue, vec![vec![job("a")], vec![job("b"), job("c")]]).await.map(drop),
        store.apply(vec![release("a"), release("b"), release("c")]).await.map(drop),
    ];
    for answer in refused {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(recorder.calls(), []);
}
