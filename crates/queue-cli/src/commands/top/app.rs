//! What the screen is about: the view, what is selected there, and the way back. Nothing here reads
//! or waits.

use super::{
    deed::Deed,
    place::Place,
    sheet::{Sheet, SheetRow, Tone},
    subject::Subject,
    trouble::Trouble,
};
use queue::{queue_core::QueueName, view::JobFilter};

/// The most views that Esc goes back through.
const PAST_MAX: usize = 100;

/// A view as a person left it.
#[derive(Clone, Debug)]
struct Visited {
    place: Place,
    filter: String,
    selected: Subject,
}

/// What the keys mean now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Walk,
    /// A filter is typed.
    Type(String),
    /// A change waits for a yes.
    Ask(Deed),
    Help,
}

/// What has to happen because of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// Another view is to be read.
    Read,
    Act(Deed),
    Quit,
}

#[derive(Debug)]
pub(super) struct App {
    pub(super) place: Place,
    past: Vec<Visited>,
    /// The queue of views that are about one.
    pub(super) queue: QueueName,
    /// The queue was chosen, by an argument or by a key.
    is_chosen: bool,
    pub(super) sheet: Option<Sheet>,
    /// Rows without this text are not shown.
    pub(super) filter: String,
    pub(super) selected: usize,
    /// What is to be selected once the view is read.
    wanted: Subject,
    /// The first line of the view on the screen.
    pub(super) scroll: usize,
    /// The lines of the view on the screen, as it was drawn last.
    pub(super) page_lines: usize,
    pub(super) mode: Mode,
    pub(super) said: Option<(Tone, String)>,
    pub(super) trouble: Trouble,
    pub(super) is_read_only: bool,
    pub(super) store: &'static str,
}

impl App {
    pub(super) fn new(place: Place, queue: QueueName, is_read_only: bool) -> Self {
        let is_chosen = place.queue().is_some();
        Self {
            place,
            past: Vec::new(),
            queue,
            is_chosen,
            sheet: None,
            filter: String::new(),
            selected: 0,
            wanted: Subject::None,
            scroll: 0,
            page_lines: 1,
            mode: Mode::Walk,
            said: None,
            trouble: Trouble::default(),
            is_read_only,
            store: "",
        }
    }

    /// The rows that are shown.
    pub(super) fn rows(&self) -> Vec<&SheetRow> {
        self.sheet.as_ref().map(|sheet| sheet.matching(&self.filter)).unwrap_or_default()
    }

    /// What the selected row is about, or else the view.
    pub(super) fn subject(&self) -> Subject {
        match self.rows().get(self.selected) {
            Some(row) if row.subject != Subject::None => row.subject.clone(),
            _ => self.sheet.as_ref().map(|sheet| sheet.subject.clone()).unwrap_or_default(),
        }
    }

    fn selected_subject(&self) -> Subject {
        self.rows().get(self.selected).map(|row| row.subject.clone()).unwrap_or_default()
    }

    /// Shows what a reading found, if the view is still the one that was read. The selection stays
    /// with what it is about, wherever that is now.
    pub(super) fn show(&mut self, place: &Place, sheet: Sheet) {
        if *place != self.place {
            return;
        }
        let subject = match std::mem::take(&mut self.wanted) {
            Subject::None => self.selected_subject(),
            wanted => wanted,
        };
        if !self.is_chosen
            && let Some(Subject::Queue(queue)) = sheet.rows.first().map(|row| &row.subject)
        {
            // Until the user chooses a queue, the first one is as good as any.
            self.queue = queue.clone();
            self.is_chosen = true;
        }
        self.sheet = Some(sheet);
        self.select(&subject);
    }

    fn select(&mut self, subject: &Subject) {
        let found = self.rows().iter().position(|row| row.subject == *subject);
        if let Some(found) = found.filter(|_| *subject != Subject::None) {
            self.selected = found;
        }
        self.selected = self.selected.min(self.rows().len().saturating_sub(1));
    }

    /// Filters the rows by a text; jobs by a text that the store understands.
    pub(super) fn set_filter(&mut self, text: &str) -> Effect {
        let Place::Jobs { queue, .. } = &self.place else {
            let subject = self.selected_subject();
            text.trim().clone_into(&mut self.filter);
            self.select(&subject);
            return Effect::None;
        };
        match text.parse::<JobFilter>() {
            Ok(filter) => self.replace(Place::jobs(queue.clone(), filter)),
            Err(invalid) => {
                self.said = Some((Tone::Warn, invalid.to_string()));
                self.mode = Mode::Type(text.to_owned());
                Effect::None
            }
        }
    }

    /// Moves the selection, or the text where there is none.
    pub(super) fn step(&mut self, by: isize) -> Effect {
        let rows = self.rows().len();
        if rows == 0 {
            // Drawing does not go beyond the end.
            self.scroll = self.scroll.saturating_add_signed(by).min(usize::from(u16::MAX));
        } else if (by < 0 && self.selected == 0) || (by > 0 && self.selected == rows - 1) {
            // What stands above the first row, or below the last one.
            self.scroll = self.scroll.saturating_add_signed(by).min(usize::from(u16::MAX));
        } else {
            self.selected = self.selected.saturating_add_signed(by).min(rows - 1);
        }
        Effect::None
    }

    pub(super) fn open(&mut self) -> Effect {
        match self.selected_subject().opens() {
            Some(place) => self.go(place),
            // A queue leads on to its jobs.
            None => match &self.place {
                Place::Queue(queue) => self.go(Place::jobs(queue.clone(), JobFilter::default())),
                _ => Effect::None,
            },
        }
    }

    pub(super) fn go(&mut self, place: Place) -> Effect {
        if place == self.place {
            return Effect::None;
        }
        let selected = self.selected_subject();
        let visited = Visited { place: self.place.clone(), filter: self.filter.clone(), selected };
        if self.past.len() >= PAST_MAX {
            self.past.remove(0);
        }
        self.past.push(visited);
        self.filter.clear();
        self.replace(place)
    }

    pub(super) fn back(&mut self) -> Effect {
        let Some(Visited { place, filter, selected }) = self.past.pop() else {
            return if self.place == Place::Overview { Effect::None } else { self.replace(Place::Overview) };
        };
        let effect = self.replace(place);
        (self.filter, self.wanted) = (filter, selected);
        effect
    }

    pub(super) fn replace(&mut self, place: Place) -> Effect {
        if let Some(queue) = place.queue() {
            self.queue = queue.clone();
            self.is_chosen = true;
        }
        self.place = place;
        (self.sheet, self.wanted) = (None, Subject::None);
        (self.selected, self.scroll) = (0, 0);
        Effect::Read
    }

    /// The queue of the next view: the selected one where queues are listed.
    pub(super) fn queue_here(&self) -> QueueName {
        match self.selected_subject() {
            Subject::Queue(queue) => queue,
            _ => self.queue.clone(),
        }
    }
}
