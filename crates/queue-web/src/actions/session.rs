//! Logging in and out, and how the browser shows pages.

use crate::{
    answer::{self, Answer, page_with},
    pages::LoginPage,
    problem::{Result, WebProblem},
    visit::{Look, Visit, back},
};
use http::{StatusCode, header::SET_COOKIE};

/// `POST /login`: takes a token once, and begins a session. The token itself is not kept.
pub(crate) async fn log_in(visit: Visit) -> Result<Answer> {
    let app = &visit.app;
    if !app.policy.has_login() {
        return Err(WebProblem::not_found("This dashboard has no login of its own."));
    }
    let to = visit.form.get("to").and_then(back);
    let holder = visit.form.get("token").and_then(|token| app.policy.door.log_in(token.trim()));
    let Some(holder) = holder else {
        let page = LoginPage { frame: visit.frame("Log in"), to: to.unwrap_or_default(), has_failed: true };
        return page_with(StatusCode::FORBIDDEN, &page);
    };
    // A session from before the login ends: a name that was known earlier must not become a
    // logged-in one.
    if let Some(before) = &visit.session {
        app.sessions.end(&*app.stores.first().storage, before, app.clock.now()).await;
    }
    let session = app.sessions.begin(&holder, app.clock.now(), &*app.rng);
    let mut answer = answer::see(&to.unwrap_or_else(|| "./".to_owned()));
    answer.headers_mut().insert(SET_COOKIE, app.policy.cookies.header(Some(&session)));
    Ok(answer)
}

/// `POST /logout`
pub(crate) async fn log_out(visit: Visit) -> Result<Answer> {
    if let Some(session) = &visit.session {
        let app = &visit.app;
        app.sessions.end(&*app.stores.first().storage, session, app.clock.now()).await;
    }
    let mut answer = answer::see(if visit.app.policy.has_login() { "./login" } else { "./" });
    answer.headers_mut().insert(SET_COOKIE, visit.app.policy.cookies.header(None));
    Ok(answer)
}

/// `POST /look`: colours, the zone of times, and whether pages keep themselves fresh.
pub(crate) async fn set_look(visit: Visit) -> Result<Answer> {
    let mut answer = answer::see(&visit.here());
    answer.headers_mut().insert(SET_COOKIE, Look::chosen(&visit.form).header());
    Ok(answer)
}
