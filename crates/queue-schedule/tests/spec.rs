//! The stored form of a schedule, and what is refused before it is stored.

use queue_core::{ContentType, JobId, Kind, NewJob, Payload, Span, Timestamp};
use queue_schedule::{
    Missed, Moments, Overlap, Progress, ScheduleError, ScheduleSpec, Template, Tick, Timing,
};
use std::{collections::BTreeSet, time::Duration};

const DAY: i64 = 86_400_000;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn job(payload: impl Into<Vec<u8>>, content_type: &str) -> NewJob {
    let (id, kind) = (JobId::new("any").expect("an id"), Kind::new("report").expect("a kind"));
    let content_type = ContentType::new(content_type).expect("a content type");
    NewJob::new(id, kind, Payload::new(payload.into(), content_type))
}

fn spec(timing: Timing) -> ScheduleSpec {
    ScheduleSpec::new(
        "nightly",
        timing,
        Template::of(&job("{}", "application/json")).expect("a template"),
        at(1000),
    )
}

fn nightly() -> ScheduleSpec {
    spec(Timing::cron("0 2 * * *", "Europe/Berlin").expect("a pattern"))
}

/// The payload of a job of the tick at `1970-01-02T00:00:00Z`.
fn filled(payload: impl Into<Vec<u8>>, content_type: &str) -> Vec<u8> {
    let template = Template::of(&job(payload, content_type)).expect("a template");
    let id = JobId::new("tick").expect("an id");
    template.job(id, at(DAY), Span::ZERO).payload.bytes.to_vec()
}

const JOB: &str = r#"{"kind":"report","content_type":"application/json","payload":"{}"}"#;

fn text(timing: &str, rest: &str) -> String {
    format!(
        r#"{{"version":3,"name":"nightly",{timing},"job":{JOB},{rest},"since_ms":1000,"declared":false}}"#
    )
}

const PLAIN: &str = r#""missed":{"skip":{"grace_ms":null}},"overlap":"allow","jitter_ms":0,"spread_ms":0"#;
const BERLIN: &str = r#""cron":"0 2 * * *","zone":"Europe/Berlin""#;

