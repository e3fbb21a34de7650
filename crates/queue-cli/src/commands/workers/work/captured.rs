//! Captures the output of a shell command from its pipes, with a limit on the bytes kept.

use rustix::io::Errno;
use std::{io, os::fd::AsFd};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The bytes of one read.
const READ_BYTES_MAX: usize = 8 << 10;
/// The most reads of what is left in a pipe; together they hold as many bytes as a pipe can without
/// privileges.
const READS_LEFT_MAX: usize = (1 << 20) / READ_BYTES_MAX;

/// The output that a command writes to one of its pipes.
///
/// A pipe ends when every process that inherited it has closed it, which may be a daemon that
/// outlives the command. So the pipe is read to its end or to the end of the command, whichever
/// comes first.
#[derive(Debug)]
pub(super) struct OutputCapture<R> {
    pipe: R,
    keep: Keep,
    bytes: Vec<u8>,
}

/// The part that is kept if there is more than fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The first bytes up to this many, and one more to tell that there are more.
    First(usize),
    /// The last bytes, where programs say why they failed.
    Last(usize),
}

impl<R> OutputCapture<R> {
    pub(super) const fn new(pipe: R, keep: Keep) -> Self {
        Self { pipe, keep, bytes: Vec::new() }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whether there is more than was to be kept; the rest is not read.
    pub(super) fn is_full(&self) -> bool {
        matches!(self.keep, Keep::First(most) if self.bytes.len() > most)
    }

    fn take(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        match self.keep {
            Keep::First(most) => self.bytes.truncate(most.saturating_add(1)),
            Keep::Last(most) => drop(self.bytes.drain(..self.bytes.len().saturating_sub(most))),
        }
    }
}

impl<R: AsyncRead + Unpin> OutputCapture<R> {
    /// Reads until the pipe ends or enough is kept. Dropping the future loses nothing that was
    /// read.
    pub(super) async fn read(&mut self) -> io::Result<()> {
        let mut part = vec![0; READ_BYTES_MAX];
        while !self.is_full() {
            match self.pipe.read(&mut part).await? {
                0 => break,
                read => self.take(&part[..read]),
            }
        }
        Ok(())
    }
}

impl<R: AsFd> OutputCapture<R> {
    /// Reads what is in the pipe without waiting. Once a command has ended, all that it wrote is
    /// there. The pipe must be non-blocking, as the runtime makes them.
    pub(super) fn read_left(&mut self) -> io::Result<()> {
        let mut part = vec![0; READ_BYTES_MAX];
        for _ in 0..READS_LEFT_MAX {
            match rustix::io::read(&self.pipe, &mut part) {
                _ if self.is_full() => break,
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(read) => self.take(&part[..read]),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// The last part as text, cut at whole characters, without surrounding blanks.
pub(super) fn text(bytes: &[u8], bytes_max: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    text[text.ceil_char_boundary(text.len().saturating_sub(bytes_max))..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn kept(stream: &[u8], keep: Keep) -> (Vec<u8>, bool) {
        let mut captured = OutputCapture::new(stream, keep);
        captured.read().await.unwrap();
        let is_full = captured.is_full();
        (captured.into_bytes(), is_full)
    }

    #[tokio::test]
    async fn the_end_of_a_long_stream_is_kept() {
        let mut stream = vec![b'x'; 3 * READ_BYTES_MAX];
        stream.extend_from_slice(b"the end");
        assert_eq!(kept(&stream, Keep::Last(7)).await, (b"the end".to_vec(), false));
        assert_eq!(kept(b"short", Keep::Last(7)).await, (b"short".to_vec(), false));
    }

    #[tokio::test]
    async fn one_byte_more_than_may_be_kept_tells_that_there_is_too_much() {
        assert_eq!(kept(b"1234", Keep::First(4)).await, (b"1234".to_vec(), false));
        assert_eq!(kept(b"123456", Keep::First(4)).await, (b"12345".to_vec(), true));
    }

    #[test]
    fn text_is_cut_at_whole_characters() {
        assert_eq!(text("  aéé\n".as_bytes(), 3), "é");
        assert_eq!(text(b"ab\xff", 100), "ab\u{fffd}");
    }
}
