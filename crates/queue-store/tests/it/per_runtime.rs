//! What a handle has on each runtime, and what happens to it when a runtime ends.

use queue_store::{PerRuntime, RuntimePart};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot::{self, error::TryRecvError},
};

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

/// As many as a program has tests, each with a runtime of its own.
#[test]
fn the_part_of_a_runtime_that_ended_is_ended_once_and_dropped() {
    let parts = PerRuntime::<Part>::default();
    let lives = runtime();
    let kept = lives.block_on(async { parts.here(Part::default) });
    for _ in 0..1_000 {
        let ends = runtime();
        let part = ends.block_on(async { parts.here(Part::default) });
        drop(ends);
        assert_eq!((part.ends.load(SeqCst), Arc::strong_count(&part)), (1, 1));
    }
    assert_eq!((parts.all().len(), kept.ends.load(SeqCst)), (1, 0));
}

/// A call that found the handle open may come to it after it was closed.
#[test]
fn a_part_that_is_made_after_close_has_ended_and_is_not_kept() {
    let parts = PerRuntime::<Part>::default();
    let runtime = runtime();
    runtime.block_on(async {
        let before = parts.here(Part::default);
        assert_eq!(parts.close().len(), 1);
        let after = parts.here(Part::default);
        assert_eq!((before.ends.load(SeqCst), after.ends.load(SeqCst)), (0, 1));
        assert_eq!((parts.all().len(), Arc::strong_count(&after)), (0, 1));
    });
}

/// The first runtime is kept and not driven, so a task of it never ends.
#[test]
fn the_close_of_tasks_waits_for_those_of_its_own_runtime_alone() {
    let parts = PerRuntime::<Part>::default();
    let (stands, runs) = (runtime(), runtime());
    let begin = |runtime: &Runtime| {
        runtime.block_on(async { parts.here(Part::default) });
        let (alive, dropped) = oneshot::channel::<()>();
        let task = runtime.spawn(async move {
            let _alive = alive;
            std::future::pending::<()>().await;
        });
        task.abort();
        (task, dropped)
    };
    let ((first, mut first_dropped), (second, mut second_dropped)) = (begin(&stands), begin(&runs));
    let tasks = Mutex::new(VecDeque::from([first, second]));
    runs.block_on(parts.close_tasks(|_| tasks.lock().expect("no test panics here").pop_front()));
    assert_eq!(second_dropped.try_recv(), Err(TryRecvError::Closed), "the caller's own task has ended");
    assert_eq!(first_dropped.try_recv(), Err(TryRecvError::Empty), "its runtime does not run");
    assert!(parts.all().is_empty());
}

/// A waker may run code of others.
#[test]
fn a_part_may_come_back_while_it_ends() {
    #[derive(Default)]
    struct ComesBack(Arc<OnceLock<Arc<PerRuntime<ComesBack>>>>);

    impl RuntimePart for ComesBack {
        fn end(&self) {
            assert!(self.0.get().expect("it is set").all().is_empty());
        }
    }

    let parts = Arc::new(PerRuntime::<ComesBack>::default());
    let ends = runtime();
    let part = ends.block_on(async { parts.here(ComesBack::default) });
    assert!(part.0.set(parts.clone()).is_ok());
    drop(ends);
    assert_eq!(Arc::strong_count(&part), 1);
}
