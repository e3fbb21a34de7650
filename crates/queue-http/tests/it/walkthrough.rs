//! The page that walks through the service by hand, run as it is written.

use queue_core::{SeededRng, Storage};
use queue_http::{Principal, ReceiptKeys, Service};
use serde_json::Value;
use std::{process::Command, sync::Arc};
use tokio::net::TcpListener;

const PAGE: &str = include_str!("../../../../docs/service/walkthrough.md");
/// What stands between the answers of two blocks.
const BETWEEN: &str = "\n--- next block ---\n";

/// The blocks of the page with their languages.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let fenced = PAGE.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').expect("a block has a language")).collect()
}

/// Whether an answer has all that the page shows. Times and receipts differ each time.
fn shows(answer: &Value, shown: &Value, name: &str) -> bool {
    match (answer, shown) {
        (Value::Object(answer), Value::Object(shown)) => {
            shown.iter().all(|(name, value)| answer.get(name).is_some_and(|found| shows(found, value, name)))
        }
        (Value::Array(answer), Value::Array(shown)) => {
            answer.len() == shown.len()
                && answer.iter().zip(shown).all(|(found, value)| shows(found, value, name))
        }
        (Value::Number(_), Value::Number(_)) if name == "now_ms" => true,
        (Value::String(answer), Value::String(shown)) if name == "receipt" => answer.starts_with(shown),
        (answer, shown) => answer == shown,
    }
}

fn run(address: &str) -> Option<String> {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("there is no curl here, so the page is not run");
        return None;
    }
    let scripts = blocks().into_iter().filter(|(language, _)| *language == "sh");
    let between = BETWEEN.replace('\n', "\\n");
    let script =
        scripts.fold(String::new(), |whole, (_, script)| format!("{whole}{script}\nprintf '{between}'\n"));
    let ran = Command::new("sh").arg("-euc").arg(script).env("QUEUE", format!("http://{address}")).output();
    let ran = ran.expect("there is a shell");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8(ran.stdout).expect("answers are text"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_gets_the_answers_that_it_shows() {
    let storage: Arc<dyn Storage> = queue::open("memory:").await.expect("memory is always there");
    let service = Service::new(storage, ReceiptKeys::generate(&SeededRng::new(1)));
    let calls = axum::Router::new().fallback_service(service.as_principal(Principal::anybody()));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let ran = tokio::task::spawn_blocking(move || run(&address));
    let written = tokio::select! {
        _ = async { axum::serve(listener, calls).await } => unreachable!("it serves for ever"),
        ran = ran => ran.expect("the page ran"),
    };
    let Some(written) = written else { return };
    let mut answers = written.split(BETWEEN);
    let mut compared = 0;
    let mut last = "";
    for (language, block) in blocks() {
        match language {
            "sh" => last = answers.next().expect("each block wrote something"),
            "json" => {
                let shown: Value =
                    serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"));
                let answer: Value =
                    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last}"));
                assert!(shows(&answer, &shown, ""), "the page shows {shown}, and the answer is {answer}");
                compared += 1;
            }
            _ => {}
        }
    }
    assert!(compared >= 10, "{compared} answers");
}
