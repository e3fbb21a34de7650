//! Charts, drawn by the server: shapes in SVG, axes in text beside them, and every number in a
//! table behind them.
//!
//! A drawing is stretched to the width that a screen has, so it has no text of its own. It has no
//! style either, since the policy of the pages refuses that: classes name its colours.

#![allow(clippy::cast_precision_loss, reason = "a drawing has fewer digits than any number")]

mod drawing;
mod flow;
mod histogram;
mod times;

pub(crate) use drawing::{meter, sparkline};
pub(crate) use flow::flow;
pub(crate) use histogram::histogram;
pub(crate) use times::times;

/// A chart, with what a reader without eyes for it needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub(crate) id: &'static str,
    pub(crate) title: String,
    /// What it shows, in a sentence.
    pub(crate) summary: String,
    pub(crate) legend: Vec<LegendEntry>,
    /// The labels of the upward axis, from above.
    pub(crate) upward: Vec<String>,
    /// The labels of the other axis, from the left.
    pub(crate) along: Vec<String>,
    /// Markup of this module, of numbers and fixed words alone.
    pub(crate) drawing: String,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// What a colour means.
#[derive(Clone, Debug)]
pub(crate) struct LegendEntry {
    pub(crate) class: &'static str,
    pub(crate) words: String,
}
