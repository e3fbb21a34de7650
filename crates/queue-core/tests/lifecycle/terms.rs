//! The bytes of terms: each term comes back, and bytes that are no terms are refused.

use proptest::prelude::*;
use queue_core::{Budget, JobTerms, Kind, NewerTerms, Retention, RetentionPolicy, Span};

/// Terms that differ from the plain ones in one part alone. A part that the list lacks is an unused
/// variable, which is an error.
#[deny(unused_variables)]
fn of_one_part_each() -> Vec<JobTerms> {
    let JobTerms { max_attempts, max_stalls, time_limit, on_failure, retention, newer } = JobTerms {
        max_attempts: Budget::Unlimited,
        max_stalls: Budget::from_raw(u32::MAX),
        time_limit: Some(Span::MAX),
        on_failure: Some(Kind::new("é".repeat(127)).expect("a kind")),
        retention: RetentionPolicy { completed: Retention::Remove, failed: Retention::Keep(Span::MAX) },
        newer: newer(),
    };
    let RetentionPolicy { completed, failed } = retention;
    let plain = || JobTerms::PLAIN;
    vec![
        JobTerms { max_attempts, ..plain() },
        JobTerms { max_stalls, ..plain() },
        JobTerms { time_limit, ..plain() },
        JobTerms { on_failure, ..plain() },
        JobTerms { retention: RetentionPolicy { completed, ..plain().retention }, ..plain() },
        JobTerms { retention: RetentionPolicy { failed, ..plain().retention }, ..plain() },
        JobTerms { retention: Retention::Forever.into(), ..plain() },
        JobTerms { newer, ..plain() },
    ]
}

/// Terms of a newer version whose one value is so long.
fn of_newer_bytes(len: usize) -> Vec<u8> {
    let [high, low] = u16::try_from(len).expect("it is short").to_be_bytes();
    [&[1, 1, 7, high, low][..], &vec![0; len]].concat()
}

/// Two terms that this version does not know, and the bytes of terms that have nothing else.
const NEWER: &[u8] = b"\x01\x02\x07\x00\x02ab\xff\x00\x00";

fn newer() -> NewerTerms {
    JobTerms::from_bytes(NEWER).expect("terms of a newer version").newer
}

#[test]
fn a_plain_job_stores_nothing() {
    assert_eq!(JobTerms::default(), JobTerms::PLAIN);
    assert!(JobTerms::PLAIN.to_bytes().is_empty());
    assert_eq!(JobTerms::from_bytes(&[]), Ok(JobTerms::PLAIN));
}

#[test]
fn each_term_comes_back_and_no_part_of_it_passes_for_the_whole() {
    for terms in of_one_part_each() {
        let bytes = terms.to_bytes();
        assert!(!bytes.is_empty() && bytes.len() <= JobTerms::BYTES_MAX, "{terms:?}");
        assert_eq!(JobTerms::from_bytes(&bytes).as_ref(), Ok(&terms));
        for end in 1..bytes.len() {
            assert!(JobTerms::from_bytes(&bytes[..end]).is_err(), "cut at {end}: {terms:?}");
        }
        assert!(JobTerms::from_bytes(&[&bytes[..], &[0]].concat()).is_err(), "{terms:?}");
    }
}

#[test]
fn terms_of_a_newer_version_are_kept_beside_those_that_change() {
    let terms = JobTerms { max_attempts: Budget::from_raw(3), newer: newer(), ..JobTerms::PLAIN };
    assert_eq!(terms.to_bytes(), b"\x01\x03\x01\x00\x01\x03\x07\x00\x02ab\xff\x00\x00");
    assert_eq!(JobTerms::from_bytes(&terms.to_bytes()), Ok(terms));
}

/// Else an amendment would make terms that are refused when they are read.
#[test]
fn the_longest_terms_of_a_newer_version_have_room_for_all_others() {
    let longest = JobTerms::from_bytes(&of_newer_bytes(3_069)).expect("it is just short enough");
    let terms = JobTerms {
        max_attempts: Budget::from_raw(u32::MAX),
        max_stalls: Budget::from_raw(u32::MAX),
        time_limit: Some(Span::MAX),
        on_failure: Some(Kind::new("k".repeat(255)).expect("a kind")),
        retention: Retention::Keep(Span::MAX).into(),
        ..longest
    };
    assert_eq!(JobTerms::from_bytes(&terms.to_bytes()), Ok(terms));
}

#[test]
fn bytes_that_are_no_terms_are_refused() {
    let longer = of_newer_bytes(3_070);
    let of_a_mebibyte = vec![1; 1 << 20];
    for (bytes, why) in [
        (&b"\x02\x00"[..], "another version"),
        (b"\x00\x00", "another version"),
        (b"\x01", "too early"),
        (b"\x01\x01", "too early"),
        (b"\x01\x02\x01\x00\x01\x03\x01\x00\x01\x04", "twice"),
        (b"\x01\x02\x02\x00\x01\x04\x01\x00\x01\x03", "wrong place"),
        (b"\x01\x01\x00\x00\x00", "wrong place"),
        (b"\x01\x00\x01\x00\x01\x03", "follows"),
        (b"\x01\x01\x01\x00\x01\x00", "number"),
        (b"\x01\x01\x01\x00\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01", "number"),
        (b"\x01\x01\x01\x00\x05\x01\x00\x00\x00\x00", "budget"),
        (b"\x01\x01\x03\x00\x08\xff\xff\xff\xff\xff\xff\xff\xff", "length of time"),
        (b"\x01\x01\x04\x00\x01\xff", "UTF-8"),
        (b"\x01\x01\x04\x00\x01\x00", "rules of names"),
        (b"\x01\x01\x05\x00\x08\xff\xff\xff\xff\xff\xff\xff\xff", "retention"),
        (&longer, "too many bytes"),
        (&of_a_mebibyte, "too many bytes"),
    ] {
        let refused = JobTerms::from_bytes(bytes).expect_err("they are none");
        assert!(refused.to_string().contains(why), "{why}: {refused}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_read_the_same_again(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        for bytes in [bytes.clone(), [&[1, 1][..], &bytes].concat()] {
            if let Ok(terms) = JobTerms::from_bytes(&bytes) {
                prop_assert_eq!(JobTerms::from_bytes(&terms.to_bytes()), Ok(terms));
            }
        }
    }
}
