//! What each key does. It changes what the screen is about, and asks for the rest as an effect.

use super::{
    app::{App, Effect, Mode},
    deed::{Deed, DeedKey},
    place::{Place, Tab},
    sheet::Tone,
    standings::turned,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use queue::view::Standing;

/// The longest filter, in characters.
const FILTER_CHARS_MAX: usize = 300;

impl App {
    /// What a key does.
    pub(super) fn press(&mut self, key: KeyEvent) -> Effect {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if key.code == KeyCode::Char('c') { Effect::Quit } else { Effect::None };
        }
        match std::mem::replace(&mut self.mode, Mode::Walk) {
            Mode::Walk => self.walk(key.code),
            Mode::Help => Effect::None,
            Mode::Ask(deed) => self.answer(key.code, deed),
            Mode::Type(text) => self.type_filter(key.code, text),
        }
    }

    fn walk(&mut self, code: KeyCode) -> Effect {
        self.said = None;
        match code {
            KeyCode::Char('q') => Effect::Quit,
            KeyCode::Char('?') => self.turn(Mode::Help),
            KeyCode::Char('/') => {
                let text = match &self.place {
                    Place::Jobs { filter, .. } => filter.to_string(),
                    _ => self.filter.clone(),
                };
                self.turn(Mode::Type(text))
            }
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.step(self.page_lines.max(1).cast_signed()),
            KeyCode::PageUp => self.step(-self.page_lines.max(1).cast_signed()),
            KeyCode::Home | KeyCode::Char('g') => self.step(isize::MIN),
            KeyCode::End | KeyCode::Char('G') => self.step(isize::MAX),
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => self.open(),
            KeyCode::Esc | KeyCode::Left | KeyCode::Backspace | KeyCode::Char('h') => self.back(),
            KeyCode::Tab => self.go(self.place.tab().turned(1).place(&self.queue_here())),
            KeyCode::BackTab => {
                self.go(self.place.tab().turned(Tab::ALL.len() - 1).place(&self.queue_here()))
            }
            KeyCode::Char(digit @ '1'..='7') => {
                let tab = Tab::ALL[digit as usize - '1' as usize];
                self.go(tab.place(&self.queue_here()))
            }
            KeyCode::Char(key) => self.walk_more(key),
            _ => Effect::None,
        }
    }

    /// The keys of single views, and those that change something.
    fn walk_more(&mut self, key: char) -> Effect {
        let here = &self.place;
        let next = match (key, here) {
            ('s' | 'S', Place::Jobs { queue, filter, .. }) => {
                let by = if key == 's' { 1 } else { Standing::TABS.len() };
                Some(Place::jobs(queue.clone(), turned(filter, by)))
            }
            ('n', _) => self
                .sheet
                .as_ref()
                .and_then(|sheet| sheet.next.as_ref())
                .and_then(|next| here.next_page(next)),
            ('p', _) => here.previous_page(),
            ('v', Place::Job { queue, id, is_open }) => {
                Some(Place::Job { queue: queue.clone(), id: id.clone(), is_open: !is_open })
            }
            _ => None,
        };
        match (next, DeedKey::of(key)) {
            (Some(place), _) => self.replace(place),
            (None, Some(key)) => self.ask(key),
            (None, None) => Effect::None,
        }
    }

    fn turn(&mut self, mode: Mode) -> Effect {
        self.mode = mode;
        Effect::None
    }

    fn ask(&mut self, key: DeedKey) -> Effect {
        if self.is_read_only {
            self.said = Some((Tone::Warn, "nothing is changed here: this is --read-only".to_owned()));
            return Effect::None;
        }
        let Some(deed) = key.on(&self.subject()) else {
            self.said = Some((Tone::Warn, key.needs().to_owned()));
            return Effect::None;
        };
        self.turn(Mode::Ask(deed))
    }

    fn answer(&mut self, code: KeyCode, deed: Deed) -> Effect {
        if matches!(code, KeyCode::Char('y' | 'Y')) {
            self.said = Some((Tone::Plain, "asking the store".to_owned()));
            return Effect::Act(deed);
        }
        self.said = Some((Tone::Plain, "nothing was changed".to_owned()));
        Effect::None
    }

    fn type_filter(&mut self, code: KeyCode, mut text: String) -> Effect {
        match code {
            KeyCode::Esc => return Effect::None,
            KeyCode::Enter => return self.set_filter(&text),
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(key) if text.chars().count() < FILTER_CHARS_MAX => text.push(key),
            _ => {}
        }
        self.turn(Mode::Type(text))
    }
}
