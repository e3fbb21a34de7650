//! What a job carries, for those who may see it.

use crate::trace_url::{TraceId, TraceUrl};
use bytes::Bytes;
use queue_core::{JobBody, JobMeta, Payload, mask_header, mask_secrets};
use queue_view::words::size;
use serde_json::value::RawValue;
use std::fmt::Write;

/// The longest text that a page shows: a whole payload of most stores.
const SHOWN_BYTES_MAX: usize = 1 << 20;
/// A secret must not be cut where the mask would not know it any more, so a little more is masked
/// than is shown.
const MASKED_BYTES_MAX: usize = SHOWN_BYTES_MAX + (4 << 10);
/// Four characters a byte, and some for each line.
const HEX_BYTES_MAX: usize = SHOWN_BYTES_MAX / 5;
/// How deep JSON may be nested to be laid out.
const DEPTH_MAX: usize = 64;

/// What a job carries.
pub(crate) struct BodyView {
    pub(crate) parts: Vec<BodyPart>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) trace: Option<TraceView>,
}

/// The trace of a job, and where it is shown, if that is known.
pub(crate) struct TraceView {
    pub(crate) id: String,
    pub(crate) href: Option<String>,
}

/// What of a job is shown as a part of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartName {
    Payload,
    Result,
    ErrorDetails,
    Progress,
}

impl PartName {
    pub(crate) const ALL: [Self; 4] = [Self::Payload, Self::Result, Self::ErrorDetails, Self::Progress];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Payload => "Payload",
            Self::Result => "Result",
            Self::ErrorDetails => "Details of the error",
            Self::Progress => "Progress",
        }
    }

    /// The word in forms, and the name of its file.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::Result => "result",
            Self::ErrorDetails => "error-details",
            Self::Progress => "progress",
        }
    }

    /// The bytes, as they are stored.
    pub(crate) fn bytes(self, body: &JobBody, meta: &JobMeta) -> Option<Bytes> {
        match self {
            Self::Payload => Some(body.payload.bytes.clone()),
            Self::Result => body.result.as_ref().map(|result| result.bytes.clone()),
            Self::ErrorDetails => body.error_details.clone(),
            Self::Progress => meta.progress().map(Bytes::copy_from_slice),
        }
    }
}

/// Bytes as text.
pub(crate) struct BodyPart {
    pub(crate) of: PartName,
    pub(crate) kind: String,
    pub(crate) size: String,
    pub(crate) text: String,
    pub(crate) is_cut: bool,
}

impl BodyView {
    pub(super) fn of(body: &JobBody, meta: &JobMeta, traces: Option<&TraceUrl>) -> Self {
        let mut parts =
            vec![part(PartName::Payload, body.payload.content_type.as_str(), &body.payload.bytes)];
        parts.extend(
            body.result
                .as_ref()
                .map(|Payload { bytes, content_type }| part(PartName::Result, content_type.as_str(), bytes)),
        );
        parts.extend(body.error_details.as_ref().map(|bytes| part(PartName::ErrorDetails, "", bytes)));
        parts.extend(meta.progress().map(|bytes| part(PartName::Progress, "", bytes)));
        let headers = body.headers.iter().map(|(name, value)| (name.to_owned(), mask_header(name, value)));
        let parent = body.headers.iter().find(|(name, _)| *name == "traceparent");
        let trace = parent.and_then(|(_, value)| TraceId::of_parent(value));
        let trace =
            trace.map(|id| TraceView { id: id.as_str().to_owned(), href: traces.map(|url| url.of(&id)) });
        Self { parts, headers: headers.collect(), trace }
    }
}

