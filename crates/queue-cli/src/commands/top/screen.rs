//! Draws what there is to see. Every text has been escaped before, so that nothing that was stored
//! acts on the terminal.

use super::{
    app::{App, Mode},
    place::Tab,
    sheet::{Sheet, SheetLine, Tone},
};
use crate::output::spelled_out;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
};
use textwrap::core::display_width;

/// Whether the terminal shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Palette {
    Colours,
    /// Bold, dim and reversed text alone: `NO_COLOR`.
    Plain,
}

const HELP: [&str; 24] = [
    "arrows, j k      choose a row, or scroll",
    "Enter, l, right  open what is chosen",
    "Esc, h, left     go back",
    "Tab, 1 to 7      the views: Overview, Queue, Jobs, Errors, Schedules,",
    "                 Workers, Operations; of the chosen queue",
    "PgUp PgDn g G    a screen up or down, the first row, the last one",
    "/                filter the rows by a text; in Jobs by",
    "                 state=S kind=K tag=T worker=W and the beginning of an id",
    "s S              in Jobs: the next state, the one before",
    "n p              the next page, the one before",
    "v                in a job: its payload, result and headers",
    "q, Ctrl-C        quit",
    "",
    "Each of these asks first, and y says yes:",
    "P U              pause the queue, resume it",
    "R                run the failed or cancelled job again",
    "N                run the waiting job now, or the schedule",
    "C                cancel the job",
    "D                drain the worker, so that it ends",
    "",
    "The screen is read again every second, errors, schedules and",
    "operations every five; only what it shows is read.",
    "",
    "Any key goes back.",
];

impl Palette {
    fn style(self, tone: Tone) -> Style {
        let colour = match tone {
            Tone::Good => Some(Color::Green),
            Tone::Warn => Some(Color::Yellow),
            Tone::Bad => Some(Color::Red),
            Tone::Plain | Tone::Heading | Tone::Dim => None,
        };
        let style = match tone {
            Tone::Heading | Tone::Bad => Style::new().add_modifier(Modifier::BOLD),
            Tone::Dim => Style::new().add_modifier(Modifier::DIM),
            _ => Style::new(),
        };
        match (self, colour) {
            (Self::Colours, Some(colour)) => style.fg(colour),
            _ => style,
        }
    }
}

/// Draws the whole screen, and passes the length of a page to the keys.
pub(super) fn draw(app: &mut App, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let mut pen = Pen { area, buffer, palette };
    pen.line(0, Tone::Heading, &title(app, area.width));
    pen.line(1, Tone::Plain, &tabs(app.place.tab(), area.width));
    let mut top = 2;
    if let Some(trouble) = app.trouble.line() {
        pen.line(2, Tone::Bad, &spelled_out(&trouble));
        top = 3;
    }
    // Two lines of a question are worth more than two lines of a table.
    let (tone, words) = bottom(app);
    // The keys are known, or asked for by one.
    let most = if tone == Tone::Dim { 1 } else { area.height.saturating_sub(top) / 2 };
    let words = fold_tail(&words, area.width, most);
    let height = area.height.saturating_sub(top).saturating_sub(words.len() as u16);
    body(app, &mut pen, top, height);
    // On a screen of few lines a question is drawn over what is above it: none is answered unseen.
    let is_needed = tone != Tone::Dim;
    let bottom = if is_needed { area.height.saturating_sub(words.len() as u16) } else { top + height };
    for (place, line) in words.iter().enumerate() {
        pen.line(bottom + place as u16, tone, line);
    }
}

/// Where lines are drawn, of which none leaves the area.
struct Pen<'b> {
    area: Rect,
    buffer: &'b mut Buffer,
    palette: Palette,
}

impl Pen<'_> {
    fn line(&mut self, y: u16, tone: Tone, text: &str) {
        self.styled(y, self.palette.style(tone), text);
    }

    fn styled(&mut self, y: u16, style: Style, text: &str) {
        if y < self.area.height && self.area.width > 0 {
            let x = self.area.x;
            let y = self.area.y + y;
            self.buffer.set_stringn(x, y, text, usize::from(self.area.width), style);
        }
    }

    /// A selected row looks the same for every tone.
    fn selected(&mut self, y: u16, text: &str) {
        let width = usize::from(self.area.width);
        let blanks = width.saturating_sub(display_width(text));
        let text = format!("{text}{}", " ".repeat(blanks));
        self.styled(y, Style::new().add_modifier(Modifier::REVERSED), &text);
    }
}

fn title(app: &App, width: u16) -> String {
    let store = if app.store.is_empty() { "no store yet" } else { app.store };
    let mode = if app.is_read_only { "  read-only" } else { "" };
    let left = spelled_out(&format!("queue top: {}", app.place.title()));
    let right = format!("{store}{mode}");
    let blanks = usize::from(width).saturating_sub(display_width(&left) + display_width(&right));
    if blanks == 0 { left } else { format!("{left}{}{right}", " ".repeat(blanks)) }
}

