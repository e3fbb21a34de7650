use queue_core::{FailedJob, InvalidName, JobKind, Kind};

/// What can name the kind of a job that [follows a failure](crate::JobOptions::on_failure): a
/// [`JobKind`] that takes a [`FailedJob`], a [`Kind`], text, or `None` for no such job.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the kind of a job that follows a failure",
    note = "give a `JobKind<FailedJob, _>`, a `Kind`, text, or `None`"
)]
pub trait FollowUpKind {
    /// The kind, if there is to be such a job.
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
