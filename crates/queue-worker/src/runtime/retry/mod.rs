//! Trying again: [`Backoff`] says how long to wait, [`run`] does the trying.
//!
//! The waits come from [`RetryPolicy`](queue_core::RetryPolicy), whose cap no jitter passes.
//!
//! ```
//! use queue_core::RetryPolicy;
//! use std::time::Duration;
//! use queue_worker::runtime::retry::{self, Backoff, GiveUp, Retry};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let policy = RetryPolicy::exponential(Duration::from_millis(1)).cap(Duration::from_millis(5));
//! let patient = Retry::new(Backoff::new(policy).attempts_max(4)).is_terminal(|error| *error == "forbidden");
//!
//! let third = retry::run(&patient, |attempt| async move { if attempt < 3 { Err("busy") } else { Ok(attempt) } });
//! assert_eq!(third.await.ok(), Some(3));
//!
//! let refused = retry::run(&patient, |_| async { Err::<(), _>("forbidden") }).await.expect_err("never works");
//! assert_eq!((refused.reason, refused.attempts), (GiveUp::Terminal, 1));
//! # }
//! ```

mod backoff;
mod error;
mod options;
mod run;

pub use backoff::Backoff;
pub use error::{GiveUp, RetryError};
pub use options::{FailedTry, Retry};
pub use run::run;
