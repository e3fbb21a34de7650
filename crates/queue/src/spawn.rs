//! The one place that starts tasks.

use std::future::Future;

/// Runs a future to its end, even if the caller is dropped. Only for work that ends by itself.
///
/// # Panics
/// Outside a tokio runtime.
#[expect(clippy::disallowed_methods, reason = "the one place of this crate that spawns")]
pub(crate) fn owned(task: impl Future<Output = ()> + Send + 'static) {
    drop(tokio::spawn(task));
}
