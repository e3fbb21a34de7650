//! The page before something that cannot be taken back, or that changes many jobs.

use crate::{
    answer::{self, Answer},
    problem::Result,
    visit::{Frame, Visit},
};
use askama::Template;

/// A field that a form carries on.
#[derive(Clone, Debug)]
pub(crate) struct HiddenField {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Template)]
#[template(path = "confirm.html")]
pub(crate) struct ConfirmPage {
    pub(crate) frame: Frame,
    /// What will happen.
    pub(crate) question: String,
    pub(crate) details: Vec<(String, String)>,
    /// Where the form goes.
    pub(crate) action: &'static str,
    pub(crate) fields: Vec<HiddenField>,
    /// What the button says.
    pub(crate) label: String,
    pub(crate) is_final: bool,
    /// What has to be typed before it is done.
    pub(crate) typed: Option<String>,
    /// There is nothing to do.
    pub(crate) is_empty: bool,
}

/// A page that asks once more.
pub(crate) fn confirm(visit: &Visit, title: &str, page: impl FnOnce(Frame) -> ConfirmPage) -> Result<Answer> {
    answer::page(&page(visit.frame(title)))
}
