//! Where one logs in.

use crate::{
    answer::{self, Answer},
    problem::Result,
    visit::{Frame, Visit, back},
};
use askama::Template;

#[derive(Template)]
#[template(path = "login.html")]
pub(crate) struct LoginPage {
    pub(crate) frame: Frame,
    pub(crate) to: String,
    pub(crate) has_failed: bool,
}

/// `GET /login`
pub(crate) async fn login(visit: Visit) -> Result<Answer> {
    if visit.principal().is_some() || !visit.app.policy.has_login() {
        return Ok(answer::see("./"));
    }
    let to = visit.query.get("to").and_then(back).unwrap_or_default();
    answer::page(&LoginPage { frame: visit.frame("Log in"), to, has_failed: false })
}
