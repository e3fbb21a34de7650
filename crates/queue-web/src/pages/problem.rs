//! The page of a request that was not carried out.

use crate::{
    answer::{self, Answer, page_with},
    app::WebApp,
    assets,
    problem::WebProblem,
    visit::{Allowed, Frame},
};
use askama::Template;
use bytes::Bytes;

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage {
    frame: Frame,
    words: String,
    can_log_in: bool,
}

/// A page that says what is wrong. It reveals nothing about stores, since any visitor may get it.
pub(crate) fn problem_page(app: &WebApp, problem: &WebProblem) -> Answer {
    let frame = Frame {
        title: problem.title().to_owned(),
        style: assets::style(),
        script: assets::script(),
        icon: assets::icon(),
        nav: Vec::new(),
        stores: Vec::new(),
        store: String::new(),
        has_stores: false,
        who: None,
        has_session: false,
        proof: String::new(),
        changes: None,
        notice: None,
        may: Allowed::default(),
        here: String::new(),
    };
    let can_log_in = app.policy.has_login() && problem.status == http::StatusCode::UNAUTHORIZED;
    let page = ProblemPage { frame, words: problem.words.to_string(), can_log_in };
    page_with(problem.status, &page).unwrap_or_else(|_| answer::of(problem.status, Bytes::new()))
}
