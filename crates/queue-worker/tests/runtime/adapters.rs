//! The traits behind pointers and closures.

use crate::support::Inbox;
use queue_worker::runtime::{
    Handler, ItemError, Pace, PacedTick, Processor, Sink, Source, handler_fn, tick_fn,
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_closure_is_a_handler_and_a_shared_handler_is_one_too() {
    let add = 2;
    let handler = Arc::new(handler_fn(move |n: u32| async move { Ok::<_, ()>(n + add) }));
    assert_eq!(handler.handle(3).await, Ok(5));
    let erased: Arc<dyn Handler<u32, Output = u32, Error = ()>> = handler;
    assert_eq!(erased.handle(4).await, Ok(6));
}

#[tokio::test]
async fn sources_and_sinks_may_be_chosen_at_run_time() {
    type AnySink = dyn Sink<u32, Output = String, Failure = &'static str, Error = &'static str>;
    let inbox = Inbox::with([1]);
    let source: Arc<dyn Source<u32, Error = &'static str>> = inbox.clone();
    let sink: Arc<AnySink> = inbox.clone();
    let handler = handler_fn(|_| async { Ok("fine".to_owned()) });
    let processor = Processor::builder(source, handler, sink).build().unwrap();
    assert_eq!(processor.tick(&CancellationToken::new()).await.unwrap().succeeded, 1);
    assert_eq!(inbox.log.lines(), ["done 1 fine"]);
}

#[tokio::test]
async fn a_shared_tick_is_a_tick() {
    let tick = Arc::new(tick_fn(|_| std::future::ready(Ok::<_, &'static str>(Pace::Busy))));
    assert_eq!(PacedTick::tick(&tick, &CancellationToken::new()).await, Ok(Pace::Busy));
}

#[test]
fn what_went_wrong_with_an_item_reads_well() {
    let all = [
        ItemError::Failed("boom"),
        ItemError::Panicked("boom".to_owned()),
        ItemError::TimedOut(Duration::from_secs(2)),
    ];
    let texts = all.map(|error| error.to_string());
    assert_eq!(texts, ["boom", "the handler panicked: boom", "the handler took longer than 2s"]);
}
