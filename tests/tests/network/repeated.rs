//! Two servers before one database: a claim whose answer was lost is repeated at the other one.

use crate::{part::apart, server};
use queue_e2e::{CommandDirectory, Served};
use serde_json::{Value, json};
use std::net::TcpStream;

const ROUNDS: u128 = 6;
const CLAIM: &str = "POST /v1/queues/mail/claim";

struct Servers {
    a: Served,
    b: Served,
    token: String,
    _place: CommandDirectory,
}

impl Servers {
    fn over(url: &str) -> Self {
        let place = CommandDirectory::new(env!("CARGO_BIN_EXE_queue-e2e"));
        place.run(&["token", "rotate-key", "--key-file", "keys.json", "--after", "0s"]).ok();
        let new = ["token", "new", "--tokens", "tokens.json", "--queue", "mail", "--scope", "produce"];
        let token = place.run(&[&new[..], &["--scope", "work"]].concat()).ok().text().trim().to_owned();
        let options = ["--tokens", "tokens.json", "--key-file", "keys.json", "--store", url];
        let (a, b) = (Served::start(&place, &options), Served::start(&place, &options));
        Self { a, b, token, _place: place }
    }

    fn at_b(&self, head: &str, body: &Value) -> Value {
        let (status, answer) = self.b.call(&self.token, head, &body.to_string());
        assert_eq!(status, 200, "{head}: {answer}");
        answer
    }

    fn send_a(&self, body: &Value) -> TcpStream {
        self.a.send(&self.token, CLAIM, &body.to_string())
    }

    /// The job is held once, by the receipt that the second server has given out, uncharged.
    fn is_held_once(&self, round: u128, found: &Value) {
        let held = match found["jobs"].as_array().expect("jobs").first() {
            Some(job) => job.clone(),
            None => self.at_b(CLAIM, &claim(1_000 + round, 20_000))["jobs"][0].clone(),
        };
        assert_eq!(
            (&held["attempt"], &held["epoch"].is_u64()),
            (&json!(1), &true),
            "no stall is charged: {found}"
        );
        assert_eq!(self.at_b(CLAIM, &claim(2_000 + round, 0))["jobs"], json!([]), "it is held");
        let items = json!({"items": [{"receipt": held["receipt"], "complete": {}}]});
        assert_eq!(self.at_b("POST /v1/settle", &items)["items"][0]["outcome"], "done");
    }
}

fn claim(number: u128, wait_ms: u64) -> Value {
    json!({"worker": "w", "claim_id": format!("{number:032x}"), "limit": 2, "lease_ms": 30_000, "wait_ms": wait_ms})
}

fn repeat_of(claim: &Value) -> Value {
    let mut again = claim.clone();
    again["repeat"] = json!(true);
    again
}

/// Half of the claims find the job, and half of them wait for it while they are repeated.
fn is_the_repeaters(url: &str) {
    let servers = Servers::over(url);
    for round in 0..ROUNDS {
        let job = json!({"jobs": [{"id": format!("job-{round}"), "payload": 1}]});
        let enqueue = || servers.at_b("POST /v1/queues/mail/jobs", &job);
        let waits = round % 2 == 1;
        let lost = claim(round, if waits { 20_000 } else { 0 });
        if waits {
            let stream = servers.send_a(&lost);
            let again = servers.at_b(CLAIM, &repeat_of(&lost));
            enqueue();
            servers.is_held_once(round, &again);
            // Its answer comes in the end, and is of no use to any caller.
            drop(stream);
        } else {
            enqueue();
            // The first server has answered, and the answer is lost behind it.
            assert_eq!(Served::answer(servers.send_a(&lost)).0, 200);
            servers.is_held_once(round, &servers.at_b(CLAIM, &repeat_of(&lost)));
        }
    }
}

#[test]
fn a_claim_that_is_repeated_at_another_server_of_postgres_leaves_no_job_to_no_one() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    is_the_repeaters(&apart(&url, "schema", "repeated"));
}

#[test]
fn a_claim_that_is_repeated_at_another_server_of_redis_leaves_no_job_to_no_one() {
    let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") else { return };
    is_the_repeaters(&apart(&url, "namespace", "repeated"));
}
