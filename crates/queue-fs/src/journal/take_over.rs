use super::{Journal, Mark, files::read};
use crate::{error::Fault, format::segment_name, sys::Open};

/// Where the copy stands until it is whole.
const COPY: &str = "journal.tmp";

impl Journal {
    /// Goes on in a copy of the last segment, if this handle made a lock file for a store that had lost its own. Only under
    /// the lock, before anything is published.
    ///
    /// A program that had the store open when its lock file was moved away may be about to write, however long it is held
    /// up: then it writes to a file that has no name any more, and not over what others were told is stored.
    pub(super) fn take_over(&mut self, mark: Option<Mark>) -> Result<(), Fault> {
        // With a mark somebody else goes on already, and may have the segment open.
        if !self.takes_over || mark.is_some() {
            return Ok(());
        }
        let segment = self.tail.segment;
        let file = self.files.segment(segment)?;
        let bytes = read(&*file, segment, 0, self.tail.offset)?;
        let copy = self.fs.open(COPY, Open::OrCreate).map_err(|error| Fault::io(COPY, error))?;
        let written = copy.set_size(0).and_then(|()| copy.write_at(0, &bytes)).and_then(|()| copy.sync());
        written.map_err(|error| Fault::io(COPY, error))?;
        let name = segment_name(segment);
        let renamed = self.fs.rename(COPY, &name).and_then(|()| self.fs.sync_names());
        renamed.map_err(|error| self.poison(Fault::io(&name, error)))?;
        self.files.forget(segment);
        tracing::debug!(
            segment = name,
            "the store had lost its lock file; it goes on in a copy of its last segment"
        );
        Ok(())
    }
}
