//! A kind of job as a constant that fixes the types of its payload and result.

use super::{Kind, invalid_name, is_reserved};
use std::{fmt, marker::PhantomData};

/// A kind of job with the types of its payload `P` and its result `R`. The code that enqueues and
/// the code that handles use the same constant, so that they cannot disagree on any of the three.
///
/// ```
/// use queue_core::JobKind;
///
/// const RESIZE: JobKind<(u32, u32), String> = JobKind::new("resize");
/// assert_eq!(RESIZE.name(), "resize");
/// ```
///
/// An invalid name is refused when the program is compiled:
///
/// ```compile_fail,E0080
/// # use queue_core::JobKind;
/// const NAMELESS: JobKind<(u32, u32), String> = JobKind::new("");
/// # let _ = NAMELESS;
/// ```
pub struct JobKind<P, R = ()> {
    name: &'static str,
    types: PhantomData<fn(P) -> R>,
}

/// A name of a kind whose payload is `P` and whose result is `R`. It is a [`JobKind`], which fixes
/// both types, or text, which fits any types, for jobs of producers in other languages and for
/// kinds that are known only when the program runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no kind of jobs with the payload `{P}` and the result `{R}`",
    note = "the handler has to take and return what its `JobKind` says"
)]
pub trait NamesKind<P, R>: AsRef<str> {}

impl<P, R> JobKind<P, R> {
    /// The kind of jobs whose producer gives none: `default`.
    pub const UNNAMED: Self = Self::new("default");

    /// A kind of this name: 1 to 255 bytes without control characters.
    ///
    /// # Panics
    /// If the name is invalid, or begins with `queue.`, which is [reserved](Kind::is_reserved). In
    /// a constant this is an error of compilation.
    pub const fn new(name: &'static str) -> Self {
        assert!(!is_reserved(name), "kinds that begin with `queue.` are reserved");
        assert!(invalid_name::is_valid(name), "a kind has 1 to 255 bytes without control characters");
        Self { name, types: PhantomData }
    }

    /// The name that is stored with jobs of this kind.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl<P, R> Clone for JobKind<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for JobKind<P, R> {}

impl<P, R> fmt::Debug for JobKind<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JobKind").field(&self.name).finish()
    }
}

impl<P, R> From<JobKind<P, R>> for Kind {
    fn from(kind: JobKind<P, R>) -> Self {
        Self::from_static(kind.name)
    }
}

impl<P, R> AsRef<str> for JobKind<P, R> {
    fn as_ref(&self) -> &str {
        self.name
    }
}

impl<P, R> NamesKind<P, R> for JobKind<P, R> {}
impl<P, R> NamesKind<P, R> for Kind {}
impl<P, R> NamesKind<P, R> for str {}
impl<P, R> NamesKind<P, R> for String {}
impl<P, R, K: NamesKind<P, R> + ?Sized> NamesKind<P, R> for &K {}

#[cfg(test)]
mod tests {
    use super::JobKind;

    #[test]
    #[should_panic(expected = "reserved")]
    fn a_kind_of_the_library_s_own_cannot_be_made() {
        let _kind: JobKind<(), ()> = JobKind::new("queue.schedule");
    }
}
