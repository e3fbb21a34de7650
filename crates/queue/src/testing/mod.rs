//! Tools for the tests of applications: queues whose time stands still, assertions on enqueued
//! jobs, handlers that run inline or are called as functions, and made-up job metadata. Feature
//! `testing`.
//!
//! | to test | use |
//! |---|---|
//! | which jobs were enqueued | [`TestQueue::enqueued`], [`TestQueue::assert_enqueued`] |
//! | a handler alone, as a function | [`context`] |
//! | a handler as a worker runs it | [`TestQueue::run_due`], [`TestQueue::drain`] |
//! | a program whose jobs run inside the enqueue | [`TestQueue::inline`] |
//! | several queues together | [`TestStore`] |
//! | code that takes metadata | [`job_meta`], [`job_record`] |
//!
//! ```
//! use queue::{JobOptions, Queue, testing::TestQueue};
//! use std::time::Duration;
//!
//! /// The code under test.
//! async fn sign_up(emails: &Queue<String>, name: &str) -> queue::Result<()> {
//!     let tomorrow = JobOptions::new().delay(Duration::from_secs(86_400));
//!     emails.enqueue(format!("welcome-{name}"), format!("welcome, {name}")).await?;
//!     emails.enqueue_with(format!("tips-{name}"), format!("tips for {name}"), tomorrow).await?;
//!     Ok(())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
//! let emails: TestQueue<String> = TestQueue::new();
//! sign_up(&emails, "ada").await?;
//! emails.assert_enqueued(|text| text == "welcome, ada").await;
//! emails.enqueued().due_in(Duration::from_secs(86_400)).assert_one().await;
//!
//! let send = || emails.handler(|_, _| async { Ok(()) });
//! assert_eq!(emails.run_due(send()).await.completed, 1);
//! emails.advance(Duration::from_secs(86_400));
//! assert_eq!(emails.run_due(send()).await.completed, 1);
//! # Ok(()) }
//! ```

mod drain;
mod enqueued_jobs;
mod factories;
mod failure_text;
mod inline;
mod test_queue;
mod test_store;

pub use enqueued_jobs::{EnqueuedJobs, TestJob};
pub use factories::{job_meta, job_record};
pub use queue_worker::testing::{ContextBuilder, TestContext, context};
pub use test_queue::TestQueue;
pub use test_store::TestStore;
