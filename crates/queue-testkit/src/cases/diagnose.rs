//! What a store says about its own health. A store that says nothing passes.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Finding, Severity};
use std::collections::BTreeSet;

cases! { "diagnose":
    every_finding_has_a_code_of_its_own_and_says_what_was_seen [I20];
    what_is_not_well_comes_with_advice [I20];
    no_id_and_no_payload_stands_in_a_finding [I20];
    a_look_changes_nothing [I20];
}

async fn findings(bench: &Bench) -> Vec<Finding> {
    bench.store().diagnose().await.expect("a look is answered")
}

async fn every_finding_has_a_code_of_its_own_and_says_what_was_seen(bench: &Bench) {
    bench.put_one_of_each().await;
    let mut codes = BTreeSet::new();
    for finding in findings(bench).await {
        assert!(Finding::is_code(&finding.code), "{finding:?}");
        assert!(!finding.seen.is_empty(), "{finding:?}");
        assert!(codes.insert(finding.code.clone()), "{finding:?} comes twice");
    }
}

async fn what_is_not_well_comes_with_advice(bench: &Bench) {
    for finding in findings(bench).await {
        let is_fine = finding.severity == Severity::Fine;
        assert_eq!(finding.advice.is_empty(), is_fine, "{finding:?}");
    }
}

async fn no_id_and_no_payload_stands_in_a_finding(bench: &Bench) {
    let marks = ["a-telling-id", "a-telling-payload"];
    let mut telling = job(marks[0]);
    telling.payload.bytes = marks[1].into();
    bench.put_job(telling).await;
    bench.claim_one().await;
    for finding in findings(bench).await {
        let texts = [&finding.seen, &finding.advice];
        assert!(!texts.iter().any(|text| marks.iter().any(|mark| text.contains(mark))), "{finding:?}");
    }
}

async fn a_look_changes_nothing(bench: &Bench) {
    bench.put_one_of_each().await;
    let before = bench.counts().await;
    findings(bench).await;
    assert_eq!(bench.counts().await, before);
}
