//! Settings are checked once, when something is built.

use crate::{
    processor::{Builder, fine, processor},
    support::{Inbox, secs},
};
use queue_core::{ErrorKind, SeededRng};
use queue_worker::runtime::{Handler, Pace, PacedLoop, PacedLoopBuilder, PacedTick, handler_fn, tick_fn};
use std::{sync::Arc, time::Duration};

#[tokio::test]
async fn senseless_settings_of_a_processor_are_refused() {
    fn check<H: Handler<u32, Output = String, Error = &'static str>>(
        what: &str,
        builder: Builder<H>,
        is_sensible: Sensible,
    ) {
        match (is_sensible, builder.build()) {
            (Sensible::No, built) => assert_eq!(built.expect_err(what).kind(), ErrorKind::Invalid, "{what}"),
            (Sensible::Yes, built) => drop(built.expect(what)),
        }
    }
    let inbox = Inbox::with([]);
    let it = || processor(&inbox, handler_fn(fine));
    check("no handler", it().concurrency(0), Sensible::No);
    check("no batch", it().batch_size(0), Sensible::No);
    check("idle handlers", it().concurrency(8).batch_size(7), Sensible::No);
    check("too many", it().concurrency(100_001), Sensible::No);
    check("too many in a batch", it().batch_size(usize::MAX), Sensible::No);
    check("no time to handle", it().handle_budget(Duration::ZERO), Sensible::No);
    check("no time to mark", it().mark_budget(Duration::ZERO), Sensible::No);
    check("one of each", it().concurrency(1).batch_size(1), Sensible::Yes);
    check("as many as possible", it().concurrency(100_000), Sensible::Yes);
    check("endless", it().handle_budget(Duration::MAX).mark_budget(Duration::MAX), Sensible::Yes);
}

#[derive(Clone, Copy)]
enum Sensible {
    Yes,
    No,
}

#[test]
fn senseless_settings_of_a_loop_are_refused() {
    fn check<P: PacedTick>(what: &str, builder: PacedLoopBuilder<P>, is_sensible: Sensible) {
        match (is_sensible, builder.build()) {
            (Sensible::No, built) => assert_eq!(built.expect_err(what).kind(), ErrorKind::Invalid, "{what}"),
            (Sensible::Yes, built) => drop(built.expect(what)),
        }
    }
    let it = || PacedLoop::builder(tick_fn(|_| std::future::ready(Ok::<_, &'static str>(Pace::Idle))));
    let rng = Arc::new(SeededRng::new(1));
    check("a spinning loop", it().interval(Duration::ZERO), Sensible::No);
    check("a cap below the interval", it().interval(secs(2)).max_idle_interval(secs(1)), Sensible::No);
    check("no time to tick", it().tick_timeout(Duration::ZERO), Sensible::No);
    check("too much jitter", it().jitter(1.1, rng.clone()), Sensible::No);
    check("negative jitter", it().jitter(-0.1, rng.clone()), Sensible::No);
    check("jitter that is no number", it().jitter(f64::NAN, rng.clone()), Sensible::No);
    check("all jitter", it().jitter(1.0, rng), Sensible::Yes);
    check("endless waits", it().interval(Duration::MAX).busy_interval(Duration::MAX), Sensible::Yes);
}
