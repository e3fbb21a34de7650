//! The front door: what every request passes before a handler sees it.

use crate::{
    access::{
        BrowserRules, Gate, Principal, Refusal, RequestLimits, Scope, Tokens,
        bodies::Bodies,
        browser_rules::{MediaType, check_media_type, single},
        queue_in_path::queue_in_path,
        tokens::NotLetIn,
    },
    routes::{STORE_PATH, scope_of},
    service::{Routed, Service},
};
use axum::{
    Router,
    body::{Body, HttpBody},
    extract::{MatchedPath, NestedPath, Request, State},
    http::{
        HeaderValue, Method,
        header::{
            AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
            RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
        },
        request::Parts,
    },
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use std::{fmt, sync::Arc, time::Duration};
use tokio::time::timeout;
use tower_http::cors::CorsLayer;

/// How long a browser remembers that an origin is listed.
const PREFLIGHT_AGE: Duration = Duration::from_mins(10);

/// The subject of the client certificate of a connection, in the form of RFC 4514. The server puts
/// it into the extensions of each request of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateSubject(pub Arc<str>);

/// The front door of a service: names, sites, tokens, scopes, bodies and times are checked here, so
/// that a handler sees a request of a [`Principal`] that may make it, with its whole body.
///
/// ```
/// use queue_core::SystemRng;
/// use queue_http::{AccessControl, BrowserRules, ReceiptKeys, RequestLimits, Service};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue_core::Result<()> {
/// let service = Service::new(queue::open("memory:").await?, ReceiptKeys::generate(&SystemRng));
/// let rules = BrowserRules::default().only_hosts([]);
/// let door = AccessControl::without_tokens(rules, RequestLimits::default());
/// // A `tower::Service` for a server that only this machine reaches.
/// let guarded = door.guard(&service);
/// # drop(guarded);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct AccessControl {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    tokens: Option<Arc<Tokens>>,
    anybody: Principal,
    rules: BrowserRules,
    limits: RequestLimits,
    bodies: Bodies,
}

/// What the guard of a router knows: the door, and the gate of each route.
struct Guard<F> {
    door: AccessControl,
    gate_of: Arc<F>,
}

impl AccessControl {
    /// Lets in who has a token, or a client certificate whose subject the file names.
    pub fn with_tokens(tokens: Arc<Tokens>, rules: BrowserRules, limits: RequestLimits) -> Self {
        Self::new(Some(tokens), rules, limits)
    }

    /// Admits every caller, as [`Principal::anybody`]. Only for a service that no untrusted program
    /// can reach; the rules should list its host names.
    pub fn without_tokens(rules: BrowserRules, limits: RequestLimits) -> Self {
        Self::new(None, rules, limits)
    }

    fn new(tokens: Option<Arc<Tokens>>, rules: BrowserRules, limits: RequestLimits) -> Self {
        let bodies = Bodies::new(limits);
        Self { inner: Arc::new(Inner { tokens, anybody: Principal::anybody(), rules, limits, bodies }) }
    }

    /// Puts the door before the calls of a service.
    pub fn guard(&self, service: &Service) -> Routed {
        let gate_of = |method: &Method, path: &str| {
            let scope = scope_of(method, path)?;
            Some(scope.map_or(Gate::Open, Gate::Needs))
        };
        Routed::new(service.measured(self.guard_router(service.router(), gate_of)))
    }

    /// Puts access control in front of a router. `gate_of` gets the method and the pattern of the
    /// path that the router matched; a route without a gate is unreachable. A `HEAD` passes the
    /// gate of its `GET`. The patterns are the router's own, even when it is nested in another one.
    fn guard_router<F>(&self, router: Router, gate_of: F) -> Router
    where
        F: Fn(&Method, &str) -> Option<Gate> + Send + Sync + 'static,
    {
        let guard = Guard { door: self.clone(), gate_of: Arc::new(gate_of) };
        let router = router.layer(from_fn_with_state(guard, pass));
        if self.inner.rules.origins().len() == 0 {
            return router;
        }
        let origins: Vec<HeaderValue> = self.inner.rules.origins().cloned().collect();
        let cors = CorsLayer::new()
            .allow_origin(origins)
            .allow_methods([Method::GET, Method::POST, Method::PUT])
            .allow_headers([AUTHORIZATION, CONTENT_TYPE])
            .expose_headers([RETRY_AFTER])
            .max_age(PREFLIGHT_AGE);
        router.layer(cors)
    }

    pub(super) fn rules(&self) -> &BrowserRules {
        &self.inner.rules
    }

    pub(super) fn tokens(&self) -> Option<&Tokens> {
        self.inner.tokens.as_deref()
    }

    pub(super) fn request_limits(&self) -> &RequestLimits {
        &self.inner.limits
    }

    pub(super) fn principal(&self, request: &Parts) -> Result<Principal, NotLetIn> {
        let Some(tokens) = &self.inner.tokens else { return Ok(self.inner.anybody.clone()) };
        match single(&request.headers, &AUTHORIZATION) {
            Err(()) => Err(NotLetIn::NoToken),
            Ok(Some(value)) => tokens.bearer(bearer(value).ok_or(NotLetIn::NoToken)?),
            Ok(None) => {
                let subject = request.extensions.get::<CertificateSubject>().ok_or(NotLetIn::Nothing)?;
                tokens.subject(&subject.0)
            }
        }
    }

