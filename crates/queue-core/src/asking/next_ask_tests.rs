//! Tests of when a caller asks again.

use super::{AfterClaim, NextAsk};
use crate::{Claimed, Clock, Hint, JobChange, JobId, ManualClock, Moment, Pause, SeededRng, Seq, Timestamp};
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_secs(8);

/// An asker and the clock that it rests by.
struct Asker {
    next: NextAsk,
    clock: ManualClock,
    began: Instant,
    rng: SeededRng,
}

impl Asker {
    fn new(next: NextAsk) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "any instant will do: the manual clock counts from here"
        )]
        let began = Instant::now();
        Self { next, clock: ManualClock::default(), began, rng: SeededRng::new(7) }
    }

    fn claimer() -> Self {
        Self::new(NextAsk::for_claims(POLL))
    }

    fn now(&self) -> Instant {
        self.began + self.clock.ticks()
    }

    /// Claims ten and gets so many, with the next due after so many milliseconds.
    fn claim(&mut self, got: usize, next_due: Option<u64>) -> AfterClaim {
        let now = self.clock.now();
        let at = |millis: u64| Timestamp::from_millis(now.as_millis() + i64::try_from(millis).unwrap());
        let answer = Claimed::none(next_due.map(at), Moment::at(now));
        self.next.claimed(self.now(), &answer, got, 10, &self.rng)
    }

    fn hint(&mut self, hint: &Hint) {
        self.next.hinted(self.now(), hint);
    }

    /// How many milliseconds it still rests.
    fn rests(&self) -> u128 {
        self.next.rests_until().map_or(0, |at| at.saturating_duration_since(self.now()).as_millis())
    }

    /// Lets the rest pass, and answers how long it was; the clock goes on by whole milliseconds.
    fn wait(&mut self) -> u128 {
        let rest = self.rests();
        let whole = self.next.rests_until().is_none_or(|at| at <= self.now() + millis(rest));
        self.clock.advance(millis(rest + u128::from(!whole)));
        self.next.look_at_clock(self.now());
        assert_eq!(self.next.rests_until(), None, "it may ask");
        rest
    }
}

fn millis(millis: u128) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap())
}

fn is_polled(rest: u128) -> bool {
    (6000..=10_000).contains(&rest)
}

#[test]
fn it_rests_until_something_is_due_and_no_longer_than_a_jittered_poll() {
    let mut asker = Asker::claimer();
    assert_eq!(asker.rests(), 0, "nothing is known yet");
    assert_eq!((asker.claim(0, Some(300)), asker.wait()), (AfterClaim::Rest, 300));
    assert_eq!((asker.claim(4, Some(20)), asker.wait()), (AfterClaim::Rest, 20));
    asker.claim(0, None);
    let first = asker.wait();
    asker.claim(0, Some(3_600_000));
    let second = asker.wait();
    assert!(is_polled(first) && is_polled(second) && first != second, "{first} {second}");
}

#[test]
fn it_asks_again_while_it_gets_all_that_it_asks_for_or_all_that_one_answer_may_hold() {
    let mut asker = Asker::claimer();
    assert_eq!((asker.claim(10, None), asker.rests()), (AfterClaim::Ask, 0));
    assert_eq!((asker.claim(3, Some(0)), asker.rests()), (AfterClaim::Ask, 0));
}

#[test]
fn a_promise_that_is_broken_twice_is_not_believed() {
    let mut asker = Asker::claimer();
    for _ in 0..2 {
        assert_eq!((asker.claim(0, Some(0)), asker.rests()), (AfterClaim::Rescue, 0));
        for _ in 0..3 {
            assert_eq!(asker.claim(0, Some(0)), AfterClaim::Rest);
            assert!(is_polled(asker.wait()));
        }
        assert_eq!(
            (asker.claim(0, Some(50)), asker.wait()),
            (AfterClaim::Rest, 50),
            "one that is kept so far"
        );
    }
}

#[test]
fn a_paused_queue_is_polled_whatever_it_promises() {
    let mut asker = Asker::claimer();
    let now = asker.clock.now();
    let answer = Claimed { pause: Pause::UntilResumed, ..Claimed::none(Some(now), Moment::at(now)) };
    for _ in 0..3 {
        assert_eq!(asker.next.claimed(asker.now(), &answer, 0, 10, &asker.rng), AfterClaim::Rest);
        assert!(is_polled(asker.wait()));
    }
}

#[test]
fn a_pause_with_an_end_is_slept_through_to_its_millisecond() {
    let mut asker = Asker::claimer();
    let now = asker.clock.now();
    let until = |millis| Pause::Until(Timestamp::from_millis(now.as_millis() + millis));
    let answer = |due, pause| Claimed { pause, ..Claimed::none(due, Moment::at(now)) };
    let later = Timestamp::from_millis(now.as_millis() + 500);
    for (due, pause, wait) in [(now, until(300), 300), (later, until(300), 500), (later, until(700), 700)] {
        let answer = answer(Some(due), pause);
        assert_eq!(asker.next.claimed(asker.now(), &answer, 0, 10, &asker.rng), AfterClaim::Rest);
        assert_eq!(asker.wait(), wait);
    }
    asker.next.claimed(asker.now(), &answer(None, until(300)), 0, 10, &asker.rng);
    assert!(is_polled(asker.wait()), "nothing waits for the end");
}

