//! `queue serve --demo`: the dashboard with something on every page, and nothing of other stores to
//! see.

use crate::{place, serving::Served};
use queue_e2e::until;
use rustix::process::Signal;
use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// Every page of the dashboard, and words that are there once the demonstration is alive.
const PAGES: [(&str, &[&str]); 12] = [
    ("/", &["billing", "emails", "images", "webhooks", "paused", "id=\"overview\""]),
    ("/queue?queue=emails", &["Queue emails", "<svg", "Completed", "Partitions", "tenant-3"]),
    ("/jobs?queue=emails&state=failed", &["receipt-", "Smtp"]),
    ("/jobs?queue=emails&state=scheduled", &["newsletter-"]),
    ("/errors?queue=emails", &["Smtp", "failed</span>", "Run these"]),
    ("/kinds?queue=emails", &["welcome", "receipt", "newsletter"]),
    ("/workers", &["web-1", "media-1", "Slots"]),
    ("/schedules?queue=billing", &["monthly-invoices", "dunning", "Run now"]),
    ("/batches?queue=billing", &["invoices-june", "invoices-july", "open"]),
    ("/batch?queue=billing&name=invoices-july", &["Seal", "Abandon", "dunning"]),
    ("/operations", &["Operations"]),
    ("/doctor", &["Doctor"]),
];

fn get(server: &Served, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}

/// How many jobs of a queue are in this state.
fn gauge(metrics: &str, queue: &str, state: &str) -> u64 {
    let name = format!("queue_jobs{{messaging_destination_name=\"{queue}\",state=\"{state}\"}} ");
    let found = metrics.lines().find_map(|line| line.strip_prefix(&name));
    found.map_or(0, |number| number.parse().expect("a number"))
}

#[test]
fn the_demonstration_fills_every_page_and_ends_at_a_signal() {
    let place = place();
    let served = Served::start(&place, &["--demo"]);
    let metrics = until("it works, fails and waits", || {
        let (status, metrics) = get(&served, "/metrics");
        assert_eq!(status, 200, "{metrics}");
        let kept_in = ["completed", "failed", "scheduled"];
        kept_in.iter().all(|state| gauge(&metrics, "emails", state) > 0).then_some(metrics)
    });
    assert!(gauge(&metrics, "webhooks", "due") > 0, "one queue is paused: {metrics}");
    assert!(metrics.contains("queue_paused{messaging_destination_name=\"webhooks\"} 1"), "{metrics}");
    for (path, words) in PAGES {
        let text = until(&format!("{path} shows {words:?}"), || {
            let (status, text) = get(&served, path);
            assert_eq!(status, 200, "{path}: {text}");
            words.iter().all(|word| text.contains(word)).then_some(text)
        });
        assert!(text.trim_end().ends_with("</html>"), "{path} is cut");
    }
    let (_, failed) = get(&served, "/jobs?queue=emails&state=failed");
    let (_, link) = failed.split_once("href=\"./job?").expect("a failed job is listed");
    let (status, job) =
        get(&served, &format!("/job?{}", link.split('"').next().expect("a link").replace("&#38;", "&")));
    assert_eq!(status, 200, "{job}");
    assert!(job.contains("Failed for good") && job.contains("Attempt 1"), "{job}");

    let before = gauge(&metrics, "emails", "completed");
    until("its traffic goes on", || {
        (gauge(&get(&served, "/metrics").1, "emails", "completed") > before).then_some(())
    });
    served.signal(Signal::TERM);
    let run = served.wait();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.text().contains("\"stopped\""), "{}", run.text());
}

#[test]
fn the_demonstration_is_for_this_machine_alone() {
    let place = place();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let run = place.run(&["serve", "--demo", "--listen", address]);
        assert_eq!(run.code, 2, "{address}: {}", run.stderr);
        assert!(run.stderr.contains("needs tokens"), "{address}: {}", run.stderr);
    }
    let served = Served::start(&place, &["--demo"]);
    let mut stream = TcpStream::connect(served.address()).expect("it listens");
    let request = "GET / HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 421"), "{answer}");
    assert!(!answer.contains("billing"), "{answer}");
}
