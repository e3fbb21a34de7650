//! Who may see a dashboard.

use queue_core::SystemRng;
use queue_http::{AccessControl, Principal, ReceiptKeys};
use std::sync::Arc;

/// Who may see a dashboard, and do what: the [scopes](queue_http::Scope) of a principal are its
/// roles.
///
/// | scope | what it allows here |
/// |---|---|
/// | `view` | all pages, without payloads, results and details of errors |
/// | `payload` | those too, of a job that it opens |
/// | `operate` | actions |
/// | `produce` | what forms make: jobs, with `operate` schedules; with `view`, sealing |
/// | `admin` | the doctor |
///
/// A principal sees the queues that its token names, and workers that work on one of them.
#[derive(Clone, Debug)]
pub struct AccessPolicy {
    pub(crate) door: AccessControl,
    pub(crate) source: PrincipalSource,
    pub(crate) cookies: Cookies,
    pub(crate) keys: Arc<ReceiptKeys>,
}

/// Where the principal of a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrincipalSource {
    /// A session, or what the door makes of the request.
    Door,
    /// The application, which has put one into the extensions of the request.
    Request,
}

/// How cookies travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cookies {
    /// Over any connection: browsers reach the dashboard unencrypted.
    Any,
    /// Over encrypted connections alone.
    Secure,
}

impl AccessPolicy {
    /// Lets in whom this front door lets in. If it asks for tokens, a page takes one and begins a
    /// session.
    pub fn of_door(door: AccessControl) -> Self {
        Self::new(door, PrincipalSource::Door)
    }

    /// Lets in whom the application has let in: a layer before the dashboard knows its users, and
    /// puts a [`Principal`] into the extensions of each request. A request without one is refused.
    /// Of the door, the rules about names and sites count.
    pub fn of_requests(door: AccessControl) -> Self {
        Self::new(door, PrincipalSource::Request)
    }

    fn new(door: AccessControl, source: PrincipalSource) -> Self {
        Self { door, source, cookies: Cookies::Any, keys: Arc::new(ReceiptKeys::generate(&SystemRng)) }
    }

    /// Seals sessions and the proofs of forms with these keys. A login at one server is then valid
    /// at all servers that have the keys and the tokens, also after a restart. Without this, keys
    /// are generated, and sessions end with the process.
    #[must_use]
    pub fn with_keys(self, keys: Arc<ReceiptKeys>) -> Self {
        Self { keys, ..self }
    }

    /// Browsers reach the dashboard over HTTPS alone, by this server or by a proxy before it, so
    /// sessions are never sent over another connection.
    #[must_use]
    pub fn over_https(self) -> Self {
        Self { cookies: Cookies::Secure, ..self }
    }

    /// Whether a visitor without a principal can log in on a page.
    pub(crate) fn has_login(&self) -> bool {
        self.source == PrincipalSource::Door && self.door.asks_for_tokens()
    }

    /// The principal of a request without a session.
    pub(crate) fn caller(&self, request: &http::request::Parts) -> Option<Principal> {
        match self.source {
            PrincipalSource::Door => self.door.caller(request),
            PrincipalSource::Request => request.extensions.get::<Principal>().cloned(),
        }
    }
}
