//! A handle whose first runtime ended.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use futures_util::{FutureExt, StreamExt};
use queue_core::{Changed, Hint, Interest, Span, Storage, lifecycle::Event};
use tokio::runtime::Runtime;

#[test]
fn a_handle_goes_on_where_it_is_called_when_its_first_runtime_ended() {
    let (first, second) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let Some(place) = first.block_on(Place::new()) else { return };
    let (store, mut hints) = first.block_on(async {
        let store = place.open().await;
        let hints = store.subscribe(&queue(), Interest::Wake).await.unwrap();
        enqueue(&store, vec![job("a")]).await;
        let held = claim(&store, 1).await.jobs.pop().unwrap();
        settle(&store, &held.record.meta, complete(held.token)).await;
        (store, hints)
    });
    drop(first);
    second.block_on(async {
        enqueue(&store, vec![job("b")]).await;
        let held = claim(&store, 1).await.jobs.pop().expect("it is due");
        let beat = Event::Extend { token: held.token, by: Span::from_secs(60), progress: None };
        assert!(matches!(settle(&store, &held.record.meta, beat).await, Changed::Done(_)));
        assert!(matches!(settle(&store, &held.record.meta, complete(held.token)).await, Changed::Done(_)));
        // The next subscriber makes the store listen again, for the earlier ones too, who are told
        // to read again.
        let _more = store.subscribe(&queue(), Interest::Wake).await.unwrap();
        assert!(hints.next().now_or_never().is_some());
        while hints.next().now_or_never().is_some() {}
        let other = place.open().await;
        enqueue(&other, vec![job("c")]).await;
        assert_eq!(hints.next().await, Some(Hint::Wake));
        other.close().await.unwrap();
        assert_sound(&store).await;
        store.close().await.unwrap();
        place.remove().await;
    });
}
