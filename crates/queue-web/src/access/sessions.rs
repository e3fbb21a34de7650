//! Sessions: who logged in with which token, until when, sealed by the keys of receipts. No server
//! keeps them, so any that has the keys and the tokens knows them.

use super::{Cookies, ended_sessions::EndedSessions};
use http::{HeaderMap, HeaderValue, header::COOKIE};
use queue_core::{Rng, Span, Storage, Timestamp};
use queue_http::{AccessControl, Principal, ReceiptKeys, Seal, TokenHolder};
use std::sync::Arc;

/// How long a session lasts, used or not.
const LASTS: Span = Span::from_secs(12 * 3600);
/// What the seals are for, so that no receipt and no proof of a form is one.
const PURPOSE: &str = "dashboard session";
/// The longest cookie that is looked at.
const BYTES_MAX: usize = 256;

/// Creates sessions and recognises them. A session ends after twelve hours, with its token, and
/// when both keys of its time have been replaced. A logout ends it at once at this server, and
/// within seconds at the other servers of the store.
#[derive(Debug)]
pub(crate) struct Sessions {
    keys: Arc<ReceiptKeys>,
    ended: EndedSessions,
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
        Self { keys, ended: EndedSessions::new(LASTS.as_duration()) }
    }

    /// Begins a session, and answers what the browser keeps.
    pub(crate) fn begin(&self, holder: &TokenHolder, now: Timestamp, rng: &dyn Rng) -> String {
        let until = now + LASTS;
        let name = format!("{:032x}", rng.next_u128());
        let seal = holder.seal(&self.keys, PURPOSE, &[&until.as_millis().to_be_bytes(), name.as_bytes()]);
        format!("{}.{:x}.{name}.{}", holder.id(), until.as_millis(), super::seal_text(seal))
    }

    /// The name of a session that holds, and whose it is.
    pub(crate) async fn find(
        &self,
        store: &dyn Storage,
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
        // The store is asked for sessions alone that this service has made.
        let holds = until > now && !self.ended.has(store, name, now).await;
        holds.then(|| (name.to_owned(), principal))
    }

    /// Ends a session.
    pub(crate) async fn end(&self, store: &dyn Storage, name: &str, now: Timestamp) {
        self.ended.add(store, name, now).await;
    }
}

impl<'a> SessionText<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let mut parts = text.split('.');
        let token = parts.next()?;
        let until = parts.next()?;
        let name = parts.next()?;
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
    use queue_core::{QueueGlob, SeededRng, SystemRng, Timestamp};
    use queue_http::{
        AccessControl, BrowserRules, NewToken, ReceiptKeys, RequestLimits, Scope, Tokens, add_token,
    };
    use std::sync::Arc;

    #[tokio::test]
    async fn a_session_ends_after_its_time_and_where_somebody_logged_out() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("tokens");
        let token = add_token(&path, NewToken::new([Scope::View], [QueueGlob::any()]), &SystemRng).unwrap();
        let tokens = Arc::new(Tokens::load(&path).unwrap());
        let door = AccessControl::with_tokens(tokens, BrowserRules::default(), RequestLimits::default());
        let holder = door.log_in(&token.reveal()).unwrap();
        let store = queue::MemoryStorage::new();
        let sessions = Sessions::new(Arc::new(ReceiptKeys::generate(&SystemRng)));
        let begun = Timestamp::from_millis(1_000_000);
        let text = sessions.begin(&holder, begun, &SeededRng::new(1));
        let end = begun + LASTS;
        let (name, principal) =
            sessions.find(&store, &door, &text, Timestamp::from_millis(end.as_millis() - 1)).await.unwrap();
        assert_eq!(principal.token_id(), token.id());
        assert!(sessions.find(&store, &door, &text, end).await.is_none());
        sessions.end(&store, &name, begun).await;
        assert!(sessions.find(&store, &door, &text, begun).await.is_none());
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
