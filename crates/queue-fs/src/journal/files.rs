//! The segment files of a journal, opened on demand, and reads of byte ranges in them.

use crate::{
    error::FsFault,
    format::{SEGMENT_HEAD_BYTES, SegmentHead, SegmentHeadError, segment_name},
    sys::{Fs, FsFile, Open},
};
use bytes::Bytes;
use std::{collections::BTreeMap, sync::Arc};

/// How many segment files stay open.
const OPEN_MAX: usize = 32;

/// The message about a file whose head has another number than its name.
pub(crate) const OTHER_NAME: &str = "the file has the name of another one";

/// The place of bytes of a job, and their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) segment: u64,
    pub(crate) offset: u64,
    pub(crate) len: u32,
    pub(crate) checksum: u32,
}

/// Segments by number, opened when needed.
#[derive(Debug)]
pub(crate) struct SegmentFiles {
    fs: Arc<dyn Fs>,
    open: BTreeMap<u64, Arc<dyn FsFile>>,
}

impl SegmentFiles {
    pub(crate) fn new(fs: Arc<dyn Fs>) -> Self {
        Self { fs, open: BTreeMap::new() }
    }

    /// A segment that must be there.
    pub(crate) fn segment(&mut self, number: u64) -> Result<Arc<dyn FsFile>, FsFault> {
        self.open_segment(number, Open::Existing)
    }

    /// A segment that is not there yet.
    pub(super) fn create_segment(&mut self, number: u64) -> Result<Arc<dyn FsFile>, FsFault> {
        self.open_segment(number, Open::New)
    }

    /// Forgets a segment that is removed.
    pub(super) fn forget(&mut self, number: u64) {
        self.open.remove(&number);
    }

    /// Closes free segments, which other handles may have removed: the system frees their space
    /// once no handle has them open.
    pub(super) fn forget_before(&mut self, oldest: u64) {
        self.open = self.open.split_off(&oldest);
    }

    /// Forgets every segment.
    pub(super) fn forget_all(&mut self) {
        self.open.clear();
    }

    /// The head of a segment, if it is sound.
    pub(super) fn head(&mut self, number: u64) -> Result<Result<SegmentHead, SegmentHeadError>, FsFault> {
        let file = self.segment(number)?;
        let bytes = read(&*file, number, 0, SEGMENT_HEAD_BYTES as u64)?;
        let head = SegmentHead::from_bytes(&bytes);
        let is_foreign = |head: &SegmentHead| head.number != number;
        Ok(if head.as_ref().is_ok_and(is_foreign) { Err(SegmentHeadError::Bad(OTHER_NAME)) } else { head })
    }

    /// Reads bytes of a job and checks them.
    pub(crate) fn read_body(&mut self, at: Location) -> Result<Bytes, FsFault> {
        let file = self.segment(at.segment)?;
        let bytes = read(&*file, at.segment, at.offset, at.offset + u64::from(at.len))?;
        if bytes.len() != at.len as usize || crc32c::crc32c(&bytes) != at.checksum {
            let what = "the payload or result of a job is damaged";
            return Err(FsFault::corrupt(segment_name(at.segment), at.offset, what));
        }
        Ok(bytes.into())
    }

    fn open_segment(&mut self, number: u64, how: Open) -> Result<Arc<dyn FsFile>, FsFault> {
        if let Some(file) = self.open.get(&number) {
            return Ok(file.clone());
        }
        let name = segment_name(number);
        let file = self.fs.open(&name, how).map_err(|error| FsFault::io(&name, error))?;
        if self.open.len() >= OPEN_MAX {
            self.open.pop_first();
        }
        self.open.insert(number, file.clone());
        Ok(file)
    }
}

/// Reads a range, or as much of it as exists.
pub(crate) fn read(file: &dyn FsFile, number: u64, from: u64, to: u64) -> Result<Vec<u8>, FsFault> {
    let mut bytes = Vec::new();
    read_into(&mut bytes, file, number, from, to)?;
    Ok(bytes)
}

/// The same into a buffer, which a caller that reads many ranges allocates once.
pub(super) fn read_into(
    bytes: &mut Vec<u8>,
    file: &dyn FsFile,
    number: u64,
    from: u64,
    to: u64,
) -> Result<(), FsFault> {
    bytes.resize(usize::try_from(to.saturating_sub(from)).expect("a segment fits the memory"), 0);
    let mut filled = 0;
    while filled < bytes.len() {
        let read = file.read_at(from + filled as u64, &mut bytes[filled..]);
        match read.map_err(|error| FsFault::io(&segment_name(number), error))? {
            0 => break,
            read => filled += read,
        }
    }
    bytes.truncate(filled);
    Ok(())
}
