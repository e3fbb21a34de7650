//! What a request passes before a page or an action sees it.

use super::{Gate, PageRoute};
use crate::{
    answer::{self, Answer},
    app::WebApp,
    pages::problem_page,
    problem::WebProblem,
    visit::{Fields, Look, Visit},
};
use http::{Method, Request, StatusCode, header::CONTENT_TYPE, request::Parts};
use queue_http::{AnswerBody, Principal, READ_MAX, Scope};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// The largest form: a page of ids, and a filter.
const FORM_BYTES_MAX: usize = 256 << 10;
/// The largest form with a payload, of which each byte may be sent as three.
const PAYLOAD_BYTES_MAX: usize = 4 << 20;
/// The largest form of a visitor who has not logged in.
const LOGIN_BYTES_MAX: usize = 8 << 10;
/// How long an action may take. A page has [`READ_MAX`].
const ACTION_MAX: Duration = Duration::from_secs(30);
const FORM_TYPE: &str = "application/x-www-form-urlencoded";
/// The field of a form that proves where it came from.
pub(crate) const PROOF: &str = "proof";

/// The visitor, and the proof that their forms must carry.
struct Visitor {
    principal: Principal,
    holder: String,
    session: Option<String>,
}

/// Lets a request in, or says why not, and runs what it asks for.
pub(super) async fn enter(
    app: Arc<WebApp>,
    route: &'static PageRoute,
    request: Request<AnswerBody>,
) -> Result<Answer, WebProblem> {
    let (head, body) = request.into_parts();
    let visitor = visitor(&app, &head).await;
    let scope = match route.gate {
        Gate::Open => None,
        Gate::Needs(scope) => Some(scope),
    };
    if scope.is_some() && visitor.is_none() {
        return stranger(&app, &head);
    }
    if let (Some(scope), Some(visitor)) = (scope, &visitor)
        && !visitor.principal.has(scope)
    {
        return Err(WebProblem::lacks(scope));
    }
    let bytes_max = match scope {
        None => LOGIN_BYTES_MAX,
        Some(Scope::Produce) => PAYLOAD_BYTES_MAX,
        Some(_) => FORM_BYTES_MAX,
    };
    let form = if route.method == Method::POST {
        read_form(&app, &head, body, bytes_max).await?
    } else {
        Fields::default()
    };
    let is_proven = visitor
        .as_ref()
        .is_some_and(|visitor| form.get(PROOF).is_some_and(|proof| app.forms.is_of(&visitor.holder, proof)));
    // There is no proof before the first session; a login relies on the other checks of the access
    // layer.
    if route.method == Method::POST && scope.is_some() && !is_proven {
        return Err(WebProblem::forbidden(
            "The form is not of this session. Load its page again and send it from there.",
        ));
    }
    let (principal, holder, session) = match visitor {
        Some(Visitor { principal, holder, session }) => (Some(principal), holder, session),
        None => (None, String::new(), None),
    };
    let query = Fields::parse(head.uri.query().unwrap_or_default().as_bytes());
    let is_form = route.method == Method::POST;
    let visit =
        Visit::new(app.clone(), route, principal, (holder, session), query, (form, Look::of(&head.headers)))?;
    let frame = visit.frame("");
    let (most, words) = if route.method.is_safe() {
        (READ_MAX, "The store did not answer in time. Try again in a moment.")
    } else {
        (ACTION_MAX, "There was no answer in time. What you asked for may have been done all the same.")
    };
    let overdue = |_| WebProblem::new(StatusCode::SERVICE_UNAVAILABLE, words);
    let answer = timeout(most, (route.run)(visit)).await.map_err(overdue).flatten();
    Ok(answer.unwrap_or_else(|problem| problem_page(&app, Some((frame, is_form)), &problem)))
}

/// The page of an address that leads nowhere, with the menu for those who have one.
pub(super) async fn lost(app: &Arc<WebApp>, head: &Parts, problem: &WebProblem) -> Answer {
    let known = visitor(app, head).await;
    let frame = known.and_then(|Visitor { principal, holder, session }| {
        let (query, look) = (Fields::default(), Look::of(&head.headers));
        let route = super::table().first()?;
        let of = (holder, session);
        let visit = Visit::new(app.clone(), route, Some(principal), of, query, (Fields::default(), look));
        let mut frame = visit.ok()?.frame("");
        frame.nav.iter_mut().for_each(|link| link.is_current = false);
        Some((frame, false))
    });
    problem_page(app, frame, problem)
}

/// The visitor: by a session, or by the policy's other ways to know a caller.
async fn visitor(app: &WebApp, head: &Parts) -> Option<Visitor> {
    let store = &*app.stores.first().storage;
    if app.policy.has_login()
        && let Some(text) = app.policy.cookies.session(&head.headers)
        && let Some((name, principal)) =
            app.sessions.find(store, &app.policy.door, text, app.clock.now()).await
    {
        return Some(Visitor { principal, holder: format!("session {name}"), session: Some(name) });
    }
    let principal = app.policy.caller(head)?;
    let holder = principal.token_id().to_owned();
    Some(Visitor { principal, holder, session: None })
}

/// Redirects an unknown visitor who asks for a page to the login.
fn stranger(app: &WebApp, head: &Parts) -> Result<Answer, WebProblem> {
    let wants_page = head.method.is_safe() && head.uri.path() != "/changes";
    if !app.policy.has_login() || !wants_page {
        let words = "Nobody whom this dashboard knows makes this request.";
        return Err(WebProblem::new(StatusCode::UNAUTHORIZED, words));
    }
    let page = head.uri.path().trim_start_matches('/');
    let wanted = head.uri.query().map_or_else(|| page.to_owned(), |query| format!("{page}?{query}"));
    let pairs = [("to", wanted.as_str())];
    let to = if wanted.is_empty() { &[][..] } else { &pairs[..] };
    Ok(answer::see(&crate::visit::relative("login", to)))
}

async fn read_form(
    app: &WebApp,
    head: &Parts,
    body: AnswerBody,
    bytes_max: usize,
) -> Result<Fields, WebProblem> {
    let media_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(FORM_TYPE) {
        return Err(WebProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send a form of the dashboard."));
    }
    let read = app.policy.door.read_form(body, bytes_max).await;
    read.map(|bytes| Fields::parse(&bytes)).map_err(WebProblem::of_status)
}
