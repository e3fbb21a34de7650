//! Sessions: who logged in with which token, by a name that nobody can guess.

use super::Cookies;
use http::{HeaderMap, HeaderValue, header::COOKIE};
use parking_lot::Mutex;
use queue_core::{Rng, Span, Timestamp};
use queue_http::TokenHolder;
use std::collections::HashMap;

/// How long a session lasts, used or not.
const LASTS: Span = Span::from_secs(12 * 3600);
/// The most sessions at the same time. Further ones end the oldest.
const SESSIONS_MAX: usize = 10_000;

/// The sessions of a dashboard. They end with the process, with their token, by logging out and
/// after twelve hours.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Session>>);

#[derive(Clone, Debug)]
struct Session {
    holder: TokenHolder,
    until: Timestamp,
}

impl Sessions {
    /// Begins a session, and answers its name.
    pub(crate) fn begin(&self, holder: TokenHolder, now: Timestamp, rng: &dyn Rng) -> String {
        let name = format!("{:032x}{:032x}", rng.next_u128(), rng.next_u128());
        let mut sessions = self.0.lock();
        if sessions.len() >= SESSIONS_MAX {
            sessions.retain(|_, session| session.until > now);
        }
        if sessions.len() >= SESSIONS_MAX {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.until);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| sessions.remove(&name));
        }
        sessions.insert(name.clone(), Session { holder, until: now + LASTS });
        name
    }

    /// Whose session this is.
    pub(crate) fn holder(&self, name: &str, now: Timestamp) -> Option<TokenHolder> {
        let sessions = self.0.lock();
        sessions.get(name).filter(|session| session.until > now).map(|session| session.holder.clone())
    }

    /// Ends a session.
    pub(crate) fn end(&self, name: &str) {
        self.0.lock().remove(name);
    }
}

impl Cookies {
    /// The name of the cookie. A browser takes one that begins with `__Host-` from the host itself
    /// alone, over an encrypted connection.
    const fn name(self) -> &'static str {
        match self {
            Self::Any => "queue-session",
            Self::Secure => "__Host-queue-session",
        }
    }

    /// The session that a request names.
    pub(crate) fn session(self, headers: &HeaderMap) -> Option<&str> {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.name()).map(|(_, value)| value)
    }

    /// The header that gives a browser its session; without one, that takes it away.
    pub(crate) fn header(self, session: Option<&str>) -> HeaderValue {
        let (value, seconds) = session.map_or(("", 0), |session| (session, LASTS.as_millis() / 1_000));
        let secure = if self == Self::Secure { "; Secure" } else { "" };
        let name = self.name();
        let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        HeaderValue::from_str(&text).expect("names of sessions are hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::Cookies;
    use http::{HeaderMap, HeaderValue, header::COOKIE};

    #[test]
    fn a_session_is_found_among_other_cookies_by_its_whole_name() {
        let found = |line: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_static(line));
            Cookies::Any.session(&headers).map(str::to_owned)
        };
        assert_eq!(found("a=b; queue-session=12").as_deref(), Some("12"));
        assert_eq!(found("xqueue-session=12; queue-sessionx=13"), None);
        assert_eq!(found("__Host-queue-session=12"), None);
    }

    #[test]
    fn a_cookie_is_out_of_reach_of_scripts_and_other_sites() {
        let header = Cookies::Secure.header(Some("ab"));
        let text = header.to_str().unwrap();
        for part in ["__Host-queue-session=ab", "Path=/", "HttpOnly", "SameSite=Strict", "Secure"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(Cookies::Any.header(None).to_str().unwrap().contains("Max-Age=0"));
    }
}
