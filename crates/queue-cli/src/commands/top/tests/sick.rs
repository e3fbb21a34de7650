//! Stores that hang, fail and come back: keys work all the time, and a line says what is wrong.

use super::{
    super::{app::App, live::Live, place::Place, screen::Palette, source::Source},
    demo, text,
};
use crate::{
    exit::{CliError, Exit},
    signals::StopSignals,
};
use async_trait::async_trait;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use futures_util::{FutureExt, stream};
use queue::{
    Error, ErrorKind, Result, Storage,
    queue_core::{Kind, Pause, QueueName, QueuesPage, QueuesQuery, StorageLayer},
};
use ratatui::{Terminal, backend::TestBackend};
use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::sleep;

/// How the store answers when its queues are asked for, or one is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Well,
    Hangs,
    Fails(ErrorKind),
    Panics,
}

#[derive(Debug)]
struct SickStore {
    store: Arc<dyn Storage>,
    health: Mutex<Health>,
    reads: Mutex<u32>,
}

impl SickStore {
    async fn meet(&self) -> Result<()> {
        let health = *self.health.lock().unwrap();
        match health {
            Health::Well => Ok(()),
            Health::Hangs => pending().await,
            Health::Fails(kind) => Err(Error::new(kind, "queues", "the disk\u{1b}[2J is on fire")),
            Health::Panics => panic!("as a driver may"),
        }
    }

    fn become_(&self, health: Health) {
        *self.health.lock().unwrap() = health;
    }
}

#[async_trait]
impl StorageLayer for SickStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        *self.reads.lock().unwrap() += 1;
        self.meet().await?;
        self.store.queues(query).await
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.meet().await?;
        self.store.set_paused(queue, kind, pause).await
    }
}

/// What a person does: waits, presses a key, or makes the store well or sick.
#[derive(Clone, Copy)]
enum Step {
    Wait(u64),
    Key(char),
    Store(Health),
}

/// Runs the screen while these steps happen, and then leaves it alone for a moment.
async fn run(steps: &[Step]) -> (std::result::Result<(), CliError>, String, u32) {
    let store = demo::store().await;
    let sick = Arc::new(SickStore { store, health: Mutex::new(Health::Well), reads: Mutex::new(0) });
    let source = Arc::new(Source::of(sick.clone()));
    let app = App::new(Place::Overview, QueueName::from_static("emails"), false);
    let mut live = Live::new(app, source);
    let mut terminal = Terminal::new(TestBackend::new(100, 20)).unwrap();
    let sick_too = sick.clone();
    let events = stream::unfold((steps.iter().copied(), sick_too), |(mut steps, sick)| async move {
        loop {
            match steps.next()? {
                Step::Wait(millis) => sleep(Duration::from_millis(millis)).await,
                Step::Store(health) => sick.become_(health),
                Step::Key(key) => {
                    let key = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
                    return Some((Ok(Event::Key(key)), (steps, sick)));
                }
            }
        }
    });
    let mut events = Box::pin(events);
    let mut signals = StopSignals::listen().unwrap();
    let ended = live.run(&mut terminal, Palette::Plain, &mut events, &mut signals).await;
    let reads = *sick.reads.lock().unwrap();
    (ended, text(&terminal), reads)
}

use Step::{Key, Store, Wait};

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_is_told_with_the_last_reading_and_q_still_ends_it() {
    let (ended, shown, _) = run(&[Wait(500), Store(Health::Hangs), Wait(9_000), Key('q')]).await;
    ended.unwrap();
    let line = shown.lines().nth(2).unwrap();
    assert!(
        line.starts_with("! 9 s old: the store has not answered for ") && line.contains("last read at "),
        "{shown}"
    );
    assert!(shown.contains("billing"), "what was read stays: {shown}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_from_the_start_shows_a_screen_with_keys() {
    let (ended, shown, _) =
        run(&[Store(Health::Hangs), Wait(40_000), Key('?'), Wait(100), Key('x'), Wait(100), Key('q')]).await;
    ended.unwrap();
    assert!(shown.contains("nothing was read yet"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_and_comes_back_is_shown_again() {
    let unavailable = Store(Health::Fails(ErrorKind::Unavailable));
    let (ended, shown, _) = run(&[Wait(500), unavailable, Wait(5_000), Key('q')]).await;
    ended.unwrap();
    assert!(shown.contains(" old: the disk\\u{1b}[2J is on fire (last read at "), "{shown}");
    let (_, shown, _) = run(&[unavailable, Wait(5_000), Store(Health::Well), Wait(5_000), Key('q')]).await;
    assert!(!shown.contains("on fire") && shown.contains("billing"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn what_no_further_reading_mends_ends_it_at_once_with_its_reason() {
    let (ended, ..) = run(&[Store(Health::Fails(ErrorKind::Unsupported)), Wait(1_000), Key('q')]).await;
    assert!(ended.unwrap_err().message().contains("on fire"));
    let (ended, ..) = run(&[Store(Health::Panics), Wait(1_000), Key('q')]).await;
    assert_eq!(ended.unwrap_err().exit(), Exit::Bug);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_the_store_refuses_or_loses_is_told() {
    let fails = Store(Health::Fails(ErrorKind::Unavailable));
    let (_, shown, _) = run(&[Wait(500), fails, Key('P'), Key('y'), Wait(500), Key('x'), Key('q')]).await;
    assert!(!shown.contains("refused"), "a key takes the words away: {shown}");
    let (_, shown, _) =
        run(&[Wait(500), fails, Key('P'), Key('y'), Wait(500), Store(Health::Well), Wait(50)]).await;
    assert!(shown.contains("refused: the disk"), "{shown}");
    let (_, shown, _) = run(&[Wait(500), Store(Health::Hangs), Key('P'), Key('y'), Wait(16_000)]).await;
    assert!(shown.contains("it may have been done all the same"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn the_store_is_read_at_most_once_a_second_and_not_for_what_is_not_seen() {
    let (_, _, reads) = run(&[Wait(10_050), Key('q')]).await;
    assert!((10..=11).contains(&reads), "{reads}");
    let (_, _, reads) = run(&[Wait(500), Key('6'), Wait(10_000), Key('q')]).await;
    assert_eq!(reads, 1, "workers are no queues");
    let mut turns = vec![Wait(500)];
    turns.extend([Key('6'), Key('1')].repeat(500));
    let (_, _, reads) = run(&[turns, vec![Wait(50), Key('q')]].concat()).await;
    assert!(reads <= 3, "{reads}");
}

#[test]
fn ratatui_takes_the_same_events() {
    // Both crates must be of versions that belong together, or no key would arrive.
    let event: ratatui::crossterm::event::Event = Event::Resize(1, 1);
    assert!(async { event }.now_or_never().is_some());
}