/// The names of the views with their keys; brackets are around the one that is shown.
fn tabs(own: Tab, width: u16) -> String {
    let name = |(place, tab): (usize, Tab)| {
        let name = format!("{} {}", place + 1, tab.name());
        if tab == own { format!("[{name}]") } else { format!(" {name} ") }
    };
    let all: String = Tab::ALL.into_iter().enumerate().map(name).collect();
    if display_width(&all) <= usize::from(width) {
        return all;
    }
    let place = Tab::ALL.iter().position(|tab| *tab == own).unwrap_or(0) + 1;
    format!("[{place} {}] of 1 to {}, Tab goes on", own.name(), Tab::ALL.len())
}

/// The last lines: a question, what is typed, what was said, or the keys.
fn bottom(app: &App) -> (Tone, String) {
    match (&app.mode, &app.said) {
        (Mode::Ask(deed), _) => (Tone::Warn, spelled_out(&format!("{} y/n", deed.question()))),
        (Mode::Type(text), said) => {
            let said = said.as_ref().map(|(_, words)| format!("  ({words})")).unwrap_or_default();
            (Tone::Plain, spelled_out(&format!("/{text}_{said}")))
        }
        (_, Some((tone, words))) => (*tone, spelled_out(words)),
        (Mode::Help, None) => (Tone::Dim, String::new()),
        (Mode::Walk, None) => {
            let filter = if app.filter.is_empty() { String::new() } else { format!("/{}  ", app.filter) };
            (Tone::Dim, spelled_out(&format!("{filter}?:help  q:quit  Enter:open  Esc:back  /:filter")))
        }
    }
}

/// The lines of the bottom: all of a question, as far as there is room.
fn fold_tail(words: &str, width: u16, lines_max: u16) -> Vec<String> {
    let lines = textwrap::wrap(words, usize::from(width.max(1)));
    lines.into_iter().take(usize::from(lines_max.max(1))).map(std::borrow::Cow::into_owned).collect()
}

fn body(app: &mut App, pen: &mut Pen<'_>, top: u16, height: u16) {
    let width = usize::from(pen.area.width);
    let lines = match (&app.mode, &app.sheet) {
        (Mode::Help, _) => help(),
        (_, Some(sheet)) => sheet.lines(&app.filter, Some(width)),
        (_, None) if app.trouble.line().is_some() => Vec::new(),
        (_, None) => reading(),
    };
    let selected = match app.mode {
        Mode::Help => None,
        _ => lines.iter().position(|line| line.row == Some(app.selected)),
    };
    app.page_lines = usize::from(height);
    app.scroll = scrolled(&lines, selected, app.scroll, usize::from(height));
    let shown = lines.iter().enumerate().skip(app.scroll).take(usize::from(height));
    for (y, (place, line)) in (top..).zip(shown) {
        if Some(place) == selected {
            pen.selected(y, &line.text);
        } else {
            pen.line(y, line.tone, &line.text);
        }
    }
}

fn help() -> Vec<SheetLine> {
    let line = |text: &str| SheetLine { tone: Tone::Plain, text: text.to_owned(), row: None };
    HELP.into_iter().map(line).collect()
}

fn reading() -> Vec<SheetLine> {
    Sheet { empty: "Reading.", ..Sheet::default() }.lines("", None)
}

/// The first line to draw: so far down that the selected one is seen, and no farther than the end.
fn scrolled(lines: &[SheetLine], selected: Option<usize>, scroll: usize, height: usize) -> usize {
    let height = height.max(1);
    let last = lines.len().saturating_sub(height);
    let Some(selected) = selected else { return scroll.min(last) };
    // What stands above the first row belongs to it; an only row leaves the scrolling to the keys.
    let is_first = lines.get(selected).is_some_and(|line| line.row == Some(0));
    let is_last = lines[selected + 1..].iter().all(|line| line.row.is_none());
    if is_first && is_last {
        return scroll.min(selected).min(last);
    }
    if is_first {
        // A long head is read first; the keys go on to the rows, and back.
        return if selected < height { 0 } else { scroll.min(selected).min(last) };
    }
    scroll.clamp((selected + 1).saturating_sub(height), selected).min(last)
}

#[cfg(test)]
mod tests {
    use super::{SheetLine, Tone, scrolled};

    fn lines(count: usize, head: usize) -> Vec<SheetLine> {
        let line =
            |place: usize| SheetLine { tone: Tone::Plain, text: String::new(), row: place.checked_sub(head) };
        (0..count).map(line).collect()
    }

    #[test]
    fn the_selected_row_is_always_seen_and_what_is_above_the_first_one_too() {
        let lines = lines(30, 4);
        assert_eq!(scrolled(&lines, Some(4), 9, 10), 0);
        assert_eq!(scrolled(&lines, Some(20), 0, 10), 11);
        assert_eq!(scrolled(&lines, Some(20), 11, 10), 11);
        assert_eq!(scrolled(&lines, Some(12), 15, 10), 12);
        assert_eq!(scrolled(&lines, Some(4), 9, 3), 4);
        assert_eq!(scrolled(&lines, Some(4), 0, 3), 0);
        assert_eq!(scrolled(&lines, None, 99, 10), 20);
        assert_eq!(scrolled(&[], None, 99, 0), 0);
        assert_eq!(scrolled(&lines, Some(20), 20, 0), 20);
    }
}
