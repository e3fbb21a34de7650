//! Sessions: who logged in with which token, until when, sealed by the keys of receipts. No server
//! keeps them, so any that has the keys and the tokens knows them.

use super::Cookies;
use http::{HeaderMap, HeaderValue, header::COOKIE};
use parking_lot::Mutex;
use queue_core::{Rng, Span, Timestamp};
use queue_http::{AccessControl, Principal, ReceiptKeys, Seal, TokenHolder};
use std::{collections::HashMap, sync::Arc};

/// How long a session lasts, used or not.
const LASTS: Span = Span::from_secs(12 * 3600);
/// The most sessions of which a server remembers that somebody logged out. Further ones push out
/// that which ends first.
const ENDED_MAX: usize = 10_000;
/// What the seals are for, so that no receipt and no proof of a form is one.
const PURPOSE: &str = "dashboard session";
/// The longest cookie that is looked at.
const BYTES_MAX: usize = 256;

/// Makes sessions and knows them again. They end after twelve hours, with their token, and when
/// both keys of that time are gone; by logging out they end at this server, and the browser forgets
/// them.
#[derive(Debug)]
pub(crate) struct Sessions {
    keys: Arc<ReceiptKeys>,
    /// Those that somebody logged out of, until they would have ended.
    ended: Mutex<HashMap<String, Timestamp>>,
}

/// What a session says, with what proves it: `ID.UNTIL.NAME.SEAL`.
#[derive(Clone, Copy, Debug)]
struct SessionText<'a> {
    token: &'a str,
    until: Timestamp,
    name: &'a str,
    seal: Seal,
}

impl Sessions {
    pub(crate) fn new(keys: Arc<ReceiptKeys>) -> Self {
        Self { keys, ended: Mutex::default() }
    }

    /// Begins a session, and answers what the browser keeps.
    pub(crate) fn begin(&self, holder: &TokenHolder, now: Timestamp, rng: &dyn Rng) -> String {
        let (until, name) = (now + LASTS, format!("{:032x}", rng.next_u128()));
        let seal = holder.seal(&self.keys, PURPOSE, &[&until.as_millis().to_be_bytes(), name.as_bytes()]);
        format!("{}.{:x}.{name}.{}", holder.id(), until.as_millis(), super::seal_text(seal))
    }

    /// The name of a session that holds, and whose it is.
    pub(crate) fn find(
        &self,
        door: &AccessControl,
        text: &str,
        now: Timestamp,
    ) -> Option<(String, Principal)> {
        let SessionText { token, until, name, seal } = SessionText::parse(text)?;
        let principal = door.sealed(
            &self.keys,
            PURPOSE,
            token,
            &[&until.as_millis().to_be_bytes(), name.as_bytes()],
            seal,
        )?;
        let holds = until > now && !self.ended.lock().contains_key(name);
        holds.then(|| (name.to_owned(), principal))
    }

    /// Ends a session at this server.
    pub(crate) fn end(&self, name: &str, now: Timestamp) {
        let mut ended = self.ended.lock();
        if ended.len() >= ENDED_MAX {
            ended.retain(|_, until| *until > now);
        }
        if ended.len() >= ENDED_MAX {
            let first = ended.iter().min_by_key(|(_, until)| **until).map(|(name, _)| name.clone());
            first.and_then(|name| ended.remove(&name));
        }
        // It ends no later than one that begins now.
        ended.insert(name.to_owned(), now + LASTS);
    }
}

impl<'a> SessionText<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let mut parts = text.split('.');
        let (token, until, name) = (parts.next()?, parts.next()?, parts.next()?);
        let seal = super::parse_seal(parts.next()?)?;
        let until = Timestamp::from_millis(i64::from_str_radix(until, 16).ok()?);
        parts.next().is_none().then_some(Self { token, until, name, seal })
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
        HeaderValue::from_str(&text).expect("sessions are letters, digits and dots")
    }
}

#[cfg(test)]
mod tests {
    use super::{Cookies, LASTS, Sessions};
    use http::{HeaderMap, HeaderValue, header::COOKIE};
    use queue_core::{SeededRng, SystemRng, Timestamp};
    use queue_http::{
        AccessControl, BrowserRules, NewToken, QueueGlob, ReceiptKeys, RequestLimits, Scope, Tokens,
        add_token,
    };
    use std::sync::Arc;

    #[test]
    fn a_session_ends_after_its_time_and_where_somebody_logged_out() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("tokens");
        let token = add_token(&path, NewToken::new([Scope::View], [QueueGlob::any()]), &SystemRng).unwrap();
        let tokens = Arc::new(Tokens::load(&path).unwrap());
        let door = AccessControl::with_tokens(tokens, BrowserRules::default(), RequestLimits::default());
        let holder = door.log_in(&token.reveal()).unwrap();
        let sessions = Sessions::new(Arc::new(ReceiptKeys::generate(&SystemRng)));
        let begun = Timestamp::from_millis(1_000_000);
        let text = sessions.begin(&holder, begun, &SeededRng::new(1));
        let end = begun + LASTS;
        let (name, principal) =
            sessions.find(&door, &text, Timestamp::from_millis(end.as_millis() - 1)).unwrap();
        assert_eq!(principal.token_id(), token.id());
        assert!(sessions.find(&door, &text, end).is_none());
        sessions.end(&name, begun);
        assert!(sessions.find(&door, &text, begun).is_none());
    }

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
