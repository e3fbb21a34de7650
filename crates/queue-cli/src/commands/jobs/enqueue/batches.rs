//! The input of `queue enqueue --lines`, read in batches of lines whose number and bytes are
//! limited.

use std::io::{self, BufRead, BufReader, Read};

/// The most lines in one batch.
pub(super) const LINES_MAX: usize = 2000;
/// The largest read, which also bounds the bytes of a batch: at most this and one long line.
const READ_BYTES_MAX: usize = 1 << 20;

/// Splits a stream into lines, and groups lines into batches: the lines of one read form a batch.
/// The lines of a slow producer are thus stored as they arrive, and the lines of a file many at a
/// time, without a timer. Memory is bounded for any input.
#[derive(Debug)]
pub(super) struct Batches<R> {
    input: BufReader<R>,
    line_bytes_max: usize,
    /// The number of lines read so far, including empty ones.
    number: u64,
    is_over: bool,
}

/// Lines, each with its number from one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) lines: Vec<(u64, Vec<u8>)>,
    /// Empty lines that were skipped.
    pub(super) skipped: u64,
    /// The number of bytes of input that the batch took.
    pub(super) bytes: u64,
}

impl<R: Read> Batches<R> {
    pub(super) fn new(input: R, line_bytes_max: usize) -> Self {
        let input = BufReader::with_capacity(READ_BYTES_MAX, input);
        Self { input, line_bytes_max, number: 0, is_over: false }
    }

    /// The next batch; `None` at the end.
    pub(super) fn next_batch(&mut self) -> io::Result<Option<Batch>> {
        let mut batch = Batch::default();
        while !self.is_over {
            self.read_line(&mut batch)?;
            let has_another = self.input.buffer().contains(&b'\n');
            if batch.lines.len() >= LINES_MAX || (!has_another && !batch.lines.is_empty()) {
                return Ok(Some(batch));
            }
        }
        Ok((batch != Batch::default()).then_some(batch))
    }

    fn read_line(&mut self, batch: &mut Batch) -> io::Result<()> {
        let mut line = Vec::new();
        // Room for the end of the line, and for one extra byte that shows that the line is too
        // long.
        let most = self.line_bytes_max as u64 + 3;
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut line)?;
        self.is_over = read == 0;
        if self.is_over {
            return Ok(());
        }
        self.number += 1;
        batch.bytes += read as u64;
        cut_end(&mut line);
        if line.len() > self.line_bytes_max {
            return Err(self.too_long());
        }
        if line.is_empty() {
            batch.skipped += 1;
        } else {
            batch.lines.push((self.number, line));
        }
        Ok(())
    }

    fn too_long(&self) -> io::Error {
        let number = self.number;
        let most = self.line_bytes_max;
        let message = format!("line {number} is longer than the largest payload, {most} bytes");
        io::Error::new(io::ErrorKind::InvalidData, message)
    }
}

fn cut_end(line: &mut Vec<u8>) {
    if line.pop_if(|byte| *byte == b'\n').is_some() {
        line.pop_if(|byte| *byte == b'\r');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8], line_bytes_max: usize) -> io::Result<Vec<Batch>> {
        let mut batches = Batches::new(input, line_bytes_max);
        std::iter::from_fn(|| batches.next_batch().transpose()).collect()
    }

    fn lines(input: &[u8]) -> Vec<(u64, String)> {
        let batches = read(input, 10).expect("short lines");
        let lines = batches.into_iter().flat_map(|batch| batch.lines);
        lines.map(|(number, line)| (number, String::from_utf8(line).expect("text"))).collect()
    }

    #[test]
    fn ends_are_cut_and_empty_lines_skipped_but_counted() {
        let expected = [(1, "a"), (3, "b\r"), (4, "c"), (6, " ")].map(|(n, line)| (n, line.to_owned()));
        assert_eq!(lines(b"a\n\nb\r\r\nc\r\n\r\n "), expected);
        assert_eq!(lines(b""), []);
        assert_eq!(read(b"\n\n", 10).expect("empty lines").iter().map(|batch| batch.skipped).sum::<u64>(), 2);
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        for (input, fits) in [("12345\n", true), ("12345\r\n", true), ("12345", true), ("123456\n", false)] {
            assert_eq!(read(input.as_bytes(), 5).is_ok(), fits, "{input:?}");
        }
    }

    #[test]
    fn a_batch_holds_a_bounded_number_of_lines() {
        let input = "x\n".repeat(LINES_MAX + 1);
        let sizes: Vec<usize> =
            read(input.as_bytes(), 5).expect("short lines").iter().map(|batch| batch.lines.len()).collect();
        assert_eq!(sizes, [LINES_MAX, 1]);
    }

    /// A reader that returns one part per read, as a pipe does.
    struct Parts(Vec<&'static [u8]>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            self.0.remove(0).read(buffer)
        }
    }

    #[test]
    fn what_one_read_brought_goes_without_waiting_for_more() {
        let mut batches = Batches::new(Parts(vec![b"a\nb\nc", b"d\n", b"e"]), 10);
        let mut next = || {
            let batch = batches.next_batch().expect("readable")?;
            Some(batch.lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>())
        };
        assert_eq!(next(), Some(vec![b"a".to_vec(), b"b".to_vec()]));
        assert_eq!(next(), Some(vec![b"cd".to_vec()]));
        assert_eq!(next(), Some(vec![b"e".to_vec()]));
        assert_eq!(next(), None);
    }
}
