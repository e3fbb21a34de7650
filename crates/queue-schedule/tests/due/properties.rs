//! What holds for random schedules under any sequence of wake-ups.

use crate::given::{DAY, EACH, HOUR, MINUTE, SECOND, SKIP, START, at, cron, every, skip, spec};
use proptest::{prelude::*, sample};
use queue_core::{Span, Timestamp};
use queue_schedule::{
    AHEAD_MAX, DOUBT, Due, GRACE_MAX, GRACE_MIN, LOOK_EVERY, Missed, Progress, ScheduleSpec, TICKS_MAX,
    Timing,
};

fn timings() -> impl Strategy<Value = Timing> {
    let cron = |pattern, zone| Timing::cron(pattern, zone).expect(pattern);
    sample::select(vec![
        cron("30 2 * * *", "Europe/Berlin"),
        cron("15 1,2 * * *", "America/New_York"),
        cron("*/30 * * * *", "Australia/Lord_Howe"),
        cron("0 0 L * *", "America/Santiago"),
        cron("0,5,50 */3 * * *", "UTC"),
        cron("*/2 * * * *", "Asia/Kathmandu"),
        Timing::every(Span::from_millis(11 * SECOND).as_duration()).expect("a period"),
        Timing::every(Span::from_millis(7 * MINUTE + 1).as_duration()).expect("a period"),
        Timing::at([HOUR, HOUR + 1, DAY, 3 * DAY, 10 * DAY].map(at)).expect("moments"),
    ])
}

fn policies() -> impl Strategy<Value = Missed> {
    prop_oneof![
        Just(SKIP),
        (0..2 * DAY).prop_map(skip),
        Just(Missed::Latest),
        (1..20_usize).prop_map(|max| Missed::All { max }),
        Just(EACH),
    ]
}

fn schedules() -> impl Strategy<Value = ScheduleSpec> {
    (timings(), policies(), prop_oneof![Just(0), 1..HOUR]).prop_map(|(timing, missed, spread)| {
        let mut spec = spec(timing, missed);
        spec.spread = Span::from_millis(spread);
        spec
    })
}

/// Each case is a run of up to forty wake-ups.
const CASES: u32 = 40;

/// The steps of the clock from one wake-up to the next; `None` for a wake-up at the requested
/// moment.
fn steps() -> impl Strategy<Value = Vec<Option<i64>>> {
    let step = prop_oneof![
        4 => Just(None),
        2 => (0..2 * SECOND).prop_map(Some),
        2 => (0..3 * HOUR).prop_map(Some),
        1 => (0..3 * DAY).prop_map(Some),
        1 => (-DAY..0).prop_map(Some),
    ];
    prop::collection::vec(step, 1..40)
}

/// All wake-ups of one run by a clock that is put back by no more than [`AHEAD_MAX`].
fn wake(spec: &ScheduleSpec, steps: &[Option<i64>]) -> Vec<(Timestamp, Due)> {
    wake_with(spec, steps, AHEAD_MAX)
}

/// All wake-ups of one run; each is computed twice with the same input, as after a reply that was
/// lost.
fn wake_with(spec: &ScheduleSpec, steps: &[Option<i64>], back_max: Span) -> Vec<(Timestamp, Due)> {
    let (mut clock, mut progress, mut wait) = (START, None, Span::ZERO);
    let (mut wakes, mut highest) = (Vec::new(), clock);
    for step in steps {
        let millis = step.unwrap_or(wait.as_millis());
        let lowest = highest.as_millis() - back_max.as_millis();
        clock = Timestamp::from_millis((clock.as_millis() + millis).max(lowest));
        highest = highest.max(clock);
        let due = spec.due(progress, clock);
        assert_eq!(due, spec.due(progress, clock), "asked twice");
        (progress, wait) = (Some(due.progress), due.wait.unwrap_or_default());
        wakes.push((clock, due));
    }
    wakes
}

fn ticks(spec: &ScheduleSpec, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    spec.timing.after(after).take_while(|tick| *tick <= until).collect()
}

