//! Signals that programs under test heed, however the tests were started.

use std::{sync::Once, thread};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

static HEEDED: Once = Once::new();

/// Has programs that are started from here on find SIGHUP and SIGQUIT not ignored. Tests that run
/// under `nohup` inherit SIGHUP as ignored, and so would their children; a signal with a handler is
/// at its default again in a new program.
pub(crate) fn heed_signals() {
    // In a thread of its own, since the caller may be in a runtime.
    HEEDED.call_once(|| {
        let thread = thread::Builder::new().spawn(listen).expect("a thread");
        thread.join().expect("it listens");
    });
}

fn listen() {
    let runtime = Builder::new_current_thread().enable_io().build().expect("a runtime");
    let _inside = runtime.enter();
    for kind in [SignalKind::hangup(), SignalKind::quit()] {
        // The handler outlives the stream.
        drop(signal(kind).expect("a handler"));
    }
}
