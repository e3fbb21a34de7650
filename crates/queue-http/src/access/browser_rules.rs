//! Rules for requests from browsers, so that no web page can make one without its user's intent.
//!
//! A browser sends requests on behalf of any page to any host it can reach, including a service on
//! this machine. It adds two facts that the page cannot forge: the host name it used for the
//! service, and the origin of the page.

use crate::access::{AccessError, Refusal};
use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Version,
    header::{CONTENT_TYPE, HOST, ORIGIN},
    request::Parts,
    uri::Authority,
};
use std::collections::HashSet;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The names of this machine for itself.
const OWN_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// What a page of another site may send without asking the service first.
const SIMPLE_TYPES: [&str; 3] = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"];

/// Which names the service answers to, and whose pages may use it.
#[derive(Clone, Debug, Default)]
pub struct BrowserRules {
    hosts: HostRule,
    origins: HashSet<HeaderValue>,
}

#[derive(Clone, Debug, Default)]
enum HostRule {
    /// Any name: a page that reached the service by a name of its own has no token.
    #[default]
    Any,
    Only(HashSet<String>),
}

/// The media type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    Json,
    /// Anything that a browser sends for no page of another site without asking.
    NotSimple,
}

impl BrowserRules {
    /// The service answers to these names alone, and to `localhost` and the loopback addresses.
    /// Without tokens this is what stops a page whose name was made to lead to this machine.
    #[must_use]
    pub fn only_hosts(self, names: impl IntoIterator<Item = String>) -> Self {
        let own = OWN_NAMES.map(str::to_owned).into_iter();
        let names = own.chain(names).map(|name| name.to_ascii_lowercase()).collect();
        Self { hosts: HostRule::Only(names), ..self }
    }

    /// Pages of this origin, such as `https://tools.example.org`, may use the service.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, AccessError> {
        let is_scheme = |scheme: &str| scheme == "http" || scheme == "https";
        let rest = origin.split_once("://").filter(|(scheme, _)| is_scheme(scheme)).map(|(_, rest)| rest);
        let is_origin = rest.is_some_and(|rest| {
            !rest.contains(['@', '/', '*']) && rest.parse::<Authority>().is_ok() && !rest.is_empty()
        });
        match HeaderValue::from_str(&origin.to_ascii_lowercase()) {
            Ok(value) if is_origin => self.origins.insert(value),
            _ => {
                return Err(AccessError::Refused(format!(
                    "{origin:?} is no origin; one looks like https://tools.example.org"
                )));
            }
        };
        Ok(self)
    }

    /// The origins whose pages may use the service.
    pub(crate) fn origins(&self) -> impl ExactSizeIterator<Item = &HeaderValue> {
        self.origins.iter()
    }

    /// Checks what a request says of where it came from and goes to.
    pub(crate) fn check(&self, request: &Parts) -> Result<(), Refusal> {
        let host = host(request)?;
        self.check_host(host)?;
        if request.method.is_safe() {
            return Ok(());
        }
        self.check_site(&request.headers, host)
    }

    /// Checks the name by which the request reached the service, and nothing else.
    pub(crate) fn check_name(&self, request: &Parts) -> Result<(), Refusal> {
        self.check_host(host(request)?)
    }

    fn check_host(&self, host: Option<&str>) -> Result<(), Refusal> {
        let HostRule::Only(names) = &self.hosts else { return Ok(()) };
        let name = host.map(|host| without_port(host).to_ascii_lowercase());
        if name.is_some_and(|name| names.contains(&name)) { Ok(()) } else { Err(Refusal::Misdirected) }
    }

    /// Browsers of today say how the page relates to the service; those before say whose page it
    /// is. What says neither is no browser.
    fn check_site(&self, headers: &HeaderMap, host: Option<&str>) -> Result<(), Refusal> {
        let origin = single(headers, &ORIGIN).map_err(|()| Refusal::CrossSite)?;
        if origin.is_some_and(|origin| self.origins.contains(origin)) {
            return Ok(());
        }
        let is_own = match single(headers, &SEC_FETCH_SITE).map_err(|()| Refusal::CrossSite)? {
            Some(site) => site == "same-origin" || site == "none",
            None => origin.is_none_or(|origin| is_of(origin, host)),
        };
        if is_own { Ok(()) } else { Err(Refusal::CrossSite) }
    }
}

/// Checks the media type of a request that changes something. Types that a page may send across
/// origins without a preflight are refused, even where the route would accept them.
pub(crate) fn check_media_type(
    method: &Method,
    headers: &HeaderMap,
    expected: MediaType,
) -> Result<(), Refusal> {
    if method.is_safe() || method == Method::DELETE {
        return Ok(());
    }
    let given = single(headers, &CONTENT_TYPE).map_err(|()| Refusal::MediaType)?;
    let given = given.and_then(|value| value.to_str().ok()).ok_or(Refusal::MediaType)?;
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_fine = match expected {
        MediaType::Json => essence == "application/json",
        MediaType::NotSimple => essence.contains('/') && !SIMPLE_TYPES.contains(&essence.as_str()),
    };
    if is_fine { Ok(()) } else { Err(Refusal::MediaType) }
}

