//! A group of members, and its run.

use super::{GroupError, Member, running_group::RunningGroup};
use std::{fmt, time::Duration};
use tokio_util::sync::CancellationToken;

/// Runs members together, and stops them in reverse order of adding: add what others rest on first.
///
/// ```
/// use queue_worker::runtime::{Group, GroupError, member_fn};
/// use tokio_util::sync::CancellationToken;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let group = Group::new()
///     .add("server", member_fn(|stop| async move { Ok::<_, std::io::Error>(stop.cancelled().await) }))
///     .add("warm-up", member_fn(|_| async { Ok::<_, std::io::Error>(()) }))
///     .add("disk check", member_fn(|_| async { Err(std::io::Error::other("disk on fire")) }));
/// let error = group.run(CancellationToken::new()).await.expect_err("one fails, which stops all");
/// assert_eq!(error.to_string(), "disk check failed: disk on fire");
/// # }
/// ```
#[must_use = "a group does nothing until it runs"]
pub struct Group {
    members: Vec<(String, Box<dyn Member>)>,
    stop_deadline: Duration,
}

/// The default stop deadline: somewhat more than a worker with default settings takes to drain.
const STOP_DEADLINE: Duration = Duration::from_secs(45);

impl Group {
    /// A group without members.
    pub fn new() -> Self {
        Self { members: Vec::new(), stop_deadline: STOP_DEADLINE }
    }

    /// Adds a member. The name is for errors and logs.
    pub fn add(mut self, name: impl Into<String>, member: impl Member) -> Self {
        self.members.push((name.into(), Box::new(member)));
        self
    }

    /// How long all members together may take to end after a stop. Default 45 s.
    pub fn stop_deadline(mut self, deadline: Duration) -> Self {
        self.stop_deadline = deadline;
        self
    }

    /// Runs until `stop` fires, a member fails, or all have ended.
    ///
    /// A member that ends without an error leaves the rest running. A stop goes from the last
    /// member to the first: each gets its stop once the members after it have ended. When the
    /// deadline, which all share, has passed, the members that are left get their stop and are
    /// dropped at their next await. A member that keeps its thread busy cannot be dropped; it is
    /// waited for one second more.
    ///
    /// Dropping the future drops all members.
    ///
    /// # Errors
    /// The first error or panic of a member, the stop included, or else the members that were
    /// overdue. Later errors are logged.
    pub async fn run(self, stop: CancellationToken) -> Result<(), GroupError> {
        let mut running = RunningGroup::start(self.members);
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = running.until_error_or_end() => {}
        }
        running.stop(self.stop_deadline).await;
        running.into_result()
    }
}

impl Default for Group {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.members.iter().map(|(name, _)| name).collect();
        f.debug_struct("Group").field("members", &names).field("stop_deadline", &self.stop_deadline).finish()
    }
}
