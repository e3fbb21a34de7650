use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes asked for at once.
const READ_BYTES_MAX: usize = 8 << 10;

/// Reads a stream to its end and keeps the last part of it: where programs say why they failed.
pub(super) async fn read(mut stream: impl AsyncRead + Unpin, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let mut part = vec![0; READ_BYTES_MAX];
    loop {
        let read = stream.read(&mut part).await?;
        if read == 0 {
            return Ok(kept);
        }
        kept.extend_from_slice(&part[..read]);
        kept.drain(..kept.len().saturating_sub(bytes_max));
    }
}

/// Its last part as text, cut at whole characters, without blanks around it.
pub(super) fn text(bytes: &[u8], bytes_max: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    text[text.ceil_char_boundary(text.len().saturating_sub(bytes_max))..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_of_a_long_stream_is_kept() {
        let mut stream = vec![b'x'; 3 * READ_BYTES_MAX];
        stream.extend_from_slice(b"the end");
        assert_eq!(read(&stream[..], 7).await.unwrap(), b"the end");
        assert_eq!(read(&b"short"[..], 7).await.unwrap(), b"short");
    }

    #[test]
    fn text_is_cut_at_whole_characters() {
        assert_eq!(text("  aéé\n".as_bytes(), 3), "é");
        assert_eq!(text(b"ab\xff", 100), "ab\u{fffd}");
    }
}
