//! The pages and actions, in one table: what serves requests and the tests of roles are made from
//! it, so that there is none that one of them does not know.
//!
//! All paths have one segment, and names are in queries: a proxy changes no name on its way, no id
//! reads as a directory, and links are relative, so that the dashboard works under any path.

mod door;
mod table;

pub(crate) use table::{Gate, PageRoute, table};

use crate::{
    answer::{self, Answer, harden},
    app::WebApp,
    assets,
    pages::problem_page,
    problem::WebProblem,
};
use axum::extract::OriginalUri;
use http::{HeaderValue, Method, Request, StatusCode, header::ALLOW};
use queue_http::AnswerBody;
use std::sync::Arc;

/// The longest part of a wrong address that its page repeats.
const SHOWN_CHARS_MAX: usize = 200;

/// Whether the path is a page, an action or a file.
pub(crate) fn has_path(path: &str) -> bool {
    table().iter().any(|route| route.path == path) || assets::find(path).is_some()
}

/// Answers a request.
pub(crate) async fn run(app: Arc<WebApp>, request: Request<AnswerBody>) -> Answer {
    let is_head = request.method() == Method::HEAD;
    let mut answer = match answered(&app, request).await {
        Ok(answer) => answer,
        Err(problem) => problem_page(&app, None, &problem),
    };
    harden(answer.headers_mut());
    if is_head {
        *answer.body_mut() = AnswerBody::wrap(http_body_util::Empty::new());
    }
    answer
}

async fn answered(app: &Arc<WebApp>, request: Request<AnswerBody>) -> Result<Answer, WebProblem> {
    let path = request.uri().path();
    app.policy.door.check_page(&head_of(&request)).map_err(WebProblem::of_status)?;
    if let Some(file) = assets::find(path) {
        return Ok(file);
    }
    if let Some(directory) = without_slash(&request) {
        return Ok(answer::see(&directory));
    }
    let asked = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let Some(route) = table().iter().find(|route| route.path == path && route.method == *asked) else {
        return Ok(no_route(app, &head_of(&request)).await);
    };
    door::enter(app.clone(), route, request).await
}

/// The head of a request, to be checked.
fn head_of(request: &Request<AnswerBody>) -> http::request::Parts {
    let mut head = Request::new(()).into_parts().0;
    head.method = request.method().clone();
    head.uri = request.uri().clone();
    head.version = request.version();
    head.headers = request.headers().clone();
    head.extensions = request.extensions().clone();
    head
}

/// Where the links of the first page would be wrong: a router around the dashboard was asked for
/// its directory without the slash at the end.
fn without_slash(request: &Request<AnswerBody>) -> Option<String> {
    let OriginalUri(whole) = request.extensions().get()?;
    let last = whole.path().rsplit('/').next().filter(|last| !last.is_empty())?;
    (request.uri().path() == "/").then(|| format!("./{last}/"))
}

async fn no_route(app: &Arc<WebApp>, head: &http::request::Parts) -> Answer {
    let path = head.uri.path();
    let mut methods = table().iter().filter(|route| route.path == path).map(|route| route.method.as_str());
    match methods.next() {
        None => {
            let shown: String = path.chars().take(SHOWN_CHARS_MAX).collect();
            let words = format!("There is no page “{shown}” here.");
            door::lost(app, head, &WebProblem::not_found(words)).await
        }
        Some(method) => {
            let words = "This address takes forms of the dashboard alone.";
            let problem = WebProblem::new(StatusCode::METHOD_NOT_ALLOWED, words);
            let mut answer = door::lost(app, head, &problem).await;
            answer.headers_mut().insert(ALLOW, HeaderValue::from_str(method).expect("methods are words"));
            answer
        }
    }
}
