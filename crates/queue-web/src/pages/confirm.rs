//! The page before something that ends or deletes, or that changes many jobs.

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
    /// What to know before; empty if the question says it all.
    pub(crate) warning: &'static str,
    pub(crate) is_final: bool,
    /// What has to be typed before it is done.
    pub(crate) typed: Option<String>,
    /// There is nothing to do.
    pub(crate) is_empty: bool,
}

/// What to know before records are deleted.
pub(crate) const DELETED: &str = "Nothing brings deleted records back.";
/// The field by which a form says that its question was answered.
pub(crate) const SURE: (&str, &str) = ("sure", "yes");

impl HiddenField {
    pub(crate) fn of((name, value): (&str, &str)) -> Self {
        Self { name: name.to_owned(), value: value.to_owned() }
    }
}

impl Visit {
    /// Whether the form was sent by the page that asks.
    pub(crate) fn is_sure(&self) -> bool {
        self.form.get(SURE.0) == Some(SURE.1)
    }
}

/// A page that asks once more.
pub(crate) fn confirm(visit: &Visit, title: &str, page: impl FnOnce(Frame) -> ConfirmPage) -> Result<Answer> {
    answer::page(&page(visit.frame(title)))
}