fn part(of: PartName, content_type: &str, bytes: &[u8]) -> BodyPart {
    let (kind, text) = match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= SHOWN_BYTES_MAX && serde_json::from_str::<&RawValue>(text).is_ok() => {
            ("JSON", laid_out(text))
        }
        Ok(text) => ("text", text.to_owned()),
        Err(_) => ("bytes", hexadecimal(bytes)),
    };
    let is_hex_cut = kind == "bytes" && bytes.len() > HEX_BYTES_MAX;
    let masked = mask_secrets(&text[..text.floor_char_boundary(MASKED_BYTES_MAX)]);
    let end = masked.floor_char_boundary(SHOWN_BYTES_MAX);
    let kind =
        if content_type.is_empty() { kind.to_owned() } else { format!("{content_type}, shown as {kind}") };
    BodyPart {
        of,
        kind,
        size: size(bytes.len()),
        text: masked[..end].to_owned(),
        is_cut: end < masked.len() || text.len() > MASKED_BYTES_MAX || is_hex_cut,
    }
}

/// JSON in lines. Numbers and texts stay as they are written, to the digit.
fn laid_out(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut is_escaped = false;
    let mut rest = json.trim().chars().peekable();
    while let Some(next) = rest.next()
        && text.len() <= MASKED_BYTES_MAX
    {
        if in_text {
            in_text = is_escaped || next != '"';
            is_escaped = !is_escaped && next == '\\';
            text.push(next);
            continue;
        }
        match next {
            '{' | '[' => {
                text.push(next);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                let is_empty = rest.peek().is_some_and(|next| matches!(next, '}' | ']'));
                depth += 1;
                if !is_empty {
                    line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if !text.ends_with(['{', '[']) {
                    line(&mut text, depth);
                }
                text.push(next);
            }
            ',' => {
                text.push(next);
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            next if next.is_ascii_whitespace() => {}
            next => {
                in_text = next == '"';
                text.push(next);
            }
        }
    }
    text
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    (0..depth.min(DEPTH_MAX)).for_each(|_| text.push_str("  "));
}

/// Bytes in lines of sixteen.
fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (place, line) in bytes[..bytes.len().min(HEX_BYTES_MAX)].chunks(16).enumerate() {
        let _ = write!(text, "{:08x} ", place * 16);
        for byte in line {
            let _ = write!(text, " {byte:02x}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{HEX_BYTES_MAX, PartName::Payload, SHOWN_BYTES_MAX, laid_out, part};

    #[test]
    fn json_is_laid_out_without_a_change_of_any_number_or_text() {
        let json = r#"{"a":[1.50,9007199254740993,-0],"b":"x, {\"y\"}: \\","c":{},"d":[ ]}"#;
        let shown = laid_out(json);
        assert_eq!(
            shown,
            "{\n  \"a\": [\n    1.50,\n    9007199254740993,\n    -0\n  ],\n  \"b\": \"x, {\\\"y\\\"}: \\\\\",\n  \"c\": {},\n  \"d\": []\n}"
        );
    }

    #[test]
    fn any_bytes_are_shown_and_secrets_are_not() {
        assert_eq!(part(Payload, "", b"\xff\x00").text, "00000000  ff 00\n");
        assert!(!part(Payload, "", br#"{"password":"hunter2"}"#).text.contains("hunter2"));
        let long = part(Payload, "text/plain", "é".repeat(600_000).as_bytes());
        assert!(long.is_cut && long.text.len() <= SHOWN_BYTES_MAX);
        let deep = "[".repeat(30_000) + &"]".repeat(30_000);
        let deep = part(Payload, "", deep.as_bytes());
        assert!(deep.is_cut && deep.text.len() <= SHOWN_BYTES_MAX);
        let bytes = vec![0xff; 2 * HEX_BYTES_MAX];
        assert!(part(Payload, "", &bytes).is_cut);
    }

    /// A payload of 112 KiB was shown to its half, as one line.
    #[test]
    fn a_payload_of_a_hundred_kilobytes_is_laid_out_and_whole() {
        let rows: Vec<String> =
            (0..2_000).map(|row| format!(r#"{{"row":{row},"text":"some words of it"}}"#)).collect();
        let json = format!("[{}]", rows.join(","));
        let shown = part(Payload, "application/json", json.as_bytes());
        assert!(!shown.is_cut && shown.text.ends_with("\n]") && shown.text.lines().count() > 8_000);
    }
}
