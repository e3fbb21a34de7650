//! A selection of jobs, and the query that it leads to.

use super::{InvalidListing, pages::PAGE_MAX};
use queue_core::{
    Direction, InvalidName, Kind, ListFilter, ListQuery, QueueName, State, Tag, Timestamp, Walk, WorkerId,
};

/// The selection of a listing, as it was set.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    pub(super) states: Vec<State>,
    pub(super) is_due: bool,
    pub(super) is_scheduled: bool,
    pub(super) direction: Option<Direction>,
    pub(super) kind: Option<Result<Kind, InvalidName>>,
    pub(super) tag: Option<Result<Tag, InvalidName>>,
    pub(super) worker: Option<Result<WorkerId, InvalidName>>,
    pub(super) id_prefix: Option<String>,
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
}

impl Choice {
    /// The query for the first page.
    pub(super) fn query(&self, queue: QueueName) -> Result<ListQuery, InvalidListing> {
        self.check()?;
        let tag = self.tag.clone().transpose()?;
        let mut states = self.states.clone();
        states.sort_unstable();
        states.dedup();
        let worker = self.worker.clone().transpose()?;
        if worker.is_some() {
            states = vec![State::Processing];
        }
        let walk = self.walk(&states, tag.as_ref());
        // The walk itself selects the state, so the filter need not.
        if matches!(walk, Walk::State(..)) {
            states.clear();
        }
        let entered = (self.since.is_some() || self.until.is_some()).then(|| {
            let since = self.since.unwrap_or(Timestamp::from_millis(i64::MIN));
            since..self.until.unwrap_or(Timestamp::from_millis(i64::MAX))
        });
        let tag = tag.filter(|_| !matches!(walk, Walk::Tagged(..)));
        let kind = self.kind.clone().transpose()?;
        let id_prefix = self.id_prefix.clone();
        let filter = ListFilter { states, kind, worker, tag, id_prefix, entered };
        Ok(ListQuery::new(queue, walk, PAGE_MAX).matching(filter))
    }

    fn walk(&self, states: &[State], tag: Option<&Tag>) -> Walk {
        let direction = self.direction.unwrap_or_default();
        let of_state = match states {
            [state] => Some(Walk::State(*state, direction)),
            _ => None,
        };
        let is_bounded = self.since.is_some() && of_state.as_ref().is_some_and(Walk::is_by_time);
        match (of_state, tag) {
            _ if self.is_due => Walk::Due,
            _ if self.is_scheduled => Walk::Scheduled,
            (_, Some(tag)) if !is_bounded => Walk::Tagged(tag.clone(), direction),
            (Some(of_state), _) => of_state,
            (None, _) => Walk::All(direction),
        }
    }

    fn check(&self) -> Result<(), InvalidListing> {
        let is_claimed_from = self.is_due || self.is_scheduled;
        let is_mixed = self.is_due && self.is_scheduled || is_claimed_from && !self.states.is_empty();
        if is_mixed {
            return Err(InvalidListing::Alone);
        }
        if is_claimed_from && self.direction.is_some() {
            return Err(InvalidListing::OrderOfClaims);
        }
        let is_held = |state: &State| *state == State::Processing;
        if self.worker.is_some() && (is_claimed_from || !self.states.iter().all(is_held)) {
            return Err(InvalidListing::NotHeld);
        }
        if self.since.zip(self.until).is_some_and(|(since, until)| since >= until) {
            return Err(InvalidListing::NoTime);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::Direction::{NewestFirst, OldestFirst};

    fn asked(choice: &Choice) -> (Walk, ListFilter) {
        let query = choice.query(QueueName::from_static("q")).expect("it can be");
        (query.walk, query.filter)
    }

    fn in_states(states: &[State]) -> Choice {
        Choice { states: states.to_vec(), ..Choice::default() }
    }

    #[test]
    fn what_is_asked_for_is_looked_for_along_the_index_that_is_nearest_to_it() {
        let tag = Tag::new("t").expect("valid");
        let tagged = Choice { tag: Some(Ok(tag.clone())), ..in_states(&[State::Failed]) };
        let since = Some(Timestamp::from_millis(5));
        let newest = Some(NewestFirst);
        for (choice, walk, filter) in [
            (Choice::default(), Walk::All(OldestFirst), ListFilter::default()),
            (in_states(&[State::Failed; 2]), Walk::State(State::Failed, OldestFirst), ListFilter::default()),
            (
                Choice { direction: newest, ..in_states(&[State::Failed, State::Queued]) },
                Walk::All(NewestFirst),
                ListFilter::in_states([State::Queued, State::Failed]),
            ),
            (Choice { is_due: true, ..Choice::default() }, Walk::Due, ListFilter::default()),
            (Choice { is_scheduled: true, ..Choice::default() }, Walk::Scheduled, ListFilter::default()),
            (tagged.clone(), Walk::Tagged(tag.clone(), OldestFirst), ListFilter::in_states([State::Failed])),
            (
                Choice { since, direction: newest, ..tagged },
                Walk::State(State::Failed, NewestFirst),
                ListFilter {
                    tag: Some(tag),
                    entered: Some(Timestamp::from_millis(5)..Timestamp::from_millis(i64::MAX)),
                    ..ListFilter::default()
                },
            ),
            (
                Choice { worker: Some(WorkerId::new("w")), ..Choice::default() },
                Walk::State(State::Processing, OldestFirst),
                ListFilter { worker: Some(WorkerId::from_static("w")), ..ListFilter::default() },
            ),
        ] {
            assert_eq!(asked(&choice), (walk, filter), "{choice:?}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let (early, late) = (Timestamp::from_millis(1), Timestamp::from_millis(2));
        let due = Choice { is_due: true, ..Choice::default() };
        for (choice, why) in [
            (Choice { is_scheduled: true, ..due.clone() }, InvalidListing::Alone),
            (Choice { states: vec![State::Queued], ..due.clone() }, InvalidListing::Alone),
            (Choice { direction: Some(NewestFirst), ..due.clone() }, InvalidListing::OrderOfClaims),
            (Choice { worker: Some(WorkerId::new("w")), ..due }, InvalidListing::NotHeld),
            (
                Choice { worker: Some(WorkerId::new("w")), ..in_states(&[State::Failed]) },
                InvalidListing::NotHeld,
            ),
            (Choice { since: Some(late), until: Some(early), ..Choice::default() }, InvalidListing::NoTime),
            (Choice { since: Some(late), until: Some(late), ..Choice::default() }, InvalidListing::NoTime),
        ] {
            assert_eq!(choice.query(QueueName::from_static("q")), Err(why), "{choice:?}");
        }
        let no_tag = Choice { tag: Some(Tag::new("a\nb")), ..Choice::default() };
        let refused = no_tag.query(QueueName::from_static("q"));
        assert!(matches!(refused, Err(InvalidListing::Name(_))), "{refused:?}");
    }
}
