//! The steps of the protocol, and their names in a trace.

use crate::{
    coordinator,
    fold::{Take, fold},
    member,
    rules::{Defect, Property},
    state::{CHILD, MEMBERS, PARENT, State, TOLERANT, URGENT},
};
use std::fmt;

pub(crate) type Outcomes = Vec<(Step, Result<State, Property>)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(usize, &'static str),
    Coordinator(&'static str),
    Fold(Take),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(PARENT, what) => write!(f, "the parent {what}"),
            Self::Member(URGENT, what) => write!(f, "the urgent member {what}"),
            Self::Member(TOLERANT, what) => write!(f, "the tolerant member {what}"),
            Self::Member(CHILD, what) => write!(f, "the child {what}"),
            Self::Member(other, what) => write!(f, "member {other} {what}"),
            Self::Coordinator(what) => write!(f, "the coordinator {what}"),
            Self::Fold(Take::All) => write!(f, "a fold takes all slips"),
            Self::Fold(take) => write!(f, "a fold takes one slip: {take:?}"),
        }
    }
}

/// All states that one step leads to.
pub(crate) fn successors(state: &State, defect: Option<Defect>, out: &mut Outcomes) {
    out.clear();
    for index in 0..MEMBERS {
        member::steps(state, index, defect, out);
    }
    if state.has_ended() {
        return;
    }
    coordinator::steps(state, defect, out);
    for take in Take::EVERY {
        if let Some(after) = fold(state, take, defect).transpose() {
            out.push((Step::Fold(take), after));
        }
    }
}
