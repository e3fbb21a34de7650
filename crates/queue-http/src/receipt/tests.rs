use super::{NoReceipt, Receipt, decode, encode, open, seal};
use crate::access::ReceiptKeys;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use proptest::prelude::*;
use queue_core::{
    Budget, ContentType, EndOutcome, Failure, Headers, JobId, JobMeta, JobTerms, Kind, LeaseToken, NewJob,
    Payload, QueueName, Retention, RetentionPolicy, SeededRng, Seq, Signalling, Span, State, Timestamp,
    lifecycle::{Cause, Event, Policy, Signals, decide},
};

const TOKEN: LeaseToken = LeaseToken::from_bytes([7; 16]);

fn keys(seed: u64) -> ReceiptKeys {
    ReceiptKeys::generate(&SeededRng::new(seed))
}

fn payload() -> Payload {
    Payload::new("1", ContentType::from_static("application/json"))
}

prop_compose! {
    /// A job as a claim hands it out.
    fn held()(
        queue in "[a-zé/ \u{1F600}]{1,60}",
        id in "[^\\p{Cc}]{1,60}",
        numbers in (1_u64.., 1_u64.., 0_u32..50, 0_u32..50),
        budgets in (0_u32..60, 0_u32..60),
        retentions in (-2_i64..5, -2_i64..3_000_000_000),
        flags in any::<(bool, bool, bool, bool)>(),
        signalling in prop_oneof![
            Just(Signalling::None),
            any::<u8>().prop_map(Signalling::Owed),
            Just(Signalling::Sent),
        ],
    ) -> JobMeta {
        let new = NewJob::new(JobId::new(id).expect("an id"), Kind::from_static("email"), payload());
        let queue = QueueName::new(queue).expect("a name");
        let begun = JobMeta::begin(queue, &new, Seq::new(numbers.0), Timestamp::from_millis(5));
        let retention = |raw: i64| Retention::from_raw(raw).expect("a retention");
        JobMeta {
            state: State::Processing,
            epoch: numbers.1,
            failures: numbers.2,
            stalls: numbers.3,
            terms: JobTerms {
                max_attempts: Budget::from_raw(budgets.0),
                max_stalls: Budget::from_raw(budgets.1),
                retention: RetentionPolicy { completed: retention(retentions.0), failed: retention(retentions.1) },
                on_failure: flags.3.then(|| Kind::from_static("mourn")),
                ..JobTerms::default()
            }
            .into(),
            cancel_requested: flags.0,
            awaited: flags.1,
            signalling,
            expires_in: flags.2.then_some(Span::from_secs(60)),
            ..begun
        }
    }
}

/// Every event of a holder, each in all the ways that a decision can differ.
fn events() -> Vec<Event> {
    let then = || vec![NewJob::new(JobId::from_static("next"), Kind::unnamed(), payload())];
    let mut events = vec![
        Event::release(TOKEN),
        Event::PutBack { token: TOKEN, delay: Span::from_secs(1) },
        Event::interrupt(TOKEN),
        Event::snooze(TOKEN, Span::from_secs(2)),
        Event::Extend { token: TOKEN, by: Span::from_secs(3), progress: Some("4".into()) },
    ];
    for retention in [None, Some(Retention::Remove), Some(Retention::Forever)] {
        events.push(Event::Complete { token: TOKEN, result: payload(), retention, then: then() });
        for cause in [Cause::Retryable, Cause::Terminal, Cause::UnknownKind, Cause::Undecodable] {
            for delay in [None, Some(Span::ZERO)] {
                let failure = Failure::new("Smtp", "no");
                events.push(Event::Fail { token: TOKEN, failure, cause, delay, retention, then: then() });
            }
        }
    }
    events
}

