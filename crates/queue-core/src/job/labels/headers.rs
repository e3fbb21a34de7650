//! The headers of a job: small text for handlers and libraries.

use crate::{Error, NewJob, Result, names::check_name};
use std::{fmt, str::FromStr, sync::Arc};

/// Most headers on one job.
pub const HEADERS_MAX: usize = 16;
/// Most bytes of names and values of the headers of one job together.
pub const HEADERS_BYTES_MAX: usize = 4096;

/// The headers of the W3C trace context, which jobs that follow another inherit.
const TRACE: [&str; 2] = ["traceparent", "tracestate"];

/// Text that a producer passes to the handler beside the payload, or one library to another: a
/// trace context, a tenant, a schema version. Headers are a map from names to text, in the order of
/// the names' bytes, and are set at the enqueue. No listing searches headers; use
/// [`Tags`](crate::Tags) for that.
///
/// A job has at most [`HEADERS_MAX`] headers, with [`HEADERS_BYTES_MAX`] bytes of names and values
/// together. Names have 1 to 255 bytes and are compared byte by byte; neither names nor values have
/// control characters. An empty map takes no room.
///
/// ```
/// use queue_core::Headers;
///
/// let headers = Headers::new([("tenant", "7"), ("schema", "v2")])?;
/// assert_eq!(headers.get("schema"), Some("v2"));
/// assert_eq!(headers.parse::<u64>("tenant")?, Some(7));
/// assert!(headers.parse::<u64>("schema").is_err());
/// assert!(Headers::new([("a", "1"), ("a", "2")]).is_err());
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Headers(Option<Arc<Vec<Header>>>);

type Header = (Box<str>, Box<str>);

impl Headers {
    /// No headers.
    pub const NONE: Self = Self(None);

    /// Validates and sorts the headers.
    ///
    /// # Errors
    /// `Invalid` for a name that occurs twice, is empty or too long, for a control character, and
    /// for headers over the limits.
    pub fn new(entries: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Result<Self> {
        let boxed =
            |(name, value): (_, _)| (Into::<String>::into(name).into(), Into::<String>::into(value).into());
        let mut headers: Vec<Header> = entries.into_iter().map(boxed).collect();
        headers.sort_unstable();
        check(&headers)?;
        Ok(Self((!headers.is_empty()).then(|| Arc::new(headers))))
    }

    /// The same headers with this one added, in place of another of the same name.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn with(&self, name: impl Into<String>, value: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let others = self.iter().filter(|(other, _)| *other != name);
        let others: Vec<_> = others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self::new(others.into_iter().chain([(name, value.into())]))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let headers = self.as_slice();
        headers.binary_search_by(|(other, _)| (**other).cmp(name)).ok().map(|at| &*headers[at].1)
    }

    /// The value of a name, parsed as a type; `None` if there is no such header.
    ///
    /// # Errors
    /// `Invalid` for a value that cannot be parsed as the type.
    pub fn parse<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<Option<T>> {
        let parse = |value: &str| value.parse().map_err(|error| not_of_type(name, &error));
        self.get(name).map(parse).transpose()
    }

    /// Names and values, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.as_slice().iter().map(|(name, value)| (&**name, &**value))
    }

    /// The number of headers.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are no headers.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The bytes of names and values.
    pub fn bytes(&self) -> usize {
        bytes_of(self.as_slice())
    }

    /// Copies the trace context in these headers to the jobs that follow the job, except to those
    /// that have their own. A follower without room for it gets none.
    pub fn trace_on(&self, followers: &mut [NewJob]) {
        if self.is_empty() {
            return;
        }
        for follower in followers.iter_mut().filter(|follower| follower.headers.get(TRACE[0]).is_none()) {
            for (name, value) in self.iter().filter(|(name, _)| TRACE.contains(name)) {
                if let Ok(traced) = follower.headers.with(name, value) {
                    follower.headers = traced;
                }
            }
        }
    }

    /// The headers as text for a store: a line for each, with a tab behind the name, since names
    /// and values contain neither. `None` if there are no headers.
    pub fn to_text(&self) -> Option<String> {
        let headers = self.0.as_ref()?;
        let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}\t{value}")).collect();
        Some(lines.join("\n"))
    }

    /// Reads the text that [`to_text`](Self::to_text) wrote.
    ///
    /// # Errors
    /// `Invalid` for any other text.
    pub fn from_text(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::NONE) };
        let entry =
            |line: &str| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let entries: Option<Vec<_>> = text.split('\n').map(entry).collect();
        Self::new(entries.ok_or_else(|| Error::invalid("validate", "a header has no value"))?)
    }

    fn as_slice(&self) -> &[Header] {
        self.0.as_ref().map_or(&[], |headers| headers.as_slice())
    }
}

