//! Turns panics into messages, so that none ends a loop.

use futures_util::FutureExt;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Awaits a future. Its panic, or that of its drop, becomes a message.
#[expect(clippy::redundant_async_block, reason = "the block drops the future within the guard")]
pub(crate) async fn caught<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let guarded = AssertUnwindSafe(async move { work.await });
    guarded.catch_unwind().await.map_err(|panic| message(&*panic))
}

/// Calls a function of the program's own that must not take the caller with it.
pub(crate) fn guarded<T>(what: &'static str, call: impl FnOnce() -> T) -> Option<T> {
    let called = catch_unwind(AssertUnwindSafe(call));
    called.map_err(|panic| tracing::error!(what, message = message(&*panic), "a callback panicked")).ok()
}

pub(super) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
