use super::{Journal, Mark, Position};
use crate::{
    error::Fault,
    format::{Salt, find_next, segment_name},
    sys::FsFile,
};

/// What stands where a record should begin.
pub(crate) struct Suspect<'s> {
    /// The bytes from some offset of the segment on.
    pub(crate) bytes: &'s [u8],
    /// Where in these bytes.
    pub(crate) at: usize,
    /// Where in the segment.
    pub(crate) place: Position,
    /// That of the segment, if it is known.
    pub(crate) salt: Option<Salt>,
    /// What is wrong.
    pub(crate) what: &'static str,
}

impl Suspect<'_> {
    /// The mark says that the journal was durable beyond this place.
    pub(crate) fn was_marked(&self, mark: Option<Mark>) -> bool {
        mark.is_some_and(|mark| mark.synced > self.place)
    }

    /// A later record than the one before says so.
    pub(crate) fn is_vouched_for(&self, commit_before: u64) -> bool {
        let mut from = self.at + 1;
        while let Some((at, head)) = find_next(self.bytes, from, self.salt) {
            if head.synced > self.place.offset && head.commit > commit_before {
                return true;
            }
            from = at + 1;
        }
        false
    }
}

impl Journal {
    /// Bytes that are no record are either what a crash left of the last writes, which nobody was told of, and are cut;
    /// or they were a durable record once, and are reported. Whatever proves that they were durable decides.
    pub(super) fn judge(
        &mut self,
        file: &dyn FsFile,
        mark: Option<Mark>,
        suspect: &Suspect<'_>,
    ) -> Result<(), Fault> {
        if suspect.was_marked(mark) || suspect.is_vouched_for(self.commit) || self.is_sealed(mark)? {
            let Position { segment, offset } = suspect.place;
            return Err(Fault::corrupt(segment_name(segment), offset, suspect.what));
        }
        self.cut(file, suspect.place)
    }

    /// The next segment says that more records were durable here, or that none followed. A next segment that nobody has
    /// used says the former alone: whoever made it may have died, and others gone on here.
    fn is_sealed(&mut self, mark: Option<Mark>) -> Result<bool, Fault> {
        let next = self.tail.segment + 1;
        let head = self.files.head(next);
        // Another process may remove it yet and make a new one.
        self.files.forget(next);
        let head = match head {
            Ok(Ok(head)) => head,
            Ok(Err(_)) => return Ok(false),
            Err(fault) if fault.is_missing() => return Ok(false),
            Err(fault) => return Err(fault),
        };
        if head.first_commit != self.commit + 1 {
            return Ok(head.first_commit > self.commit);
        }
        Ok(mark.is_some_and(|mark| mark.visible.segment >= next) || self.has_records(next)?)
    }

    /// The cut is flushed at once, so that nothing of what was cut can come back behind a later record.
    fn cut(&mut self, file: &dyn FsFile, at: Position) -> Result<(), Fault> {
        let cut = file.set_size(at.offset).and_then(|()| file.sync());
        cut.map_err(|error| self.poison(Fault::io(&segment_name(at.segment), error)))
    }
}
