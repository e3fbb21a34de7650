//! Parses the URL of a store.

use queue_core::{Error, Result};
#[cfg(any(feature = "fs", feature = "sqlite"))]
use queue_store::{LIMIT_OPTIONS, UrlOption};
use queue_store::{decode_url, url_options};

/// A store URL in its parts: `scheme:path?key=value&key=value`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoreUrl {
    /// In lower case.
    pub(super) scheme: String,
    /// Decoded, without a leading `//`.
    pub(super) path: String,
    query: Vec<(String, String)>,
}

impl StoreUrl {
    pub(super) fn parse(url: &str) -> Result<Self> {
        let malformed =
            || Error::invalid("open", "a store URL looks like `scheme:path`, such as `sqlite:jobs.db`");
        let (scheme, rest) =
            url.split_once(':').filter(|(scheme, _)| is_scheme(scheme)).ok_or_else(malformed)?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Ok(Self {
            scheme: scheme.to_ascii_lowercase(),
            path: decode_url(path.strip_prefix("//").unwrap_or(path))?,
            query: url_options(query)?,
        })
    }

    /// The options in their order, of the known ones and of the limits. Unknown
    /// options are refused.
    #[cfg(any(feature = "fs", feature = "sqlite"))]
    pub(super) fn options(&self, known: &[&str]) -> Result<Vec<UrlOption<'_>>> {
        let known = [known, &LIMIT_OPTIONS].concat();
        for (key, _) in &self.query {
            if !known.contains(&key.as_str()) {
                return Err(Error::invalid("open", no_option(&self.scheme, key, &known)));
            }
        }
        Ok(self.query.iter().map(|(key, value)| UrlOption::new(key, value)).collect())
    }

    /// Refuses every option.
    #[cfg(feature = "memory")]
    pub(super) fn no_options(&self) -> Result<()> {
        match self.query.first() {
            Some((key, _)) => Err(Error::invalid("open", no_option(&self.scheme, key, &[]))),
            None => Ok(()),
        }
    }
}

/// Letters, digits and `+-.`, as in every URL; the first is a letter.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn no_option(scheme: &str, key: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("`{scheme}:` has no options, and so not `{key}`");
    }
    format!("`{scheme}:` has no option `{key}`; it has {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str) -> String {
        StoreUrl::parse(url).expect("well-formed").path
    }

    #[test]
    fn paths_may_hold_any_character() {
        assert_eq!(path("sqlite:jobs.db"), "jobs.db");
        assert_eq!(path("SQLite:///var/x y.db"), "/var/x y.db");
        assert_eq!(path("sqlite:/a:b/é#1&c=d.db?create=never"), "/a:b/é#1&c=d.db");
        assert_eq!(path("sqlite:what%3F.db"), "what?.db");
        assert_eq!(path("sqlite:100%.db"), "100%.db");
        assert_eq!(path("sqlite:100%25.db"), "100%.db");
        assert_eq!(path("memory:"), "");
    }

    #[test]
    fn what_is_no_url_is_refused() {
        for url in
            ["", "jobs.db", "/var/jobs.db", ":x", "1a:x", "sq lite:x", "sqlite:a%00b", "sqlite:%FF", "a:b?c"]
        {
            assert!(StoreUrl::parse(url).is_err(), "{url}");
        }
    }

    #[cfg(any(feature = "fs", feature = "sqlite"))]
    #[test]
    fn unknown_and_repeated_options_are_refused() {
        let options = |url: &str| {
            StoreUrl::parse(url).expect("well-formed").options(&["a", "b"]).map(|options| options.len())
        };
        assert_eq!(options("x:y?a=1&b=2").expect("known"), 2);
        assert_eq!(options("x:y?").expect("none"), 0);
        let error = options("x:y?c=1").expect_err("unknown");
        assert!(error.message().contains("a, b"), "{error}");
        assert!(StoreUrl::parse("x:y?a=1&a=1").is_err());
    }
}
