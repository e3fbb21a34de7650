//! Lines of a log, for standard error.

use queue::view::words::escaped;
use std::io::{self, Write};

/// One line of a log, written when it is dropped: whole, and with control characters escaped.
#[derive(Debug, Default)]
pub(crate) struct LogLine(Vec<u8>);

impl Write for LogLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        let line = escaped(text.trim_end());
        // No one is left to tell if it fails.
        drop(writeln!(io::stderr().lock(), "{line}"));
    }
}