/// The one name by which the caller reached the service. A request with several, or with another
/// one in its first line, means different things to different readers.
fn host(request: &Parts) -> Result<Option<&str>, Refusal> {
    const ONE: Refusal = Refusal::Malformed("a request names its host once, in the header Host");
    let header = single(&request.headers, &HOST).map_err(|()| ONE)?;
    let header = header.map(|value| value.to_str().map_err(|_| ONE)).transpose()?;
    let in_line = request.uri.authority().map(Authority::as_str);
    match (header, in_line) {
        (None, _) if request.version == Version::HTTP_11 => Err(ONE),
        (Some(header), Some(in_line)) if !header.eq_ignore_ascii_case(in_line) => Err(ONE),
        (Some(host), _) if host.parse::<Authority>().is_err() || host.contains('@') => Err(ONE),
        (header, in_line) => Ok(header.or(in_line)),
    }
}

/// The only value of a header, or none; several are an error.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(()),
    }
}

/// The host without its port. An address of IPv6 keeps its brackets.
fn without_port(host: &str) -> &str {
    let end_of_name = host.rfind(']').map_or(0, |bracket| bracket + 1);
    host[end_of_name..].find(':').map_or(host, |colon| &host[..end_of_name + colon])
}

fn is_of(origin: &HeaderValue, host: Option<&str>) -> bool {
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    origin.zip(host).is_some_and(|((_, of), host)| of.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn request(method: &str, uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut builder = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_name_that_is_not_listed_is_refused_also_for_reading() {
        let rules = BrowserRules::default().only_hosts(["queue.example.org".to_owned()]);
        for (host, is_fine) in [
            ("localhost", true),
            ("LOCALHOST:8080", true),
            ("127.0.0.1:1", true),
            ("[::1]:8080", true),
            ("[::1]", true),
            ("queue.example.org", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("localhost.", false),
            ("127.0.0.1.nip.io", false),
            ("localhost@evil.example", false),
            ("evil.example#localhost", false),
            ("[::1].evil.example", false),
            ("", false),
        ] {
            let checked = rules.check(&request("GET", "/", &[("host", host)]));
            assert_eq!(checked.is_ok(), is_fine, "{host} {checked:?}");
        }
    }

    #[test]
    fn a_request_names_its_host_once() {
        let rules = BrowserRules::default();
        assert!(rules.check(&request("GET", "/", &[])).is_err());
        assert!(rules.check(&request("GET", "/", &[("host", "a"), ("host", "a")])).is_err());
        assert!(rules.check(&request("GET", "http://b/", &[("host", "a")])).is_err());
        assert!(rules.check(&request("GET", "http://a/", &[("host", "a")])).is_ok());
    }

    #[test]
    fn a_change_from_a_page_of_another_site_is_refused() {
        let rules = BrowserRules::default().allow_origin("https://tools.example.org").unwrap();
        for (headers, is_fine) in [
            (&[][..], true),
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "none")][..], true),
            (&[("sec-fetch-site", "same-site")][..], false),
            (&[("sec-fetch-site", "cross-site")][..], false),
            (&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")][..], false),
            (&[("origin", "http://a:80")][..], true),
            (&[("origin", "http://a")][..], false),
            (&[("origin", "http://evil.example")][..], false),
            (&[("origin", "null")][..], false),
            (&[("origin", "https://tools.example.org"), ("sec-fetch-site", "cross-site")][..], true),
            (&[("origin", "https://tools.example.org.evil.example")][..], false),
            (&[("origin", "https://tools.example.org"), ("origin", "http://evil.example")][..], false),
        ] {
            let headers: Vec<_> = [("host", "a:80")].into_iter().chain(headers.iter().copied()).collect();
            for method in ["POST", "PUT", "DELETE", "PATCH", "BREW"] {
                let checked = rules.check(&request(method, "/", &headers));
                assert_eq!(checked.is_ok(), is_fine, "{method} {headers:?}");
            }
            assert!(rules.check(&request("GET", "/", &headers)).is_ok(), "reading changes nothing");
        }
    }

    #[test]
    fn what_a_page_may_send_without_asking_is_no_body_of_ours() {
        for (given, is_json, is_not_simple) in [
            ("application/json", true, true),
            ("Application/JSON; charset=utf-8", true, true),
            ("application/octet-stream", false, true),
            ("text/plain", false, false),
            ("text/plain;application/json", false, false),
            ("application/x-www-form-urlencoded", false, false),
            ("multipart/form-data; boundary=application/json", false, false),
            ("", false, false),
        ] {
            let head = request("POST", "/", &[("content-type", given)]);
            let check = |expected| check_media_type(&head.method, &head.headers, expected).is_ok();
            assert_eq!(
                (check(MediaType::Json), check(MediaType::NotSimple)),
                (is_json, is_not_simple),
                "{given}"
            );
        }
        let none = request("POST", "/", &[]);
        assert!(check_media_type(&none.method, &none.headers, MediaType::Json).is_err());
    }

    #[test]
    fn an_origin_is_listed_whole_or_not_at_all() {
        for origin in ["*", "https://*", "https://a/", "a", "https://", "ftp://a", "https://a b", "null"] {
            assert!(BrowserRules::default().allow_origin(origin).is_err(), "{origin}");
        }
    }
}