    /// Lets the caller through this gate, or says why not. An open gate does not ask who it is.
    fn admit(
        &self,
        request: &mut Parts,
        gate: Option<Gate>,
        pattern: Option<&str>,
    ) -> Result<Option<Principal>, Refusal> {
        let scope = match gate {
            Some(Gate::Open) => return Ok(None),
            Some(Gate::Needs(scope)) => Ok(scope),
            None if pattern.is_some() => Err(Refusal::Method),
            None => Err(Refusal::NotFound),
        };
        // A stranger must not learn which routes exist.
        let principal = self.principal(request).map_err(|reason| {
            tracing::debug!(?reason, "a caller was not let in");
            Refusal::Unauthorized
        })?;
        allow(&principal, scope?, request, pattern)?;
        request.extensions.insert(principal.clone());
        Ok(Some(principal))
    }
}

/// A stream ends with the token that opened it; an answer that is there already does not.
fn until_ended(answer: Response, principal: Principal) -> Response {
    if answer.body().size_hint().exact().is_some() {
        return answer;
    }
    let ended = async move { principal.ended().await };
    answer.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(ended))))
}

/// Checks the scope, and the queue that the path names. A queue that cannot be is the router's
/// matter to refuse.
fn allow(principal: &Principal, scope: Scope, request: &Parts, pattern: Option<&str>) -> Result<(), Refusal> {
    if !principal.has(scope) {
        tracing::debug!(token = principal.token_id(), scope = scope.name(), "a token lacks a scope");
        return Err(Refusal::Forbidden(principal.lacks(scope)));
    }
    // It reaches every queue, so a token for some of them has no use for it.
    if scope == Scope::Store && !principal.sees_all() {
        return Err(Refusal::Forbidden("the scope store needs a token for all queues: `*`"));
    }
    let queue = pattern.and_then(|pattern| queue_in_path(pattern, request.uri.path()));
    match queue {
        Some(queue) if !principal.sees(&queue) => {
            tracing::debug!(token = principal.token_id(), scope = scope.name(), "a token lacks a queue");
            Err(Refusal::Forbidden("the token does not reach this queue"))
        }
        _ => Ok(()),
    }
}

async fn pass<F>(State(guard): State<Guard<F>>, request: Request, next: Next) -> Response
where
    F: Fn(&Method, &str) -> Option<Gate> + Send + Sync + 'static,
{
    let mut response = match guard.passed(request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    };
    harden(&mut response);
    response
}

impl<F: Fn(&Method, &str) -> Option<Gate>> Guard<F> {
    async fn passed(&self, request: Request, next: Next) -> Result<Response, Refusal> {
        let inner = &self.door.inner;
        let (mut head, body) = request.into_parts();
        inner.rules.check(&head)?;
        let pattern = pattern(&head);
        let asked = if head.method == Method::HEAD { Method::GET } else { head.method.clone() };
        let gate = pattern.as_deref().and_then(|pattern| (self.gate_of)(&asked, pattern));
        let principal = self.door.admit(&mut head, gate, pattern.as_deref())?;
        let media = match gate {
            Some(Gate::Needs(Scope::Store)) => MediaType::NotSimple,
            _ => MediaType::Json,
        };
        check_media_type(&head.method, &head.headers, media)?;
        let (body, _room) = match (gate, &principal) {
            // Calls of a store have limits of their own: the limits of their batches.
            (Some(Gate::Needs(Scope::Store)), _) => (body, None),
            (_, Some(principal)) if !head.method.is_safe() => {
                let (read, room) = inner.bodies.read(body, principal.bodies()).await?;
                (Body::from(read), room)
            }
            // A stranger's call takes no room, and neither does one that only reads.
            _ if body.is_end_stream() => (Body::empty(), None),
            _ => return Err(Refusal::NoBody),
        };
        let handled = next.run(Request::from_parts(head, body));
        let longest = inner.limits.handler_timeout + inner.limits.wait_max;
        let handled = async { timeout(longest, handled).await.map_err(|_| Refusal::Overdue) };
        let Some(principal) = principal else { return handled.await };
        tokio::select! {
            biased;
            handled = handled => handled.map(|answer| until_ended(answer, principal)),
            () = principal.ended() => Err(Refusal::Ended),
        }
    }
}

/// The pattern that the router matched, without that of the router around it. The face of stores
/// takes what begins with its path, for which the router has no pattern.
fn pattern(request: &Parts) -> Option<String> {
    let Some(matched) = request.extensions.get::<MatchedPath>().map(MatchedPath::as_str) else {
        return Some(STORE_PATH.to_owned()).filter(|_| is_of_store(request.uri.path()));
    };
    let around = request.extensions.get::<NestedPath>().map_or("", NestedPath::as_str);
    Some(matched.strip_prefix(around).unwrap_or(matched).to_owned())
}

fn is_of_store(path: &str) -> bool {
    path.strip_prefix(STORE_PATH).is_some_and(|rest| rest.starts_with('/'))
}

/// The token of `Bearer qk_..`; the word may be in any case.
fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Headers that stop browsers from interpreting an answer as anything but its declared type. A page
/// of the dashboard may have set a policy already.
fn harden(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(nothing);
}

impl<F> Clone for Guard<F> {
    fn clone(&self) -> Self {
        Self { door: self.door.clone(), gate_of: self.gate_of.clone() }
    }
}

impl<F> fmt::Debug for Guard<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("door", &self.door).finish_non_exhaustive()
    }
}
