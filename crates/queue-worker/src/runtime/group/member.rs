//! A long-running part of a program.

use async_trait::async_trait;
use std::fmt;
use tokio_util::sync::CancellationToken;

/// Any error of a member.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A long-running part of a program. [`PacedLoop`](crate::runtime::PacedLoop) and
/// [`Worker`](crate::Worker) are members; [`member_fn`] makes one of a closure.
#[async_trait]
pub trait Member: Send + 'static {
    /// Runs until `stop` fires, or until there is nothing left to do. An error stops the whole
    /// group. The future is dropped at its next await once the group's stop deadline has passed.
    async fn run(self: Box<Self>, stop: CancellationToken) -> Result<(), BoxError>;
}

/// A closure as a [`Member`]; made by [`member_fn`].
#[derive(Clone, Copy)]
pub struct MemberFn<F>(F);

/// Makes a member of a function of its stop token.
pub fn member_fn<F, Fut>(function: F) -> MemberFn<F>
where
    F: FnOnce(CancellationToken) -> Fut,
{
    MemberFn(function)
}

#[async_trait]
impl<F, Fut, E> Member for MemberFn<F>
where
    F: FnOnce(CancellationToken) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<BoxError>,
{
    async fn run(self: Box<Self>, stop: CancellationToken) -> Result<(), BoxError> {
        (self.0)(stop).await.map_err(Into::into)
    }
}

impl<F> fmt::Debug for MemberFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemberFn(..)")
    }
}
