//! The options in the URL of a store, which have one spelling in every store.

use percent_encoding::percent_decode_str;
use queue_core::{Error, Limits, Result};
use std::{num::NonZero, str::FromStr, time::Duration};

/// The parts of [`Limits`] that a URL may set.
pub const LIMIT_OPTIONS: [&str; 5] =
    ["payload_bytes_max", "note_bytes_max", "batch_max", "call_bytes_max", "answer_bytes_max"];

/// One option in the URL of a store, `key=value`, decoded.
///
/// ```
/// use queue_store::UrlOption;
/// use std::time::Duration;
///
/// let option = UrlOption::new("busy_timeout", "1m30s");
/// assert_eq!(option.length()?, Duration::from_secs(90));
/// assert!(UrlOption::new("busy_timeout", "90").length().is_err());
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UrlOption<'a> {
    key: &'a str,
    value: &'a str,
}

impl<'a> UrlOption<'a> {
    /// An option of this key and value.
    pub fn new(key: &'a str, value: &'a str) -> Self {
        Self { key, value }
    }

    /// What stands before the `=`.
    pub fn key(self) -> &'a str {
        self.key
    }

    /// What stands behind it.
    pub fn value(self) -> &'a str {
        self.value
    }

    /// A length of time with its unit: `500ms`, `10s`, `1m30s`.
    ///
    /// # Errors
    /// `Invalid` for a text that is none.
    pub fn length(self) -> Result<Duration> {
        humantime::parse_duration(self.value)
            .map_err(|_| self.invalid("a length of time such as `500ms`, `10s` or `1m30s`"))
    }

    /// A number of at least 1.
    ///
    /// # Errors
    /// `Invalid` for a text that is none.
    pub fn number(self) -> Result<u32> {
        self.parse::<NonZero<u32>>("a number from 1").map(NonZero::get)
    }

    /// A number of bytes, at least 1.
    ///
    /// # Errors
    /// `Invalid` for a text that is none.
    pub fn bytes(self) -> Result<u64> {
        self.parse::<NonZero<u64>>("a number of bytes, from 1").map(NonZero::get)
    }

    /// The choice of this name.
    ///
    /// # Errors
    /// `Invalid` for a text that names none of them.
    pub fn one_of<T: Copy>(self, choices: &[(&str, T)]) -> Result<T> {
        let chosen = choices.iter().find(|(name, _)| *name == self.value).map(|(_, choice)| *choice);
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        chosen.ok_or_else(|| self.invalid(&names.join(" or ")))
    }

    /// The limits with this one changed; `None` for a key that is not in [`LIMIT_OPTIONS`].
    ///
    /// # Errors
    /// `Invalid` for a value that is no number of at least 1.
    pub fn limit(self, mut limits: Limits) -> Result<Option<Limits>> {
        let limit = match self.key {
            "payload_bytes_max" => &mut limits.payload_bytes_max,
            "note_bytes_max" => &mut limits.note_bytes_max,
            "batch_max" => &mut limits.batch_max,
            "call_bytes_max" => &mut limits.call_bytes_max,
            "answer_bytes_max" => &mut limits.answer_bytes_max,
            _ => return Ok(None),
        };
        *limit = self.parse::<NonZero<usize>>("a number from 1")?.get();
        Ok(Some(limits))
    }

    fn parse<T: FromStr>(self, what: &str) -> Result<T> {
        self.value.parse().map_err(|_| self.invalid(what))
    }

    /// The value is not repeated: it may be a part of a password.
    fn invalid(self, what: &str) -> Error {
        Error::invalid("open", format!("`{}` is {what}", self.key))
    }
}

/// What stands behind the `?` of a URL, `key=value&key=value`, decoded and in its order.
///
/// ```
/// let options = queue_store::url_options("namespace=a%2Eb&batch_max=10")?;
/// assert_eq!(options[0], ("namespace".to_owned(), "a.b".to_owned()));
/// assert!(queue_store::url_options("batch_max=10&batch_max=20").is_err());
/// # Ok::<(), queue_core::Error>(())
/// ```
///
/// # Errors
/// `Invalid` for a part without a `=`, for a key that stands twice, and as [`decode_url`].
pub fn url_options(query: &str) -> Result<Vec<(String, String)>> {
    let mut options: Vec<(String, String)> = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let malformed = || Error::invalid("open", "behind the `?`, options look like `key=value`");
        let (key, value) = part.split_once('=').ok_or_else(malformed)?;
        let (key, value) = (decode_url(key)?, decode_url(value)?);
        if options.iter().any(|(earlier, _)| *earlier == key) {
            return Err(Error::invalid("open", format!("the option `{key}` stands twice")));
        }
        options.push((key, value));
    }
    Ok(options)
}

