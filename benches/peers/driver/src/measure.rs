//! One store: all of its peers, row by row, in turns.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::build::{Built, Program};
use crate::catalog::{Peer, Store};
use crate::cell::Cell;
use crate::machine;
use crate::place::Place;
use crate::plan::Plan;
use crate::process::{Run, TIME_MAX, run};
use crate::row::{Amount, DEFAULT, DRAIN, Row};
use crate::server::Server;

/// A drain that is over sooner says little, so that the peer gets more jobs.
const SHORT_SECONDS: f64 = 1.0;
/// What the peers said on standard error.
const LOG: &str = "stderr.log";

/// What is kept of one store.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct StoreRun {
    pub(crate) store: Store,
    pub(crate) begun: String,
    pub(crate) commit: String,
    pub(crate) machine: String,
    pub(crate) engine: String,
    /// Of the machine, in the minute before the first store.
    pub(crate) load: String,
    pub(crate) rounds: u32,
    pub(crate) peers: Vec<Entrant>,
    pub(crate) cells: Vec<Cell>,
}

/// A peer on one store.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) default: String,
    pub(crate) tuned: String,
    /// Why it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) missing: Option<String>,
}

pub(crate) fn store(plan: &Plan, store: Store, peers: &[(&Peer, &Built)], rows: &[Row]) -> Result<StoreRun> {
    let server = Server::start(&plan.root, store)?;
    let url = server.as_ref().map_or("", |server| &server.url);
    in_place(plan, &Place { store, url, scratch: &plan.scratch }, peers, rows)
}

fn in_place(plan: &Plan, place: &Place<'_>, peers: &[(&Peer, &Built)], rows: &[Row]) -> Result<StoreRun> {
    let git =
        |arguments: &[&str]| machine::said_by(Command::new("git").args(arguments).current_dir(&plan.root));
    let mut store_run = StoreRun {
        store: place.store,
        begun: machine::said_by(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M"])),
        commit: git(&["rev-parse", "--short=12", "HEAD"]),
        machine: machine::describe(),
        engine: place.engine(),
        load: plan.load.clone(),
        rounds: plan.rounds,
        peers: peers.iter().map(|(peer, built)| entrant(peer, built)).collect(),
        cells: Vec::new(),
    };
    let present: Vec<(&Peer, &Program)> =
        peers.iter().filter_map(|(peer, built)| Some((*peer, built.as_ref().ok()?))).collect();
    for row in rows {
        let cells = in_turns(plan, place, &present, *row)?;
        for cell in cells {
            keep_settings(&mut store_run.peers, &cell);
            store_run.cells.push(cell);
        }
    }
    Ok(store_run)
}

fn entrant(peer: &Peer, built: &Built) -> Entrant {
    let name = peer.name.to_owned();
    match built {
        Ok(program) => Entrant { name, version: program.version.clone(), ..Entrant::default() },
        Err(error) => Entrant { name, missing: Some(error.clone()), ..Entrant::default() },
    }
}

/// One round after the other, and in each all peers, so that what disturbs the machine for a while
/// disturbs all of them.
fn in_turns(plan: &Plan, place: &Place<'_>, peers: &[(&Peer, &Program)], row: Row) -> Result<Vec<Cell>> {
    let mut turns: Vec<Turns<'_>> =
        peers.iter().map(|(peer, program)| Turns::new(plan, peer, program, row)).collect();
    for _ in 0..plan.rounds {
        for turn in &mut turns {
            turn.take(plan, place)?;
        }
    }
    Ok(turns.into_iter().map(|turn| turn.cell).collect())
}

/// The runs of one peer in one row.
struct Turns<'a> {
    program: &'a Program,
    row: Row,
    amount: Amount,
    may_grow: bool,
    cell: Cell,
}

impl<'a> Turns<'a> {
    fn new(plan: &Plan, peer: &Peer, program: &'a Program, row: Row) -> Self {
        let amount = Amount::first(row, peer.drain_max, plan.is_quick);
        let may_grow = row.workload == DRAIN && peer.drain_max.is_none() && !plan.is_quick;
        let (workload, profile) = (row.workload.to_owned(), row.profile.to_owned());
        let cell = Cell { peer: peer.name.to_owned(), workload, profile, runs: Vec::new() };
        Self { program, row, amount, may_grow, cell }
    }

    /// A peer that does not offer an operation, or has hung twice, is not asked again.
    fn take(&mut self, plan: &Plan, place: &Place<'_>) -> Result<()> {
        let failures = self.cell.runs.iter().filter(|run| run.error.is_some()).count();
        if self.cell.is_not_offered() || failures > 1 {
            return Ok(());
        }
        let mut run = self.measure(plan, place)?;
        if self.may_grow && run.rate.is_some() && run.notes.is_empty() && run.seconds < SHORT_SECONDS {
            self.may_grow = false;
            self.amount = self.amount.grown();
            run = self.measure(plan, place)?;
        }
        self.may_grow = false;
        self.cell.runs.push(run);
        Ok(())
    }

    fn measure(&self, plan: &Plan, place: &Place<'_>) -> Result<Run> {
        // After a peer has broken the server, the others still get their turn.
        let opened = match place.empty() {
            Ok(opened) => opened,
            Err(error) => return Ok(Run::failed(format!("the store was not emptied: {error:#}"))),
        };
        let Amount { jobs, cap } = self.amount;
        let mut command = Command::new(&self.program.path);
        command.args(&self.program.arguments).current_dir(&plan.scratch);
        command.args([place.store.name(), self.row.workload, self.row.profile]);
        command.args([jobs.to_string(), cap.as_secs().to_string()]);
        command.env("PEER_PLACE", opened).env("PEER_SOURCE", &self.program.source);
        command.stderr(self.log(&plan.scratch)?);
        let run = run(&mut command, TIME_MAX);
        println!(
            "{:9} {:14} {:8} {:22} {}",
            place.store,
            self.row.workload,
            self.row.profile,
            self.cell.peer,
            said(&run)
        );
        Ok(run)
    }

    fn log(&self, scratch: &Path) -> Result<Stdio> {
        let path = scratch.join(LOG);
        let file = File::options().create(true).append(true).open(&path);
        let mut file = file.with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(file, "== {} {} {}", self.cell.peer, self.row.workload, self.row.profile)?;
        Ok(file.into())
    }
}

/// A run on one line.
fn said(run: &Run) -> String {
    let figures = match (run.rate, run.p50_ms, run.p99_ms) {
        (Some(rate), ..) => format!("{rate:.0}/s"),
        (_, Some(p50), Some(p99)) => format!("{p50:.3} / {p99:.3} ms"),
        _ if run.not_offered => "not offered".to_owned(),
        _ => "no figure".to_owned(),
    };
    let words = run.notes.iter().chain(&run.error).cloned();
    std::iter::once(figures).chain(words).collect::<Vec<_>>().join("; ")
}

/// The settings that a peer names stand once for all its cells.
fn keep_settings(peers: &mut [Entrant], cell: &Cell) {
    let settings = cell.runs.iter().map(|run| &run.settings).find(|settings| !settings.is_empty());
    let entrant = peers.iter_mut().find(|entrant| entrant.name == cell.peer);
    if let (Some(settings), Some(entrant)) = (settings, entrant) {
        let kept = if cell.profile == DEFAULT { &mut entrant.default } else { &mut entrant.tuned };
        if kept.is_empty() {
            kept.clone_from(settings);
        }
    }
}
