//! The values that can name the kind of a callback.

use super::BatchEnd;
use queue_core::{InvalidName, JobKind, Kind};

/// A value that can name the kind of a callback that gets a `P`: a [`JobKind`] whose payload is a
/// [`BatchEnd<P>`](BatchEnd), a [`Kind`], or text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the kind of a callback that gets a `{P}`",
    note = "give a `JobKind<BatchEnd<{P}>, _>`, a `Kind`, or text"
)]
pub trait CallbackKind<P> {
    /// The kind.
    ///
    /// # Errors
    /// For text that is not 1 to 255 bytes without control characters.
    fn callback_kind(self) -> Result<Kind, InvalidName>;
}

impl<P, R> CallbackKind<P> for JobKind<BatchEnd<P>, R> {
    fn callback_kind(self) -> Result<Kind, InvalidName> {
        Ok(self.into())
    }
}

impl<P> CallbackKind<P> for Kind {
    fn callback_kind(self) -> Result<Kind, InvalidName> {
        Ok(self)
    }
}

impl<P> CallbackKind<P> for &str {
    fn callback_kind(self) -> Result<Kind, InvalidName> {
        Kind::new(self)
    }
}

impl<P> CallbackKind<P> for String {
    fn callback_kind(self) -> Result<Kind, InvalidName> {
        Kind::new(self)
    }
}
