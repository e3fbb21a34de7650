//! One line of the results: a figure, and the run, store, scenario and setting that it belongs to.

use crate::{
    figures::Figures,
    scenario::{Scenario, Setting},
    store::StoreKind,
};
use serde::{Deserialize, Serialize};

/// One figure of one scenario on one store at one setting, in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// The run that it belongs to, by which it finds its floor.
    pub(crate) run: String,
    pub(crate) store: StoreKind,
    pub(crate) scenario: Scenario,
    #[serde(default, skip_serializing_if = "Setting::is_default")]
    pub(crate) setting: Setting,
    /// Which of several figures it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
    pub(crate) round: usize,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}
