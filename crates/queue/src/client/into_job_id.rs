//! The values that can name a job.

use queue_core::{InvalidName, JobId};

/// A value that can name a job: text, an integer as its decimal digits, or a `Uuid` (feature
/// `uuid`) in its usual form with hyphens. The same value names the same job in every call, whether
/// it enqueues or reads.
///
#[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
/// use queue::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let invoices: Queue<String> = Queue::new(open("memory:").await?, "invoices")?;
/// let customer: u64 = 42;
/// invoices.enqueue(customer, "ada".to_owned()).await?;
/// assert!(invoices.status(customer).await?.is_some());
/// assert!(invoices.status("42").await?.is_some());
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a job",
    note = "give text, an integer, a `JobId` or, with the feature `uuid`, a `Uuid`"
)]
pub trait IntoJobId {
    /// The id.
    ///
    /// # Errors
    /// For text that is not 1 to 255 bytes without control characters.
    fn into_job_id(self) -> Result<JobId, InvalidName>;
}

impl IntoJobId for JobId {
    fn into_job_id(self) -> Result<JobId, InvalidName> {
        Ok(self)
    }
}

impl IntoJobId for &JobId {
    fn into_job_id(self) -> Result<JobId, InvalidName> {
        Ok(self.clone())
    }
}

macro_rules! text_names_jobs {
    ($($text:ty),*) => {$(
        impl IntoJobId for $text {
            fn into_job_id(self) -> Result<JobId, InvalidName> {
                JobId::new(self)
            }
        }
    )*};
}

macro_rules! numbers_name_jobs {
    ($($number:ty),*) => {$(
        impl IntoJobId for $number {
            fn into_job_id(self) -> Result<JobId, InvalidName> {
                JobId::new(self.to_string())
            }
        }
    )*};
}

text_names_jobs!(&str, &&str, String, &String, std::borrow::Cow<'_, str>);
numbers_name_jobs!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

#[cfg(feature = "uuid")]
numbers_name_jobs!(uuid::Uuid);
