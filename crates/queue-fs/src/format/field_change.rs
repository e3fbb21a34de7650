//! What a change says of one field of a job: the same, gone, or a new value.

/// What a change did to an optional part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldChange<T> {
    Same,
    Gone,
    Now(T),
}

impl<T> FieldChange<T> {
    /// Calls `change` with the new value, unless the part is as it was.
    pub(crate) fn tell(self, change: impl FnOnce(Option<T>)) {
        match self {
            Self::Same => {}
            Self::Gone => change(None),
            Self::Now(now) => change(Some(now)),
        }
    }
}