/// Stores keep these texts, so later versions have to read them.
#[test]
fn every_variant_is_written_as_it_always_was_and_read_again() {
    let period = Timing::every(Duration::from_secs(60)).expect("a period");
    let moments = Timing::at([at(DAY), at(2000)]).expect("moments");
    let mut rich = nightly();
    (rich.missed, rich.overlap) = (Missed::Skip { grace: Some(Span::from_millis(5)) }, Overlap::Skip);
    (rich.jitter, rich.spread) = (Span::from_millis(7), Span::from_millis(8));
    let (mut latest, mut all) = (nightly(), nightly());
    (latest.missed, latest.overlap) = (Missed::Latest, Overlap::CancelPrevious);
    all.missed = Missed::All { max: 9 };
    let policies = |missed: &str, overlap: &str, jitter: i64, spread: i64| {
        let shifts = format!(r#""jitter_ms":{jitter},"spread_ms":{spread}"#);
        text(BERLIN, &format!(r#""missed":{missed},"overlap":"{overlap}",{shifts}"#))
    };
    for (spec, text) in [
        (nightly(), text(BERLIN, PLAIN)),
        (spec(period), text(r#""every_ms":60000,"from_ms":0"#, PLAIN)),
        (spec(moments), text(r#""at_ms":[2000,86400000]"#, PLAIN)),
        (rich, policies(r#"{"skip":{"grace_ms":5}}"#, "skip", 7, 8)),
        (latest, policies(r#""latest""#, "cancel_previous", 0, 0)),
        (all, policies(r#"{"all":{"max":9}}"#, "allow", 0, 0)),
    ] {
        assert_eq!(String::from_utf8(spec.to_bytes()).expect("text"), text);
        assert_eq!(ScheduleSpec::from_bytes(text.as_bytes()), Ok(spec));
    }
}

#[test]
fn progress_is_written_as_it_always_was_and_read_again() {
    for (ran, text) in [(None, r#"{"dealt_ms":5}"#), (Some(at(3)), r#"{"dealt_ms":5,"ran_ms":3}"#)] {
        let progress = Progress::new(at(5), ran);
        assert_eq!(String::from_utf8(progress.to_bytes()).expect("text"), text);
        assert_eq!(Progress::from_bytes(text.as_bytes()), Ok(progress));
    }
    assert!(matches!(Progress::from_bytes(b"5"), Err(ScheduleError::UnreadableHere { .. })));
}

#[test]
fn a_schedule_of_a_newer_version_is_told_whatever_else_it_holds() {
    let newer = ScheduleSpec::from_bytes(br#"{"version":4,"moon":"full"}"#);
    assert_eq!(newer, Err(ScheduleError::Newer { version: 4 }));
}

#[test]
fn what_means_nothing_here_may_be_read_elsewhere_and_what_is_no_schedule_nowhere() {
    let timings = [
        r#""every_ms":0,"from_ms":0"#,
        r#""every_ms":18446744073709551615,"from_ms":0"#,
        r#""cron":"0 2 * * *","zone":"Europe/Atlantis""#,
        r#""cron":"0 0 30 2 *","zone":"UTC""#,
        r#""cron":", * * * *","zone":"UTC""#,
        r#""at_ms":[]"#,
        r#""at_ms":[9223372036854775807]"#,
        r#""moon":"full""#,
    ];
    let texts = timings.map(|timing| text(timing, PLAIN));
    for text in texts.iter().map(String::as_str).chain([r#"{"version":3}"#]) {
        let refused = ScheduleSpec::from_bytes(text.as_bytes());
        assert!(matches!(refused, Err(ScheduleError::UnreadableHere { .. })), "{text}: {refused:?}");
    }
    let elsewhere = ScheduleSpec::from_bytes(texts[2].as_bytes()).expect_err("no machine has the zone");
    let reason =
        r#""Europe/Atlantis" is no known time zone; it takes a name such as `Europe/Berlin` or `UTC`"#;
    assert_eq!(elsewhere, ScheduleError::UnreadableHere { reason: reason.to_owned() });
    for text in ["", "{}", "[]", "nightly", r#"{"version":2}"#] {
        let refused = ScheduleSpec::from_bytes(text.as_bytes());
        assert!(matches!(refused, Err(ScheduleError::Unreadable { .. })), "{text}: {refused:?}");
    }
    assert!(ScheduleSpec::from_bytes(&[0xFF, 0xFE]).is_err());
}

#[test]
fn what_can_be_read_and_cannot_work_is_refused_and_panics_nowhere() {
    let read = |text: String| ScheduleSpec::from_bytes(text.as_bytes()).expect("a schedule");
    let of_none = read(text(BERLIN, &PLAIN.replace(r#"{"skip":{"grace_ms":null}}"#, r#"{"all":{"max":0}}"#)));
    assert_eq!(of_none.check(), Err(ScheduleError::CatchUp));
    assert_eq!(of_none.due(None, at(10 * DAY)).run, []);
    for (part, hostile) in [
        (r#""report""#, r#""""#),
        (r#""payload":"{}""#, r#""payload":"{}","terms":[9]"#),
        (r#""application/json""#, r#""""#),
    ] {
        let refused = ScheduleSpec::from_bytes(text(BERLIN, PLAIN).replace(part, hostile).as_bytes());
        assert!(matches!(refused, Err(ScheduleError::UnreadableHere { .. })), "{hostile}: {refused:?}");
    }
    let far = read(text(r#""every_ms":1,"from_ms":9223372036854775807"#, PLAIN));
    assert_eq!(far.due(None, at(DAY)).run, []);
    let near = read(text(r#""every_ms":1,"from_ms":-9223372036854775808"#, PLAIN));
    assert_eq!(near.due(None, at(i64::MAX)).run, []);
}

#[test]
fn a_schedule_that_could_not_work_is_refused_with_the_reason() {
    nightly().check().expect("a schedule");
    let refused = |change: fn(&mut ScheduleSpec)| {
        let mut spec = nightly();
        change(&mut spec);
        spec.check().expect_err("it cannot work")
    };
    for name in ["", "a@b", "a\nb"] {
        let mut named = nightly();
        name.clone_into(&mut named.name);
        assert!(matches!(named.check(), Err(ScheduleError::Name { .. })), "{name:?}");
    }
    let long = |bytes: usize| {
        let timing = nightly().timing;
        ScheduleSpec::new(
            "n".repeat(bytes),
            timing,
            Template::of(&job("{}", "application/json")).expect("a template"),
            at(0),
        )
    };
    assert_eq!(long(200).check(), Ok(()));
    assert!(matches!(long(201).check(), Err(ScheduleError::Name { .. })));
    let over = refused(|spec| spec.timing = Timing::at([at(1000)]).expect("a moment"));
    assert!(matches!(over, ScheduleError::NeverFires { .. }), "{over}");
    let by_hand = refused(|spec| spec.timing = Timing::Every { period: Span::ZERO, from: at(0) });
    assert!(matches!(by_hand, ScheduleError::NeverFires { .. }), "{by_hand}");
    let in_the_gap = refused(|spec| {
        spec.since = at(1_772_323_200_000);
        spec.timing = Timing::cron("*/5 2 * 3 SUN#2", "America/New_York").expect("a pattern");
    });
    assert!(matches!(in_the_gap, ScheduleError::NeverFires { .. }), "the clock skips that hour each year");
    assert_eq!(refused(|spec| spec.missed = Missed::All { max: 0 }), ScheduleError::CatchUp);
    let misplaced =
        refused(|spec| spec.job = Template::of(&job("at $queue.tick", "text/plain")).expect("a template"));
    assert_eq!(misplaced, ScheduleError::Tick);
}

#[test]
fn a_shift_may_be_as_long_as_the_shortest_gap_and_no_longer() {
    let gap = 23 * DAY / 24; // the night in which the clock of Berlin is put forward
    let with = |jitter: i64, spread: i64| {
        let mut spec = nightly();
        spec.since = at(1_772_323_200_000);
        (spec.jitter, spec.spread) = (Span::from_millis(jitter), Span::from_millis(spread));
        spec.check().err()
    };
    assert_eq!((with(gap, 0), with(0, gap)), (None, None));
    assert!(matches!(with(gap + 1, 0), Some(ScheduleError::Shift { what: "jitter", .. })));
    assert!(matches!(with(0, gap + 1), Some(ScheduleError::Shift { what: "spread", .. })));
    let mut once = spec(Timing::at([at(DAY)]).expect("a moment"));
    once.spread = Span::MAX;
    assert_eq!(once.check(), Ok(()), "a single tick overtakes none");
}

#[test]
fn timings_that_are_none_are_refused() {
    for period in [Duration::ZERO, Duration::from_micros(1500), Duration::from_secs(101 * 365 * 86_400)] {
        assert!(matches!(Timing::every(period), Err(ScheduleError::Period { .. })), "{period:?}");
    }
    assert_eq!(Timing::at([at(i64::MIN)]), Err(ScheduleError::Moment));
    assert!(matches!(Timing::at([]), Err(ScheduleError::NeverFires { .. })));
    assert!(matches!(Timing::cron("0 2 * * *", "Berlin"), Err(ScheduleError::Zone { .. })));
}

#[test]
fn moments_are_in_order_and_each_once_however_they_are_given() {
    let given = [at(DAY), at(1), at(DAY), at(7)];
    let Ok(Timing::At(moments)) = Timing::at(given) else { panic!("they are moments") };
    assert_eq!(moments.as_slice(), [at(1), at(7), at(DAY)]);
    assert_eq!(Moments::new(given), Ok(moments));
}

#[test]
fn an_edited_schedule_goes_on_where_it_was_and_says_something_else() {
    let (before, mut after) = (nightly(), nightly());
    after.since = at(5 * DAY);
    assert!(after.says_the_same(&before), "wherever the two stand");
    let progress = Progress::new(at(3 * DAY), None);
    assert_eq!(after.clone().beginning_at(before.standing(Some(progress))).since, at(3 * DAY));
    assert_eq!(after.clone().beginning_at(before.standing(None)), before);
    after.spread = Span::from_millis(1);
    assert!(!after.says_the_same(&before));
}

#[test]
fn ids_tell_the_tick_in_utc_and_no_two_ticks_share_one() {
    let spec = spec(Timing::cron("30 * * * *", "Europe/Berlin").expect("a pattern"));
    let id = |millis| spec.tick_id(at(millis)).expect("an id").as_str().to_owned();
    assert_eq!(id(1_792_888_200_000), "nightly@2026-10-25T00:30:00Z");
    assert_eq!(id(1_792_888_200_007), "nightly@2026-10-25T00:30:00.007Z");
    let night: BTreeSet<String> = (0..4).map(|hour| id(1_792_884_600_000 + hour * 3_600_000)).collect();
    assert_eq!(night.len(), 4, "02:30 comes twice that night");
    let odd = [0, 1, 10, 100, 1000, -1, -1000, -DAY * 1_000_000, DAY * 4_000_000, i64::MAX, i64::MIN];
    assert_eq!(odd.map(id).into_iter().collect::<BTreeSet<_>>().len(), odd.len());
    assert_eq!(ScheduleSpec::id_of("nightly").expect("an id").as_str(), "queue.schedule:nightly");
}

#[test]
fn each_job_gets_its_tick_in_the_place_of_it() {
    let json = |payload: String| String::from_utf8(filled(payload, "application/json")).expect("text");
    let here = serde_json::to_string(&[Tick::HERE, Tick::HERE]).expect("JSON");
    assert_eq!(json(here), r#"["1970-01-02T00:00:00Z","1970-01-02T00:00:00Z"]"#);
    for other in [
        "at $queue.tick",
        "$queue.tick ",
        "\"$queue.tick\"",
        "\"$queue.tick",
        "\\\"$queue.tick",
        "$queue.tick\"",
        "$queue.tick\\",
    ] {
        let text = serde_json::to_string(&[other, other]).expect("JSON");
        assert_eq!(json(text.clone()), text, "a text of its own");
        let both = serde_json::to_string(&[other, "$queue.tick"]).expect("JSON");
        assert_eq!(json(both.clone()), both.replace(r#","$queue.tick"]"#, r#","1970-01-02T00:00:00Z"]"#));
    }
    assert_eq!(filled("\"$queue.tick\"", "text/plain"), b"\"$queue.tick\"");
    assert_eq!(filled([0xFF, 0xFE, 0], "application/octet-stream"), [0xFF, 0xFE, 0]);
}

#[test]
fn a_tick_is_read_as_it_is_written() {
    for tick in [Tick::HERE, Tick::from(at(DAY)), Tick::from(at(1))] {
        let text = serde_json::to_string(&tick).expect("JSON");
        assert_eq!(serde_json::from_str::<Tick>(&text).expect("a tick"), tick);
    }
    assert_eq!(Tick::at(Tick::from(at(DAY + 7)).time()), Tick::from(at(DAY + 7)));
    assert!(serde_json::from_str::<Tick>("\"tomorrow\"").is_err());
}
