//! A running `queue serve`, and bare calls to it.

use crate::{CommandDirectory, CommandRun, Process};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// A server that listens at a port of this machine.
#[derive(Debug)]
pub struct Served {
    process: Process,
    address: String,
}

impl Served {
    /// Starts one at any port.
    pub fn start(place: &CommandDirectory, arguments: &[&str]) -> Self {
        Self::start_at(place, "127.0.0.1:0", arguments)
    }

    /// Starts one at this address.
    pub fn start_at(place: &CommandDirectory, address: &str, arguments: &[&str]) -> Self {
        let (process, address) = place.serve(address, arguments);
        Self { process, address }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Kills it with SIGKILL.
    pub fn kill(self) {
        self.process.kill();
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Stops it until it gets SIGCONT, and waits until it stands still; its sockets take
    /// connections.
    #[track_caller]
    pub fn suspend(&self) {
        self.process.suspend();
    }

    /// What it has said so far on standard error.
    pub fn stderr(&self) -> String {
        self.process.stderr()
    }

    /// Waits until it ends by itself.
    pub fn wait(self) -> CommandRun {
        self.process.wait()
    }

    /// One call: its status and its answer.
    pub fn call(&self, token: &str, head: &str, body: &str) -> (u16, Value) {
        Self::answer(self.send(token, head, body))
    }

    /// One call without a body: its answer as text.
    pub fn text(&self, token: &str, head: &str) -> String {
        self.reply(token, head, "").1
    }

    /// One call: its status and its answer as text.
    pub fn reply(&self, token: &str, head: &str, body: &str) -> (u16, String) {
        read(self.send(token, head, body))
    }

    /// Sends one call, whose answer is still to be read.
    pub fn send(&self, token: &str, head: &str, body: &str) -> TcpStream {
        self.write(&format!(
            "{head} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Sends these bytes.
    pub fn write(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        stream
    }

    /// The status and the JSON of an answer.
    pub fn answer(stream: TcpStream) -> (u16, Value) {
        let (status, body) = read(stream);
        (status, serde_json::from_str(&body).expect("an object"))
    }
}

fn read(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}