proptest! {
    #[test]
    fn a_decision_on_a_receipt_is_the_decision_on_its_job(job in held()) {
        let text = seal(&keys(1), &job, &Headers::NONE, TOKEN);
        let Receipt { meta, token, has_follow_up, .. } = open(&keys(1), &text).expect("it is genuine");
        prop_assert_eq!(token, TOKEN);
        prop_assert_eq!(has_follow_up, job.terms.on_failure.is_some());
        let mut terms = meta.terms.clone();
        terms.on_failure.clone_from(&job.terms.on_failure);
        let read = JobMeta { kind: job.kind.clone(), terms, ..meta };
        for event in events() {
            let policy = Policy::default();
            prop_assert_eq!(decide(&read, event.clone(), &policy), decide(&job, event, &policy));
        }
    }

    #[test]
    fn a_receipt_that_differs_in_a_bit_is_none(job in held(), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let text = seal(&keys(1), &job, &Headers::NONE, TOKEN);
        let mut bytes = URL_SAFE_NO_PAD.decode(&text["v1.".len()..]).expect("it is base64");
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let forged = format!("v1.{}", URL_SAFE_NO_PAD.encode(&bytes));
        prop_assert!(open(&keys(1), &forged).is_err());
        let cut = format!("v1.{}", URL_SAFE_NO_PAD.encode(&bytes[..at]));
        prop_assert!(open(&keys(1), &cut).is_err());
        prop_assert_eq!(open(&keys(2), &text).err(), Some(NoReceipt::OtherKey));
        let longer = format!("{text}A");
        prop_assert!(open(&keys(1), &text[1..]).is_err() && open(&keys(1), &longer).is_err());
    }

    #[test]
    fn any_text_and_any_bytes_are_read_without_harm(text in ".{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for text in [text.clone(), format!("v1.{text}"), format!("v1.{}", URL_SAFE_NO_PAD.encode(&bytes))] {
            prop_assert!(open(&keys(1), &text).is_err());
        }
        // Content behind the seal is read only if the seal is genuine, and must do no harm even
        // then.
        drop(decode(bytes));
    }
}

#[test]
fn a_receipt_of_a_plain_job_is_short() {
    let new = NewJob::new(JobId::new("0".repeat(32)).expect("an id"), Kind::from_static("email"), payload());
    let queue = QueueName::from_static("mail");
    let job = JobMeta { epoch: 1, ..JobMeta::begin(queue, &new, Seq::new(1_000_000), Timestamp::default()) };
    let len = seal(&keys(1), &job, &Headers::NONE, TOKEN).len();
    assert!(len <= 140, "{len}");
    let longest = JobMeta { queue: QueueName::new("q".repeat(255)).expect("a name"), ..job };
    let longest =
        JobMeta { id: JobId::new("i".repeat(255)).expect("an id"), seq: Seq::new(u64::MAX), ..longest };
    assert!(open(&keys(1), &seal(&keys(1), &longest, &Headers::NONE, TOKEN)).is_ok());
}

#[test]
fn a_receipt_of_a_job_that_owes_signals_ends_it_with_them_and_is_one_byte_longer() {
    let new = NewJob::new(JobId::from_static("member"), Kind::unnamed(), payload());
    let begun = JobMeta::begin(QueueName::from_static("mail"), &new, Seq::new(1), Timestamp::default());
    let plain = JobMeta { state: State::Processing, epoch: 1, ..begun };
    let owing = JobMeta { signalling: Signalling::Owed(3), ..plain.clone() };
    let bytes = |job: &JobMeta| encode(job, &Headers::NONE, TOKEN).len();
    assert_eq!(bytes(&owing), bytes(&plain) + 1);
    let complete = || Event::Complete { token: TOKEN, result: payload(), retention: None, then: Vec::new() };
    for (job, signal) in [(plain, None), (owing, Some(Signals { outcome: EndOutcome::Completed, count: 3 }))]
    {
        let text = seal(&keys(1), &job, &Headers::NONE, TOKEN);
        let read = open(&keys(1), &text).expect("it is genuine").meta;
        let decided = decide(&read, complete(), &Policy::default()).expect("the job is held");
        assert_eq!(decided.signal, signal);
    }
}
