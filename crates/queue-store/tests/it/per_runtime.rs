//! What a handle has on each runtime, and what becomes of it when a runtime ends.

use queue_store::{PerRuntime, RuntimePart};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};
use tokio::runtime::{Builder, Runtime};

#[derive(Clone, Default)]
struct Part {
    ends: Arc<AtomicUsize>,
}

impl RuntimePart for Part {
    fn end(&self) {
        self.ends.fetch_add(1, SeqCst);
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("it starts")
}

#[test]
fn each_runtime_has_a_part_of_its_own_and_keeps_it() {
    let parts = PerRuntime::<Part>::default();
    let (first, second) = (runtime(), runtime());
    let here = |runtime: &Runtime| runtime.block_on(async { parts.here(Part::default) });
    let (of_first, of_second) = (here(&first), here(&second));
    assert!(!Arc::ptr_eq(&of_first, &of_second));
    assert!(Arc::ptr_eq(&of_first, &here(&first)));
    assert!(!Arc::ptr_eq(&of_first, &parts.here(Part::default)), "outside of any there is another");
    assert_eq!(parts.all().len(), 3);
}

#[test]
fn the_part_of_a_runtime_that_ended_is_ended_once_and_dropped() {
    let parts = PerRuntime::<Part>::default();
    let lives = runtime();
    let kept = lives.block_on(async { parts.here(Part::default) });
    for _ in 0..3 {
        let ends = runtime();
        let part = ends.block_on(async { parts.here(Part::default) });
        drop(ends);
        assert_eq!((part.ends.load(SeqCst), Arc::strong_count(&part)), (1, 1));
    }
    assert_eq!((parts.all().len(), kept.ends.load(SeqCst)), (1, 0));
}

#[test]
fn a_part_that_is_made_after_all_were_taken_stays() {
    let parts = PerRuntime::<Part>::default();
    let runtime = runtime();
    runtime.block_on(async {
        parts.here(Part::default);
        assert_eq!(parts.take_all().len(), 1);
        let next = parts.here(Part::default);
        for _ in 0..9 {
            tokio::task::yield_now().await;
        }
        assert!(Arc::ptr_eq(&next, &parts.here(Part::default)));
        assert_eq!(next.ends.load(SeqCst), 0);
    });
}
