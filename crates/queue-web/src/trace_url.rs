//! Where the traces of jobs are shown.

use queue_core::{Error, ErrorKind};
use std::str::FromStr;

const PLACE: &str = "{trace_id}";
const BYTES_MAX: usize = 2_048;

/// The address at which a tracing tool shows a trace, such as
/// `https://traces.example.org/trace/{trace_id}`: `http` or `https`, with a fixed host, and
/// `{trace_id}` somewhere after it. Special characters are percent-encoded.
///
/// ```
/// use queue_web::TraceUrl;
///
/// let url: TraceUrl = "https://traces.example.org/trace/{trace_id}".parse()?;
/// for other in ["javascript:alert({trace_id})", "https://{trace_id}.example.org/", "https://a.org"] {
///     assert!(other.parse::<TraceUrl>().is_err());
/// }
/// # drop(url);
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceUrl(String);

impl TraceUrl {
    /// The address of a trace. An id is 32 hexadecimal digits, which are the same with `%` or
    /// without.
    pub(crate) fn of(&self, id: &TraceId) -> String {
        self.0.replace(PLACE, &id.0)
    }
}

impl FromStr for TraceUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match problem(text) {
            None => Ok(Self(text.to_owned())),
            Some(words) => Err(Error::new(ErrorKind::Invalid, "trace_url", words)),
        }
    }
}

/// What is wrong with an address.
fn problem(text: &str) -> Option<&'static str> {
    if text.len() > BYTES_MAX {
        return Some("the address of traces has at most 2048 bytes");
    }
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    let scheme = ["https://", "http://"].into_iter().find(|scheme| lower.starts_with(scheme));
    let Some(scheme) = scheme else {
        return Some("the address of traces begins with https:// or http://");
    };
    let rest = &text[scheme.len()..];
    let (host, behind) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    if host.is_empty() || host.starts_with(':') || !host.bytes().all(is_host) {
        return Some("the address of traces needs a host, without an account");
    }
    if !behind.contains(PLACE) {
        return Some("the address of traces has {trace_id} behind its host");
    }
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&byte);
    if !behind.replace(PLACE, "").bytes().all(is_plain) {
        return Some("in the address of traces, write special characters with %, such as %7B");
    }
    None
}

/// The id of a trace: 32 hexadecimal digits in small letters, not all of them zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceId(String);

impl TraceId {
    /// The id of a header `traceparent`, as W3C Trace Context has it.
    pub(crate) fn of_parent(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let version = parts.next()?;
        let trace = parts.next()?;
        let span = parts.next()?;
        let flags = parts.next()?;
        let ends = version != "00" || parts.next().is_none();
        let is_right = is_hex(version, 2) && version != "ff" && is_hex(flags, 2) && ends;
        let is_id = |text: &str, len: usize| is_hex(text, len) && text.bytes().any(|byte| byte != b'0');
        (is_right && is_id(trace, 32) && is_id(span, 16)).then(|| Self(trace.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::{TraceId, TraceUrl};

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn an_address_is_one_of_the_web_with_a_fixed_host() {
        for good in [
            "https://a.example/t/{trace_id}",
            "HTTP://localhost:16686/trace/{trace_id}?x=%7B1%7D",
            "http://[::1]:3000/#/t/{trace_id}",
            "https://a.example?t={trace_id}&again={trace_id}",
        ] {
            assert!(good.parse::<TraceUrl>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "https://",
            "https:///{trace_id}",
            "javascript:alert(1)//{trace_id}",
            "data:text/html,{trace_id}",
            "//a.example/{trace_id}",
            "./{trace_id}",
            " https://a.example/{trace_id}",
            "https://user:secret@a.example/{trace_id}",
            "https://{trace_id}/",
            "https://a.example/",
            "https://a.example/{span_id}/{trace_id}",
            "https://a.example/\"><script>/{trace_id}",
            "https://a.example/ {trace_id}",
            "https://a.example/\n{trace_id}",
            "https://a.example\\@evil.example/{trace_id}",
            "https://ä.example/{trace_id}",
        ] {
            assert!(bad.parse::<TraceUrl>().is_err(), "{bad}");
        }
        assert!(format!("https://a.example/{{trace_id}}{}", "x".repeat(2_048)).parse::<TraceUrl>().is_err());
    }

    #[test]
    fn a_header_names_a_trace_only_in_its_own_form() {
        let id = TraceId::of_parent(PARENT).unwrap();
        let url: TraceUrl = "https://a.example/t/{trace_id}".parse().unwrap();
        assert_eq!(url.of(&id), "https://a.example/t/4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(TraceId::of_parent(&PARENT.replacen("00", "01", 1).replace("-01", "-01-more")), Some(id));
        for bad in [
            "",
            "x",
            &PARENT[..54],
            &PARENT.to_uppercase(),
            &format!("{PARENT}-more"),
            &PARENT.replacen("00", "ff", 1),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-<script>alert(1)</script>xxxxxxx-00f067aa0ba902b7-01",
        ] {
            assert_eq!(TraceId::of_parent(bad), None, "{bad}");
        }
    }
}
