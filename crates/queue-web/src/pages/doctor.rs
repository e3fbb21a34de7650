//! What the doctor finds in a store.

use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Frame, Visit},
};
use askama::Template;
use queue::doctor::{Diagnosis, Doctor, Finding, Severity};
use std::time::Duration;

/// How old a diagnosis may be: it looks at up to a hundred queues.
const AGE: Duration = Duration::from_secs(15);

#[derive(Template)]
#[template(path = "doctor.html")]
struct DoctorPage {
    frame: Frame,
    class: &'static str,
    sign: &'static str,
    headline: &'static str,
    findings: Vec<FindingView>,
}

struct FindingView {
    class: &'static str,
    sign: &'static str,
    severity: &'static str,
    code: String,
    seen: String,
    advice: String,
}

/// `GET /doctor`
pub(crate) async fn doctor(visit: Visit) -> Result<Answer> {
    if !visit.sees_all() {
        return Err(WebProblem::forbidden(
            "The doctor looks at all queues, so this needs a token for all queues: `*`.",
        ));
    }
    let doctor = Doctor::new(visit.storage().clone()).without_probe();
    let read = async move { Ok(doctor.examine().await) };
    let found: std::sync::Arc<Diagnosis> =
        visit.app.snapshots.get(visit.key("doctor", ""), AGE, read).await?;
    let (class, sign) = looks(found.severity());
    let headline = match found.severity() {
        Severity::Fine => "The store is in good health",
        Severity::Broken => "Something is broken",
        _ => "Something is worth a look",
    };
    answer::page(&DoctorPage {
        frame: visit.frame("Doctor"),
        class,
        sign,
        headline,
        findings: found.findings.iter().map(view).collect(),
    })
}

fn view(finding: &Finding) -> FindingView {
    let (class, sign) = looks(finding.severity);
    FindingView {
        class,
        sign,
        severity: finding.severity.as_str(),
        code: finding.code.to_string(),
        seen: finding.seen.clone(),
        advice: finding.advice.clone(),
    }
}

const fn looks(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Fine => ("good", "✓"),
        Severity::Broken => ("bad", "✕"),
        Severity::Warning => ("warn", "!"),
        _ => ("rest", "?"),
    }
}
