//! What surrounds every page.

use super::{Look, Theme, Visit};
use crate::assets;
use queue_http::Scope;

/// What surrounds every page: its head, the ways to the others, and what the visitor may do.
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) nav: Vec<NavLink>,
    pub(crate) stores: Vec<NavLink>,
    pub(crate) store: String,
    pub(crate) has_stores: bool,
    pub(crate) who: Option<String>,
    pub(crate) has_session: bool,
    pub(crate) proof: String,
    pub(crate) changes: Option<String>,
    pub(crate) notice: Option<Notice>,
    pub(crate) may: Allowed,
    /// The page itself, to return to from an action.
    pub(crate) here: String,
    pub(crate) look: Look,
}

/// A way to a page.
pub(crate) struct NavLink {
    pub(crate) href: String,
    pub(crate) label: String,
    pub(crate) is_current: bool,
}

/// What the last action did, in words of this crate.
pub(crate) struct Notice {
    pub(crate) is_good: bool,
    pub(crate) words: String,
}

/// What the visitor may do.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a scope")]
pub(crate) struct Allowed {
    pub(crate) payload: bool,
    pub(crate) operate: bool,
    pub(crate) produce: bool,
    pub(crate) admin: bool,
}

/// The pages to which every page leads.
const NAV: [(&str, &str); 9] = [
    ("", "Overview"),
    ("jobs", "Jobs"),
    ("errors", "Errors"),
    ("kinds", "Kinds"),
    ("workers", "Workers"),
    ("schedules", "Schedules"),
    ("batches", "Batches"),
    ("operations", "Operations"),
    ("doctor", "Doctor"),
];
/// The pages that are about one queue, and keep it when one goes from one to the other.
const OF_QUEUE: [&str; 5] = ["jobs", "errors", "kinds", "schedules", "batches"];

impl Frame {
    /// The colours that a visitor may choose.
    pub(crate) fn themes(&self) -> [(&'static str, bool); 3] {
        Theme::ALL.map(|theme| (theme.name(), theme == self.look.theme))
    }
}

impl Visit {
    /// The frame of a page.
    pub(crate) fn frame(&self, title: impl Into<String>) -> Frame {
        let page = &self.route.path[1..];
        let may = Allowed {
            payload: self.has(Scope::Payload),
            operate: self.has(Scope::Operate),
            produce: self.has(Scope::Produce),
            admin: self.has(Scope::Admin) && self.sees_all(),
        };
        let others = self.app.stores.iter().map(|store| NavLink {
            href: super::relative(page_for_other_store(page), &[("store", &store.name)]),
            label: store.name.to_string(),
            is_current: store.name == self.store.name,
        });
        let has_stores = self.app.stores.iter().len() > 1;
        Frame {
            title: title.into(),
            style: assets::style(),
            script: assets::script(),
            icon: assets::icon(),
            nav: if self.principal().is_some() { self.nav(page, may) } else { Vec::new() },
            stores: if has_stores { others.collect() } else { Vec::new() },
            store: self.store.name.to_string(),
            has_stores,
            who: self.principal().map(|principal| principal.who().into_owned()),
            has_session: self.session.is_some(),
            proof: self.proof(),
            changes: None,
            notice: super::super::words::notice(&self.query),
            may,
            here: self.here(),
            look: self.look,
        }
    }

    /// The frame of a page that is kept fresh: by what happens in this queue, or in any.
    pub(crate) fn live_frame(&self, title: impl Into<String>, queue: Option<&str>) -> Frame {
        let pair = queue.map(|queue| ("queue", queue));
        let changes = self.link("changes", &pair.into_iter().collect::<Vec<_>>());
        Frame { changes: Some(changes).filter(|_| !self.look.is_still), ..self.frame(title) }
    }

    /// The address of this page, without what the last action did.
    pub(crate) fn here(&self) -> String {
        if self.route.method != http::Method::GET {
            return self.form.get("back").and_then(super::back).unwrap_or_else(|| self.link("", &[]));
        }
        super::relative(&self.route.path[1..], &self.query.without(&["did", "n", "not"]))
    }

    fn nav(&self, page: &str, may: Allowed) -> Vec<NavLink> {
        let queue = self.field("queue").map(|queue| ("queue", queue));
        let shown = NAV.into_iter().filter(|(name, _)| *name != "doctor" || may.admin);
        shown
            .map(|(name, label)| {
                let pair = queue.filter(|_| OF_QUEUE.contains(&name));
                NavLink {
                    href: self.link(name, &pair.into_iter().collect::<Vec<_>>()),
                    label: label.to_owned(),
                    is_current: is_part_of(page, name),
                }
            })
            .collect()
    }
}

/// Whether a page belongs to an entry of the navigation.
fn is_part_of(page: &str, entry: &str) -> bool {
    match page {
        "queue" => entry.is_empty(),
        "job" | "reveal" | "download" | "change" | "bulk" | "new-job" | "edit-job" | "enqueue" => {
            entry == "jobs"
        }
        "new-schedule" | "edit-schedule" | "put-schedule" => entry == "schedules",
        "batch" | "seal-batch" | "stop-batch" => entry == "batches",
        page => page == entry,
    }
}

/// A queue or a job of one store is none of another.
fn page_for_other_store(page: &str) -> &str {
    if NAV.iter().any(|(name, _)| *name == page) { page } else { "" }
}
