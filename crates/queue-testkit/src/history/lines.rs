//! Histories as JSON lines: each process writes a file of its own, and one checker reads them all.

use crate::history::{Ask, Event, Phase};
use std::io::{self, BufRead, Write};

/// The calls to a store and their answers, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History(Vec<Event>);

impl History {
    /// Events in the order of their index.
    pub fn new(events: Vec<Event>) -> Self {
        Self(events)
    }

    /// The events.
    pub fn events(&self) -> &[Event] {
        &self.0
    }

    /// Writes one event per line.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        for event in &self.0 {
            serde_json::to_writer(&mut to, event)?;
            to.write_all(b"\n")?;
        }
        to.flush()
    }

    /// Reads what [`write`](Self::write) wrote. A last line that is cut short, by the kill of its
    /// process, is skipped.
    pub fn read(from: impl BufRead) -> io::Result<Self> {
        let lines = from.lines().collect::<io::Result<Vec<String>>>()?;
        let mut events = Vec::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            match serde_json::from_str(line) {
                Ok(event) => events.push(event),
                Err(error) if error.is_eof() && at + 1 == lines.len() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self(events))
    }

    /// Merges the histories of several processes of one host.
    ///
    /// Their clocks agree only within `skew_ns`, so every end is moved later by that much: two
    /// calls of different processes whose order is uncertain then overlap.
    #[must_use]
    pub fn merge(histories: Vec<Self>, skew_ns: u64) -> Self {
        let mut events = Vec::new();
        let mut calls = 0;
        let mut processes = 0;
        let mut txs = 0;
        for history in histories {
            let (last_call, last_process) = (history.last(|e| e.call), history.last(|e| e.process));
            let last_tx = history.last(|e| e.ask.tx.unwrap_or_default());
            events.extend(history.0.into_iter().map(|event| Event {
                call: event.call + calls,
                process: event.process + processes,
                ask: Ask { tx: event.ask.tx.map(|tx| tx + txs), ..event.ask },
                ..event
            }));
            calls += last_call;
            processes += last_process;
            txs += last_tx;
        }
        let at = |e: &Event| e.time_mono.saturating_add(if e.phase == Phase::Invoke { 0 } else { skew_ns });
        events.sort_by_key(at);
        for (index, event) in (0..).zip(&mut events) {
            event.index = index;
        }
        Self(events)
    }

    fn last(&self, of: impl Fn(&Event) -> u64) -> u64 {
        self.0.iter().map(of).max().unwrap_or(0)
    }
}
