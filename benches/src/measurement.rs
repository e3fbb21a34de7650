use crate::{
    figures::Figures,
    scenario::{Scenario, Setting},
    store::StoreKind,
};
use serde::Serialize;

/// One scenario on one store at one setting, once.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    pub(crate) store: StoreKind,
    pub(crate) scenario: Scenario,
    #[serde(skip_serializing_if = "Setting::is_default")]
    pub(crate) setting: Setting,
    pub(crate) round: usize,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}
