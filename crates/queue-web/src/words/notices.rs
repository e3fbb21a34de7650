//! What the last action did. The address has a word of this list and numbers, so a made-up link
//! cannot put other text on the page.

use crate::visit::{Fields, Notice};
use queue_view::words::plural;

/// The notice of an address.
pub(crate) fn notice(query: &Fields) -> Option<Notice> {
    let count = query.number("n").unwrap_or(1);
    let not = query.number("not").unwrap_or(0);
    let jobs = plural(count, "job", "jobs");
    let done = match query.get("did")? {
        "cancel" => format!("{jobs} cancelled, or asked to stop if running"),
        "redrive" => format!("{jobs} queued again"),
        "promote" => format!("{jobs} due now"),
        "delete" => format!("{jobs} deleted"),
        "pause" => "Paused: nothing more is handed out".to_owned(),
        "resume" => "Resumed".to_owned(),
        "drain" => "The worker is asked to drain; it finishes what it holds and ends".to_owned(),
        "worker-pause" => "The worker is asked to take no more jobs".to_owned(),
        "worker-work" => "The worker is asked to work as usual".to_owned(),
        "worker-gone" => "This worker is not present any more".to_owned(),
        "started" => "The operation has begun".to_owned(),
        "before" => "This operation was started before; it runs once".to_owned(),
        "stopped" => "The operation ends after its present page; what was done stays done".to_owned(),
        "run" => "A job of this schedule is queued now".to_owned(),
        "schedule-pause" => "The schedule is paused".to_owned(),
        "schedule-resume" => "The schedule goes on".to_owned(),
        "batch-seal" => "The batch is sealed; it ends once all of its members have".to_owned(),
        "batch-cancel" => "The members of the batch are asked to stop; it ends after them".to_owned(),
        "batch-abandon" => "The batch is abandoned: no callback runs, and its members go on".to_owned(),
        "batch-sweep" => "The workers end the records of the members of this batch".to_owned(),
        "batch-swept" => "The members of this batch were swept already".to_owned(),
        "enqueued" => "The job is queued".to_owned(),
        "schedule-put" => "The schedule is as you gave it".to_owned(),
        "none-chosen" => "Nothing was changed: choose at least one job first".to_owned(),
        "missing" => "There is no such thing any more".to_owned(),
        "unchanged" => "Nothing was changed: it is not in a state for this".to_owned(),
        _ => return None,
    };
    let words = match not {
        0 => format!("{done}."),
        not => format!(
            "{done}. {} left alone, since they had moved on or are not in a state for this.",
            plural(not, "job", "jobs")
        ),
    };
    Some(Notice {
        is_good: not == 0
            && !matches!(query.get("did"), Some("missing" | "none-chosen" | "unchanged" | "worker-gone")),
        words,
    })
}
