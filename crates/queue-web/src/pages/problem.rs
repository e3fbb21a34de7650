//! The page of a request that was not carried out.

use crate::{
    answer::{self, Answer, page_with},
    app::WebApp,
    assets,
    problem::WebProblem,
    visit::{Allowed, Frame, Look},
};
use askama::Template;
use bytes::Bytes;

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage {
    frame: Frame,
    words: String,
    can_log_in: bool,
    /// A form was sent from another page.
    is_form: bool,
}

/// A page that says what is wrong. It has the menu if the visitor has one; without a frame it
/// reveals nothing about stores, since any visitor may get it.
pub(crate) fn problem_page(app: &WebApp, frame: Option<(Frame, bool)>, problem: &WebProblem) -> Answer {
    let (frame, is_form) = frame.unwrap_or_else(|| (bare(), false));
    let frame = Frame { title: problem.title().to_owned(), notice: None, ..frame };
    let can_log_in = app.policy.has_login() && problem.status == http::StatusCode::UNAUTHORIZED;
    let page = ProblemPage { frame, words: problem.words.to_string(), can_log_in, is_form };
    page_with(problem.status, &page).unwrap_or_else(|_| answer::of(problem.status, Bytes::new()))
}

/// The frame of a visitor who is not known.
fn bare() -> Frame {
    Frame {
        title: String::new(),
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
        look: Look::default(),
    }
}
