//! The loop of the screen. It draws, and waits for keys, signals and readings at once; readings and
//! changes are tasks of their own, so that a store that does not answer never keeps a key waiting.

use super::{
    app::{App, Effect},
    deed::Deed,
    place::Place,
    screen::{self, Palette},
    sheet::{Sheet, Tone},
    source::Source,
    views,
};
use crate::{
    exit::{CliError, Exit},
    signals::StopSignals,
};
use crossterm::event::{Event, EventStream, KeyEventKind};
use futures_util::StreamExt;
use queue::{Clock, SystemClock};
use ratatui::{Terminal, backend::Backend};
use std::{sync::Arc, time::Duration};
use tokio::{
    task::{AbortHandle, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};

/// A reading that takes longer is given up, and another one begins.
const READING_MAX: Duration = Duration::from_secs(15);
/// Keys that turn pages fast begin no more readings than this allows.
const TURN: Duration = Duration::from_millis(100);
/// How often the screen is drawn while nothing happens, for the times in the line at the top.
const TICK: Duration = Duration::from_secs(1);

/// What a task brings back.
#[derive(Debug)]
enum Came {
    Sheet(Place, Result<Box<Sheet>, CliError>),
    Outcome(Result<String, CliError>),
}

/// The screen with all that goes on behind it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) app: App,
    source: Arc<Source>,
    tasks: JoinSet<Came>,
    /// The reading under way.
    reading: Option<AbortHandle>,
    /// When the next reading begins.
    next: Instant,
    last_begun: Option<Instant>,
    /// Changes under way.
    acting: usize,
}

impl Live {
    pub(super) fn new(app: App, source: Arc<Source>) -> Self {
        let next = Instant::now();
        Self { app, source, tasks: JoinSet::new(), reading: None, next, last_begun: None, acting: 0 }
    }

    /// Runs until the user quits, or until an error that no further reading can repair.
    pub(super) async fn run<B: Backend<Error: std::fmt::Display>>(
        &mut self,
        terminal: &mut Terminal<B>,
        palette: Palette,
        events: &mut (impl futures_util::Stream<Item = std::io::Result<Event>> + Unpin),
        signals: &mut StopSignals,
    ) -> Result<(), CliError> {
        loop {
            self.read_if_due();
            let drawn = terminal.draw(|frame| {
                let area = frame.area();
                screen::draw(&mut self.app, palette, area, frame.buffer_mut());
            });
            drawn.map_err(|error| CliError::new(Exit::Unavailable, format!("the terminal: {error}")))?;
            let wake = if self.reading.is_some() { Instant::now() + TICK } else { self.next };
            tokio::select! {
                biased;
                () = signals.next() => return Ok(()),
                event = events.next() => match event {
                    Some(Ok(event)) => if self.take(&event) { return Ok(()) },
                    // The terminal has closed.
                    Some(Err(_)) | None => return Ok(()),
                },
                Some(came) = self.tasks.join_next() => self.put(came)?,
                () = sleep_until(wake.min(Instant::now() + TICK)) => {}
            }
        }
    }

    /// Whether a change is under way, whose outcome would be unknown if the program ended now.
    pub(super) const fn is_acting(&self) -> bool {
        self.acting > 0
    }

    /// Does what a key asks for; whether that is the end.
    fn take(&mut self, event: &Event) -> bool {
        let Event::Key(key) = event else { return false };
        if key.kind == KeyEventKind::Release {
            return false;
        }
        match self.app.press(*key) {
            Effect::None => {}
            Effect::Read => self.read_soon(),
            Effect::Act(deed) => self.act(deed),
            Effect::Quit => return true,
        }
        false
    }

    /// Another view is to be read, so the reading under way is of no use any more.
    fn read_soon(&mut self) {
        if let Some(reading) = self.reading.take() {
            reading.abort();
        }
        let earliest = self.last_begun.map(|begun| begun + TURN);
        self.next = earliest.map_or_else(Instant::now, |earliest| earliest.max(Instant::now()));
    }

    fn read_if_due(&mut self) {
        if self.reading.is_some() || Instant::now() < self.next {
            return;
        }
        let source = self.source.clone();
        let place = self.app.place.clone();
        self.app.trouble.begin();
        self.last_begun = Some(Instant::now());
        self.reading = Some(self.tasks.spawn(async move {
            let read = timeout(READING_MAX, views::read(&place, &source)).await;
            let read = read.unwrap_or_else(|_| Err(no_answer()));
            Came::Sheet(place, read.map(Box::new))
        }));
    }

    fn act(&mut self, deed: Deed) {
        let source = self.source.clone();
        self.acting += 1;
        self.tasks.spawn(async move {
            let done = timeout(READING_MAX, deed.carry_out(&source)).await;
            Came::Outcome(done.unwrap_or_else(|_| Err(no_outcome())))
        });
    }

    fn put(&mut self, came: Result<Came, JoinError>) -> Result<(), CliError> {
        match came {
            Ok(Came::Sheet(place, read)) if place == self.app.place => {
                self.reading = None;
                self.next = Instant::now() + place.rest();
                self.app.store = self.source.name().unwrap_or_default();
                match read {
                    Ok(sheet) => {
                        self.app.trouble.end_well(SystemClock.now());
                        self.app.show(&place, *sheet);
                    }
                    // Nothing was ever read, and the store did not say that it may be later.
                    Err(error) if !self.app.trouble.was_good() && !error.is_passing() => return Err(error),
                    Err(error) => self.app.trouble.end_badly(error.message().to_owned()),
                }
            }
            Ok(Came::Outcome(outcome)) => {
                self.acting = self.acting.saturating_sub(1);
                self.app.said = Some(match outcome {
                    Ok(words) => (Tone::Good, words),
                    Err(error) => (Tone::Bad, format!("refused: {}", error.message())),
                });
                self.read_soon();
            }
            Err(error) if error.is_panic() => {
                return Err(CliError::new(Exit::Bug, "a reading ended with a panic"));
            }
            Ok(Came::Sheet(..)) | Err(_) => {}
        }
        Ok(())
    }
}

/// The events of the terminal of this process.
pub(super) fn events() -> EventStream {
    EventStream::new()
}

fn no_answer() -> CliError {
    CliError::new(Exit::Unavailable, format!("the store did not answer within {READING_MAX:?}"))
}

fn no_outcome() -> CliError {
    let words =
        format!("the store did not answer within {READING_MAX:?}; it may have been done all the same");
    CliError::new(Exit::Unavailable, words)
}
