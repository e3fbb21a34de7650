//! Every view, at every size that a terminal has.

use super::{Stage, demo};
use std::{env, fs, path::Path};

/// The keys from the first view to each, and words that only that one shows.
const VIEWS: [(&str, &str, &str); 10] = [
    ("overview", "", "attention"),
    ("queue", "j<enter>", "a minute"),
    ("jobs", "j<enter>3", "receipt-2"),
    ("job", "3G<enter>", "declined"),
    ("payload", "3G<enter>v", "\"to\":\"ada\""),
    ("errors", "4", "CardDecline"),
    ("schedules", "j5", "digest"),
    ("workers", "6", "web-1"),
    ("worker", "6<enter>", "receipt-1"),
    ("operations", "7", "billing/redrive"),
];

#[tokio::test]
async fn every_view_has_what_it_is_about_on_wide_common_and_narrow_screens() {
    for size in [(120, 40), (80, 24), (40, 12)] {
        for (view, keys, words) in VIEWS {
            let mut stage = Stage::new(demo::store().await, size).await;
            stage.press(keys).await;
            let mut shown = stage.shown();
            if size == (40, 12) {
                // It may stand farther down.
                for _ in 0..4 {
                    shown += &stage.press("<pagedown>").await.shown();
                }
            }
            assert!(shown.contains(words), "{view} at {size:?} without {words:?}:\n{shown}");
        }
    }
}

#[tokio::test]
async fn no_size_is_too_small_for_any_view() {
    for (_, keys, _) in VIEWS {
        let mut stage = Stage::new(demo::store().await, (80, 24)).await;
        stage.press(keys).await;
        for size in [(1, 1), (0, 0), (3, 2), (7, 4), (400, 3), (12, 200), (40, 12)] {
            stage.terminal.backend_mut().resize(size.0, size.1);
            for keys in ["", "?", "/", "<esc>", "P", "n", "G", "g"] {
                stage.press(keys).await.shown();
            }
        }
    }
}

#[tokio::test]
async fn a_screen_of_three_lines_shows_what_is_wrong_until_there_is_a_question() {
    let mut stage = Stage::new(demo::store().await, (40, 3)).await;
    stage.app.trouble.end_badly("gone".to_owned());
    assert!(stage.shown().contains(": gone"), "{}", stage.shown());
    let shown = stage.press("P").await.shown();
    assert!(shown.contains("Pause the queue"), "{shown}");
    assert!(stage.press("n ").await.shown().contains(": gone"));
}

#[tokio::test]
async fn screens_look_as_they_did() {
    for (view, keys, _) in VIEWS {
        if matches!(view, "overview" | "queue" | "job" | "workers") {
            for size in [(120, 40), (80, 24), (40, 12)] {
                let mut stage = Stage::new(demo::store().await, size).await;
                let shown = stage.press(keys).await.shown();
                assert_looks_like(&format!("{view}-{}x{}", size.0, size.1), &shown);
            }
        }
    }
    let mut stage = Stage::new(demo::store().await, (80, 28)).await;
    assert_looks_like("help-80x28", &stage.press("?").await.shown());
}

/// `QUEUE_CLI_BLESS=1 cargo test -p queue-cli screens_look` writes the files again.
fn assert_looks_like(name: &str, shown: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/commands/top/tests/looks/{name}.txt"));
    if env::var_os("QUEUE_CLI_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, shown).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == shown, "{name} looks different now; QUEUE_CLI_BLESS=1 writes it:\n{shown}");
}