/// The policies by their plain definition: each tick is judged by itself.
fn by_the_words(spec: &ScheduleSpec, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let ticks = ticks(spec, after, until);
    let late = |tick: &Timestamp| until.since(*tick);
    match spec.missed {
        Missed::Skip { grace: Some(grace) } => {
            ticks.into_iter().filter(|tick| late(tick) <= grace.as_duration()).collect()
        }
        Missed::Skip { grace: None } => {
            let half = |tick: &Timestamp| {
                spec.timing.next(*tick).map_or(GRACE_MAX.as_duration(), |next| next.since(*tick) / 2)
            };
            let (least, most) = (GRACE_MIN.as_duration(), GRACE_MAX.as_duration());
            ticks.into_iter().filter(|tick| late(tick) <= half(tick).clamp(least, most)).collect()
        }
        Missed::Latest => ticks.into_iter().next_back().into_iter().collect(),
        Missed::All { max } => ticks[ticks.len().saturating_sub(max)..].to_vec(),
        other => panic!("{other:?} is new here"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn no_tick_is_enqueued_twice_nor_before_its_time(spec in schedules(), steps in steps()) {
        let mut last = spec.since;
        for (clock, due) in wake(&spec, &steps) {
            for tick in due.run {
                prop_assert!(tick > last, "{tick} after {last}");
                prop_assert!(tick + spec.shift() <= clock, "{tick} at {clock}");
                let before = Timestamp::from_millis(tick.as_millis() - 1);
                prop_assert_eq!(spec.timing.next(before), Some(tick));
                last = tick;
            }
        }
    }

    #[test]
    fn what_is_dealt_with_never_goes_back_and_the_last_run_is_told(spec in schedules(), steps in steps()) {
        let mut before = Progress::new(spec.since, None);
        for (_, due) in wake(&spec, &steps) {
            prop_assert!(due.progress.dealt >= before.dealt);
            prop_assert_eq!(due.progress.ran, due.run.last().copied().or(before.ran));
            before = due.progress;
        }
    }

    #[test]
    fn a_clock_that_is_believed_leaves_no_schedule_beyond_its_reach(spec in schedules(), steps in steps()) {
        for (clock, due) in wake_with(&spec, &steps, Span::MAX) {
            prop_assert!(due.ahead.is_none_or(|ahead| ahead.is_set_back || due.wait <= Some(DOUBT)));
            let believed = clock + DOUBT;
            let next = spec.due(Some(spec.due(Some(due.progress), clock).progress), believed);
            prop_assert_eq!(spec.is_ahead(next.progress, believed), None);
        }
    }

    #[test]
    fn a_schedule_sleeps_until_its_next_tick_and_never_past_it(spec in schedules(), steps in steps()) {
        for (clock, due) in wake(&spec, &steps) {
            let next = spec.timing.next(due.progress.dealt);
            let looks_after = if spec.timing.follows_a_zone() { LOOK_EVERY } else { Span::MAX };
            let left = next.map(|next| Span::at_most((next + spec.shift()).since(clock)).min(looks_after));
            prop_assert_eq!(due.wait, left);
            prop_assert_eq!(spec.wait(due.progress.dealt, clock), left);
        }
    }

    #[test]
    fn whoever_makes_up_for_all_runs_exactly_the_ticks_that_passed(mut spec in schedules(), steps in steps()) {
        spec.missed = EACH;
        let wakes = wake(&spec, &steps);
        let run: Vec<Timestamp> = wakes.iter().flat_map(|(_, due)| due.run.clone()).collect();
        let dealt = wakes.last().expect("at least one").1.progress.dealt;
        prop_assert_eq!(run, ticks(&spec, spec.since, dealt));
        let all_in_one_go = wakes.iter().all(|(_, due)| due.run.len() < TICKS_MAX);
        let latest = wakes.iter().map(|(clock, _)| clock.as_millis()).max().expect("at least one");
        let until = Timestamp::from_millis(latest - spec.shift().as_millis()).max(spec.since);
        prop_assert!(!all_in_one_go || dealt == until, "{dealt} is not {until}");
    }

    #[test]
    fn each_policy_does_what_it_says(spec in schedules(), steps in steps()) {
        let mut before = spec.since;
        for (clock, due) in wake(&spec, &steps) {
            let until = Timestamp::from_millis(clock.as_millis() - spec.shift().as_millis()).max(before);
            let mut expected = by_the_words(&spec, before, until);
            expected.truncate(TICKS_MAX);
            let skipped = ticks(&spec, before, due.progress.dealt).len() - expected.len();
            prop_assert_eq!(due.run, expected);
            prop_assert_eq!(due.skipped, skipped.min(TICKS_MAX));
            before = due.progress.dealt;
        }
    }

    #[test]
    fn a_settle_that_is_late_by_seconds_loses_no_tick_of_a_schedule_of_seconds(
        lates in prop::collection::vec(0..=5 * SECOND, 1..60),
        of_a_pattern in any::<bool>(),
    ) {
        let spec = if of_a_pattern { cron("* * * * * *", SKIP) } else { every(SECOND, SKIP) };
        let wakes = wake(&spec, &lates.iter().flat_map(|late| [None, Some(*late)]).collect::<Vec<_>>());
        let run: Vec<Timestamp> = wakes.iter().flat_map(|(_, due)| due.run.clone()).collect();
        let (clock, _) = wakes.last().expect("at least one");
        prop_assert_eq!(run, ticks(&spec, spec.since, *clock));
    }
}