/// The waits of an asker after each of so many hints, which come at once and bring no job.
fn gaps(asker: &mut Asker, hint: &Hint, hints: usize) -> Vec<u128> {
    let mut gaps = Vec::new();
    for _ in 0..hints {
        asker.claim(0, None);
        asker.hint(hint);
        gaps.push(asker.wait());
    }
    gaps
}

#[test]
fn hints_in_vain_are_followed_ever_later_and_those_that_name_no_queue_more_so() {
    // The last of each is followed and finds nothing only with the next claim.
    assert_eq!(gaps(&mut Asker::claimer(), &Hint::Wake, 11), [0, 0, 0, 0, 1, 2, 4, 8, 16, 16, 16]);
    let unnamed = gaps(&mut Asker::claimer(), &Hint::Missed, 14);
    assert_eq!(unnamed, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 256]);
    let mut reader = Asker::new(NextAsk::for_reads());
    for gap in [0, 0, 0, 0, 1, 2, 4, 8, 16, 16] {
        reader.next.read(reader.now(), POLL);
        reader.hint(&Hint::Missed);
        assert_eq!(reader.wait(), gap);
    }
}

#[test]
fn a_hint_after_a_quiet_time_is_followed_at_once_whatever_came_before() {
    let mut asker = Asker::claimer();
    gaps(&mut asker, &Hint::Missed, 100);
    asker.claim(0, None);
    asker.clock.advance(Duration::from_millis(256));
    asker.hint(&Hint::Missed);
    assert_eq!(asker.next.rests_until(), None, "no timer is left to round it up");
}

#[test]
fn a_hint_that_names_a_job_is_followed_at_once_however_many_others_were_in_vain() {
    let mut asker = Asker::claimer();
    gaps(&mut asker, &Hint::Missed, 100);
    asker.claim(0, None);
    let change = JobChange { id: JobId::from_static("a"), seq: Seq::new(1), revision: 2, state: None };
    asker.hint(&Hint::Job(change));
    assert_eq!(asker.next.rests_until(), None, "no timer is left to round it up");
}

#[test]
fn one_hint_that_was_right_makes_up_for_those_in_vain() {
    let mut asker = Asker::claimer();
    gaps(&mut asker, &Hint::Wake, 100);
    asker.claim(1, None);
    assert_eq!(gaps(&mut asker, &Hint::Wake, 5), [0, 0, 0, 0, 1]);
    let mut reader = Asker::new(NextAsk::for_reads());
    for _ in 0..100 {
        reader.next.found();
        reader.next.read(reader.now(), POLL);
        reader.hint(&Hint::Missed);
        assert_eq!(reader.wait(), 0);
    }
}

#[test]
fn asks_that_no_hint_led_to_are_not_held_against_hints() {
    let mut asker = Asker::claimer();
    for _ in 0..100 {
        asker.claim(0, Some(5));
        asker.wait();
    }
    asker.claim(0, None);
    asker.hint(&Hint::Wake);
    assert_eq!(asker.rests(), 0);
}

#[test]
fn who_was_hinted_at_listens_again_once_it_has_asked() {
    let mut asker = Asker::claimer();
    assert!(!asker.next.listens(), "it asks anyway");
    asker.claim(0, None);
    assert!(asker.next.listens());
    asker.hint(&Hint::Wake);
    assert!(!asker.next.listens() && asker.next.follows_hint());
    asker.wait();
    asker.claim(0, None);
    assert!(asker.next.listens() && !asker.next.follows_hint());
}

#[test]
fn after_errors_time_alone_helps_and_ever_more_of_it() {
    let mut asker = Asker::claimer();
    for millis in [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000] {
        let pause = asker.next.failed(asker.now(), &asker.rng).as_millis();
        assert!((millis * 3 / 4..=millis * 5 / 4).contains(&pause), "{pause} for {millis}");
        asker.hint(&Hint::Wake);
        asker.next.wake();
        assert_eq!((asker.next.listens(), asker.rests()), (false, pause));
        asker.clock.advance(Duration::from_secs(10));
        asker.next.look_at_clock(asker.now());
    }
    asker.claim(0, None);
    assert!(asker.next.failed(asker.now(), &asker.rng) < Duration::from_millis(100), "it begins anew");
}

#[test]
fn a_stream_that_ends_brings_the_next_ask_forward_ever_later() {
    let mut asker = Asker::claimer();
    let mut rests = Vec::new();
    for _ in 0..3 {
        asker.claim(0, None);
        asker.next.stream_ended(asker.now(), &asker.rng);
        rests.push(asker.wait());
    }
    assert!(rests[0] < rests[1] && rests[1] < rests[2] && rests[2] < 300, "{rests:?}");
}

#[test]
fn bounds_move_the_end_of_a_rest() {
    let mut asker = Asker::claimer();
    asker.next.no_sooner_than(asker.now() + Duration::from_millis(10));
    assert_eq!(asker.rests(), 10, "one begins");
    asker.next.no_later_than(asker.now() + Duration::from_millis(3));
    assert_eq!(asker.rests(), 3);
    asker.next.wake();
    assert_eq!(asker.rests(), 0);
}

#[test]
fn an_endless_poll_is_no_overflow() {
    let mut asker = Asker::new(NextAsk::for_claims(Duration::MAX));
    asker.claim(0, None);
    assert!(asker.next.rests_until().is_some());
}