/// A part of a URL with its percent-encoding decoded.
///
/// # Errors
/// `Invalid` for what is not UTF-8, and for a zero byte, which no path or name may contain.
pub fn decode_url(part: &str) -> Result<String> {
    match percent_decode_str(part).decode_utf8() {
        Ok(text) if !text.contains('\0') => Ok(text.into_owned()),
        _ => Err(Error::invalid("open", "a URL is UTF-8 without zero bytes, escaped ones included")),
    }
}

/// How an error says that a URL cannot be read for [such a login](is_login_unencoded).
pub const UNENCODED_LOGIN: &str = "in a user or a password write `%23` for `#`, `%2F` for `/`, `%3F` for `?`, \
                                   `%40` for `@` and `%25` for `%`";

/// Whether a URL looks as if its user or password had a `#`, `/` or `?` that is not
/// percent-encoded: the place of the server would end there, and the rest of the password be taken
/// for a path or for options.
///
/// ```
/// assert!(queue_store::is_login_unencoded("redis://:pass/word@host:6379/0"));
/// assert!(!queue_store::is_login_unencoded("redis://:pass%2Fword@host:6379/0"));
/// ```
pub fn is_login_unencoded(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let (place, behind) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if place.contains('@') || !behind.contains('@') {
        return false;
    }
    let port = place.rsplit_once(']').map_or(place, |(_, port)| port).rsplit_once(':');
    let is_port = |(_, port): (&str, &str)| port.parse::<u16>().is_ok();
    // An `@` may stand in the value of an option, and in nothing that stands before.
    let before_values = behind.split('=').next().unwrap_or_default();
    port.is_some_and(|port| !is_port(port) || before_values.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::{LIMIT_OPTIONS, UrlOption, decode_url, is_login_unencoded, url_options};
    use queue_core::Limits;

    #[test]
    fn every_limit_has_a_spelling() {
        let mut limits = Limits::default();
        for (at, key) in (1_000..).zip(LIMIT_OPTIONS) {
            let changed = UrlOption::new(key, &at.to_string()).limit(limits).expect("a number");
            limits = changed.expect(key);
        }
        // Gates and partitions are what a store can do, and no choice of its user.
        let Limits {
            payload_bytes_max,
            note_bytes_max,
            batch_max,
            call_bytes_max,
            answer_bytes_max,
            gates: _,
            partitions: _,
        } = limits;
        let changed = [payload_bytes_max, note_bytes_max, batch_max, call_bytes_max, answer_bytes_max];
        assert_eq!(changed, [1_000, 1_001, 1_002, 1_003, 1_004]);
        assert_eq!(UrlOption::new("colour", "1").limit(limits).expect("it is another"), None);
    }

    #[test]
    fn a_wrong_value_names_the_option_and_what_it_takes() {
        let error = UrlOption::new("poll_interval", "5").length().expect_err("no unit");
        assert!(error.message().contains("`poll_interval` is a length of time"), "{error}");
        let error = UrlOption::new("listen", "maybe").one_of(&[("on", 1), ("off", 0)]).expect_err("neither");
        assert!(error.message().contains("`listen` is `on` or `off`"), "{error}");
        for text in ["0", "-1", "x", "", "4294967296"] {
            assert!(UrlOption::new("connections_max", text).number().is_err(), "{text}");
        }
        assert!(UrlOption::new("batch_max", "0").limit(Limits::default()).is_err());
    }

    #[test]
    fn options_that_cannot_be_read_or_stand_twice_are_refused() {
        assert_eq!(url_options("").expect("none"), []);
        assert_eq!(url_options("&a=b=c&").expect("one"), [("a".to_owned(), "b=c".to_owned())]);
        for query in ["a", "a=1&b", "a=1&a=1", "a=1&%61=2", "a=%FF", "%00=1"] {
            assert!(url_options(query).is_err(), "{query}");
        }
        assert!(decode_url("%C3%28").is_err());
    }

    #[test]
    fn a_password_that_is_not_encoded_is_told_from_a_path_and_options() {
        for url in [
            "redis://:a/b@h:1/0",
            "redis://:a#b@h",
            "redis://u:a?b@h",
            "postgres://u:12/3@h/d",
            "postgres://u:12?3@h/d",
        ] {
            assert!(is_login_unencoded(url), "{url}");
        }
        for url in [
            "redis://h:1/0?namespace=a",
            "postgres://h:1/d?application_name=a@b",
            "postgres://[::1]/d?application_name=a@b",
            "postgres:///d?user=a@b",
            "postgres://u:p@h/d@e",
            "redis+cluster://a:1,b:2/",
            "memory:",
        ] {
            assert!(!is_login_unencoded(url), "{url}");
        }
    }
}
