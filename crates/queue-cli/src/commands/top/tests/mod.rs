//! Tests of the views on a screen in memory, over a store with a little of everything.

mod demo;
mod hostile;
mod keys;
mod sick;
mod sizes;

use super::{
    app::{App, Effect},
    place::Place,
    screen::{self, Palette},
    source::Source,
    views,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use queue::{Storage, queue_core::QueueName};
use ratatui::{Terminal, backend::TestBackend};
use std::sync::Arc;

/// A screen without a terminal, on which keys take effect at once.
struct Stage {
    app: App,
    source: Source,
    terminal: Terminal<TestBackend>,
}

impl Stage {
    async fn new(storage: Arc<dyn Storage>, (columns, rows): (u16, u16)) -> Self {
        let app = App::new(Place::Overview, QueueName::from_static("emails"), false);
        let source = Source::of(storage);
        let terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        let mut stage = Self { app, source, terminal };
        stage.read().await;
        stage
    }

    async fn read(&mut self) {
        let place = self.app.place.clone();
        let sheet =
            views::read(&place, &self.source).await.unwrap_or_else(|error| panic!("{place:?}: {error:?}"));
        self.app.store = self.source.name().unwrap_or_default();
        self.app.show(&place, sheet);
    }

    /// Presses keys one after the other: characters, or names such as `<enter>`.
    async fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let name = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            let code = if let Some((name, behind)) = name {
                rest = behind;
                named(name)
            } else {
                rest = &rest[first.len_utf8()..];
                KeyCode::Char(first)
            };
            self.press_key(code).await;
        }
        self
    }

    async fn press_key(&mut self, code: KeyCode) {
        match self.app.press(KeyEvent::new(code, KeyModifiers::NONE)) {
            Effect::None | Effect::Quit => {}
            Effect::Read => self.read().await,
            Effect::Act(deed) => {
                let outcome = deed.carry_out(&self.source).await;
                let words = outcome.unwrap_or_else(|error| format!("refused: {}", error.message()));
                self.app.said = Some((super::sheet::Tone::Plain, words));
                self.read().await;
            }
        }
    }

    /// What the screen shows, without blanks at the ends of lines.
    fn shown(&mut self) -> String {
        let app = &mut self.app;
        self.terminal
            .draw(|frame| {
                let area = frame.area();
                screen::draw(app, Palette::Colours, area, frame.buffer_mut());
            })
            .unwrap();
        text(&self.terminal)
    }
}

fn text(terminal: &Terminal<TestBackend>) -> String {
    let buffer = terminal.backend().buffer();
    let lines = buffer.content().chunks(usize::from(buffer.area.width.max(1))).map(|cells| {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

fn named(name: &str) -> KeyCode {
    match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "down" => KeyCode::Down,
        "up" => KeyCode::Up,
        "end" => KeyCode::End,
        "home" => KeyCode::Home,
        "pagedown" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        other => panic!("no key is called {other}"),
    }
}
