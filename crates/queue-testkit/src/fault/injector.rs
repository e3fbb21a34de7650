//! Chooses the fault of each call and hint, and counts those that were injected.

use crate::fault::{Fault, FaultCounts, FaultKind, FaultPlan, HintFault, StorageVerb};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::atomic::{AtomicBool, Ordering},
};

/// Draws faults, from the script first and then from the plan, and counts them.
#[derive(Debug)]
pub(super) struct Injector {
    plan: FaultPlan,
    script: Mutex<BTreeMap<StorageVerb, VecDeque<Fault>>>,
    tally: Mutex<FaultCounts>,
    is_healed: AtomicBool,
}

impl Injector {
    pub(super) fn new(plan: FaultPlan) -> Self {
        Self { plan, script: Mutex::default(), tally: Mutex::default(), is_healed: AtomicBool::new(false) }
    }

    pub(super) fn next(&self, verb: StorageVerb, calls: usize, fault: &Fault) {
        let repeated = std::iter::repeat_n(fault.clone(), calls);
        self.script.lock().entry(verb).or_default().extend(repeated);
    }

    pub(super) fn heal(&self) {
        self.is_healed.store(true, Ordering::SeqCst);
        self.script.lock().clear();
    }

    pub(super) fn tally(&self) -> FaultCounts {
        self.tally.lock().clone()
    }

    pub(super) fn draw(&self, verb: StorageVerb) -> Option<Fault> {
        let scripted = self.script.lock().get_mut(&verb).and_then(VecDeque::pop_front);
        let drawn = scripted.or_else(|| if self.is_healed() { None } else { self.plan.draw(verb) });
        self.count(drawn.as_ref().map(Fault::kind));
        drawn
    }

    pub(super) fn draw_hint(&self) -> Option<HintFault> {
        let drawn = if self.is_healed() { None } else { self.plan.draw_hint() };
        self.count(drawn.map(HintFault::kind));
        drawn
    }

    fn is_healed(&self) -> bool {
        self.is_healed.load(Ordering::SeqCst)
    }

    fn count(&self, kind: Option<FaultKind>) {
        if let Some(kind) = kind {
            self.tally.lock().add(kind);
        }
    }
}
