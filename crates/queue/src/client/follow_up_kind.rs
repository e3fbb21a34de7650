//! The values that can name the kind of a follow-up.

use queue_core::{FailedJob, InvalidName, JobKind, Kind};

/// A value that can name the kind of a job that [follows a failure](crate::JobOptions::on_failure):
/// a [`JobKind`] whose payload is a [`FailedJob`], a [`Kind`], text, or `None` for no such job.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the kind of a job that follows a failure",
    note = "give a `JobKind<FailedJob, _>`, a `Kind`, text, or `None`"
)]
pub trait FollowUpKind {
    /// The kind; `None` for no such job.
    ///
    /// # Errors
    /// For text that is not 1 to 255 bytes without control characters.
    fn follow_up_kind(self) -> Result<Option<Kind>, InvalidName>;
}

impl<R> FollowUpKind for JobKind<FailedJob, R> {
    fn follow_up_kind(self) -> Result<Option<Kind>, InvalidName> {
        Ok(Some(self.into()))
    }
}

impl FollowUpKind for Kind {
    fn follow_up_kind(self) -> Result<Option<Kind>, InvalidName> {
        Ok(Some(self))
    }
}

impl FollowUpKind for Option<Kind> {
    fn follow_up_kind(self) -> Result<Option<Kind>, InvalidName> {
        Ok(self)
    }
}

impl FollowUpKind for &str {
    fn follow_up_kind(self) -> Result<Option<Kind>, InvalidName> {
        Kind::new(self).map(Some)
    }
}

impl FollowUpKind for String {
    fn follow_up_kind(self) -> Result<Option<Kind>, InvalidName> {
        Kind::new(self).map(Some)
    }
}
