//! Several servers of one store behind a balancer that sends each request to the next one.

use crate::{
    place,
    serving::{Served, token},
};
use queue_e2e::{CommandDirectory, until};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Requests that hold this text lose their answer: the balancer takes it, and closes the client's
/// connection.
const LOST: &str = "\"lose\"";

/// A balancer: one request for each connection, and each request to the next server.
struct Balancer {
    address: SocketAddr,
}

impl Balancer {
    fn start(servers: &[Served]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = listener.local_addr().expect("it listens");
        let servers: Arc<Vec<String>> =
            Arc::new(servers.iter().map(|server| server.address().to_owned()).collect());
        let next = Arc::new(AtomicUsize::new(0));
        spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = servers[next.fetch_add(1, Ordering::Relaxed) % servers.len()].clone();
                spawn(move || forward(client, &server));
            }
        });
        Self { address }
    }

    fn send(&self, token: &str, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        let length = body.len();
        write!(
            stream,
            "{head} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .expect("it reads");
        stream.shutdown(Shutdown::Write).expect("it is open");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    fn call(&self, token: &str, head: &str, body: &Value) -> (u16, Value) {
        let answer = self.send(token, head, &body.to_string());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn post(&self, token: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call(token, &format!("POST {path}"), body);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }
}

/// It ends with the connections that it serves, or with the test.
fn spawn(run: impl FnOnce() + Send + 'static) {
    thread::Builder::new().spawn(run).expect("there is room for a thread");
}

fn forward(mut client: TcpStream, server: &str) {
    let mut request = Vec::new();
    // The clients of these tests end what they send.
    let read = client.read_to_end(&mut request);
    let Ok(mut server) = read.and_then(|_| TcpStream::connect(server)) else { return };
    let is_lost = String::from_utf8_lossy(&request).contains(LOST);
    if is_lost {
        drop(client.shutdown(Shutdown::Both));
    }
    let mut answer = Vec::new();
    let answered = server.write_all(&request).and_then(|()| server.read_to_end(&mut answer));
    if answered.is_ok() && !is_lost {
        drop(client.write_all(&answer));
    }
}

/// Three servers with the same tokens and keys, over one store.
fn servers(place: &CommandDirectory) -> Vec<Served> {
    place.run(&["token", "rotate-key", "--key-file", "keys.json"]).ok();
    let options = ["--tokens", "tokens.json", "--key-file", "keys.json"];
    (0..3).map(|_| Served::start(place, &options)).collect()
}

fn claim(worker: &str, number: u128, wait_ms: u64) -> Value {
    json!({"worker": worker, "claim_id": format!("{number:032x}"), "limit": 2, "lease_ms": 5_000, "wait_ms": wait_ms})
}

#[test]
fn a_claim_that_is_repeated_at_the_next_server_leaves_no_job_to_no_one() {
    let place = place();
    let token = token(&place, &["produce", "work", "view"]);
    let servers = servers(&place);
    let balancer = Balancer::start(&servers);
    for round in 0..10_u128 {
        let id = format!("job-{round}");
        let jobs = json!({"jobs": [{"id": id, "payload": 1}]});
        // The answer is lost: of a claim that finds the job, and of one that is there before it.
        let waits = round % 2 == 1;
        let mut lost = claim("w", 2 * round, if waits { 3_000 } else { 0 });
        lost["worker"] = json!("lose");
        let mut again = lost.clone();
        again["repeat"] = json!(true);
        if !waits {
            balancer.post(&token, "/v1/queues/mail/jobs", &jobs);
        }
        assert_eq!(balancer.send(&token, "POST /v1/queues/mail/claim", &lost.to_string()), "");
        // The repetition must not be lost as well.
        let served = &servers[usize::try_from(round).expect("small") % servers.len()];
        let (status, again) = served.call(&token, "POST /v1/queues/mail/claim", &again.to_string());
        assert_eq!(status, 200, "{again}");
        if waits {
            balancer.post(&token, "/v1/queues/mail/jobs", &jobs);
        }
        let held = match again["jobs"].as_array().expect("jobs").first() {
            Some(job) => job.clone(),
            None => {
                balancer.post(&token, "/v1/queues/mail/claim", &claim("x", 2 * round + 1, 20_000))["jobs"][0]
                    .clone()
            }
        };
        assert_eq!((&held["id"], &held["attempt"]), (&json!(id), &json!(1)), "no stall is charged: {again}");
        let items = json!({"items": [{"receipt": held["receipt"], "complete": {}}]});
        assert_eq!(balancer.post(&token, "/v1/settle", &items)["items"][0]["outcome"], "done");
    }
}

#[test]
fn a_pause_a_resume_and_a_drain_of_a_worker_hold_at_every_server() {
    let place = place();
    let token = token(&place, &["produce", "work", "view", "operate"]);
    let servers = servers(&place);
    let balancer = Balancer::start(&servers);
    let announce = json!({"worker": "w", "queues": ["mail"], "ttl_ms": 60_000});
    balancer.post(&token, "/v1/workers", &announce);
    let id = token.split('_').nth(1).expect("an id");
    let worker = format!("{id}/w");
    let mut number = 0;
    let mut asked = |field: &str| -> Vec<Value> {
        let mut answers = Vec::new();
        for served in &servers {
            number += 1;
            let body = claim("w", number, 0).to_string();
            answers.push(served.call(&token, "POST /v1/queues/mail/claim", &body).1[field].clone());
        }
        answers
    };
    for (verb, field, expected) in
        [("pause", "paused", true), ("resume", "paused", false), ("drain", "drain", true)]
    {
        match verb {
            "drain" => {
                balancer.post(&token, "/v1/workers:drain", &json!({"worker": worker}));
            }
            _ => drop(place.run(&[verb, "--worker", &worker]).ok()),
        }
        until(verb, || asked(field).iter().all(|told| *told == json!(expected)).then_some(()));
    }
}

#[test]
fn a_revoked_token_is_refused_by_every_server() {
    let place = place();
    let (gone, stays) = (token(&place, &["view"]), token(&place, &["view"]));
    let servers = servers(&place);
    let statuses = |token: &str| -> Vec<u16> {
        servers.iter().map(|served| served.call(token, "GET /v1/queues", "").0).collect()
    };
    assert_eq!((statuses(&gone), statuses(&stays)), (vec![200; 3], vec![200; 3]));
    let id = gone.split('_').nth(1).expect("an id");
    place.run(&["token", "revoke", "--tokens", "tokens.json", id]).ok();
    for served in &servers {
        served.signal(rustix::process::Signal::HUP);
    }
    until("it is refused", || (statuses(&gone) == vec![401; 3]).then_some(()));
    assert_eq!(statuses(&stays), vec![200; 3]);
}