fn bytes_of(headers: &[Header]) -> usize {
    headers.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// Checks sorted headers.
fn check(headers: &[Header]) -> Result<()> {
    let refuse = |message: String| Err(Error::invalid("validate", message));
    if headers.len() > HEADERS_MAX {
        return refuse(format!("a job has at most {HEADERS_MAX} headers, not {}", headers.len()));
    }
    let bytes = bytes_of(headers);
    if bytes > HEADERS_BYTES_MAX {
        return refuse(format!("the headers of a job have at most {HEADERS_BYTES_MAX} bytes, not {bytes}"));
    }
    for (name, value) in headers {
        check_name("header name", name, crate::NAME_BYTES_MAX)?;
        if !value.is_empty() {
            check_name("header value", value, HEADERS_BYTES_MAX)?;
        }
    }
    match headers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => refuse(format!("the header {:?} is given twice", pair[0].0)),
        None => Ok(()),
    }
}

fn not_of_type(name: &str, error: &dyn fmt::Display) -> Error {
    Error::invalid("headers", format!("the header {name:?} is not of the type asked for: {error}"))
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{HEADERS_BYTES_MAX, Headers};
    use crate::{ContentType, JobId, Kind, NewJob, Payload};

    fn headers(entries: &[(&str, &str)]) -> Headers {
        Headers::new(entries.iter().map(|(name, value)| (*name, *value))).expect("valid")
    }

    #[test]
    fn sixteen_headers_of_four_kib_fit_and_no_more() {
        let sixteen = || (0..16).map(|n| (format!("{n:02}"), "x".repeat(HEADERS_BYTES_MAX / 16 - 2)));
        let full = Headers::new(sixteen()).expect("just so");
        assert_eq!((full.len(), full.bytes()), (16, HEADERS_BYTES_MAX));
        assert!(full.with("00", "").expect("less").bytes() < HEADERS_BYTES_MAX);
        assert!(full.with("00", "x".repeat(HEADERS_BYTES_MAX / 16 - 1)).is_err(), "a byte too many");
        assert!(full.with("00", "").expect("less").with("16", "").is_err(), "one too many");
    }

    #[test]
    fn headers_come_back_from_text_as_they_went() {
        for headers in [headers(&[]), headers(&[("a", "")]), headers(&[("b", "x: y = z"), ("a c", "é")])] {
            assert_eq!(Headers::from_text(headers.to_text().as_deref()).expect("written so"), headers);
        }
        for foreign in ["", "no tab", "a\tb\n", "a\t1\na\t2"] {
            assert!(Headers::from_text(Some(foreign)).is_err(), "{foreign:?}");
        }
    }

    #[test]
    fn control_characters_are_refused_in_names_and_values() {
        for (name, value) in [("a\tb", "x"), ("", "x"), ("a", "x\ny"), ("a", "\u{1b}[2J"), ("a\u{85}", "")] {
            assert!(Headers::new([(name, value)]).is_err(), "{name:?} {value:?}");
        }
    }

    #[test]
    fn followers_go_on_with_the_trace_unless_they_have_one() {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let new = |headers| {
            NewJob::new(JobId::from_static("b"), Kind::unnamed(), payload.clone()).with_headers(headers)
        };
        let full = Headers::new((0..16).map(|n| (n.to_string(), "x"))).expect("sixteen");
        let mut followers =
            [new(headers(&[("tenant", "7")])), new(headers(&[("traceparent", "own")])), new(full.clone())];
        let own = headers(&[("secret", "s"), ("traceparent", "t"), ("tracestate", "v")]);
        own.trace_on(&mut followers);
        let expected = headers(&[("tenant", "7"), ("traceparent", "t"), ("tracestate", "v")]);
        assert_eq!(followers[0].headers, expected);
        assert_eq!(followers[1].headers, headers(&[("traceparent", "own")]));
        assert_eq!(followers[2].headers, full);
    }
}
