//! For the tests of applications: a queue whose time stands still, a look at what was enqueued, handlers run inline, and
//! job metadata out of thin air.
//!
//! ```
//! use queue::testing::TestQueue;
//! use queue::worker::{Context, JobError, Router};
//! use queue::{JobOptions, Queue};
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
//!
//! let handler = || Router::new(()).handle("default", |_: String, _: Context| async { Ok::<_, JobError>(()) });
//! assert_eq!(emails.run_due(handler()?).await.completed, 1);
//! emails.advance(Duration::from_secs(86_400));
//! assert_eq!(emails.run_due(handler()?).await.completed, 1);
//! # Ok(()) }
//! ```

mod factories;
mod test_queue;

pub use factories::{job_meta, job_record};
pub use test_queue::TestQueue;
