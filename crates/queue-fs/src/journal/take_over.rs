//! Going on in a copy of the last segment after a store has lost its lock file.

use super::{Journal, Mark, files::read};
use crate::{error::FsFault, format::segment_name, sys::Open};

/// The name of the copy until it is whole.
const COPY: &str = "journal.tmp";

impl Journal {
    /// Replaces the last segment by a copy, if this handle created a lock file for a store that had
    /// lost its own. Only under the lock, before anything is published.
    ///
    /// A program that had the store open when its lock file was moved away may still be about to
    /// write. It then writes to a file without a name, and not over records that other programs
    /// have written since.
    pub(super) fn take_over(&mut self, mark: Option<Mark>) -> Result<(), FsFault> {
        // A mark means that another process uses the store already, and may have the segment open.
        if !self.takes_over || mark.is_some() {
            return Ok(());
        }
        let segment = self.tail.segment;
        let file = self.files.segment(segment)?;
        let bytes = read(&*file, segment, 0, self.tail.offset)?;
        let copy = self.fs.open(COPY, Open::OrCreate).map_err(|error| FsFault::io(COPY, error))?;
        let written = copy.set_size(0).and_then(|()| copy.write_at(0, &bytes)).and_then(|()| copy.sync());
        written.map_err(|error| FsFault::io(COPY, error))?;
        let name = segment_name(segment);
        let renamed = self.fs.rename(COPY, &name).and_then(|()| self.fs.sync_names());
        renamed.map_err(|error| self.poison(FsFault::io(&name, error)))?;
        self.files.forget(segment);
        tracing::debug!(
            segment = name,
            "the store had lost its lock file; it goes on in a copy of its last segment"
        );
        Ok(())
    }
}
