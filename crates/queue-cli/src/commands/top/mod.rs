//! `queue top`: the views of the dashboard in a terminal, over a store or a server.
//!
//! `place` names the views, `views` reads each into a `sheet`, `app` is what the screen is about,
//! `keys` what keys do to it, `live` the loop around it, and `screen` alone draws.

mod app;
mod deed;
mod keys;
mod live;
mod place;
mod screen;
mod sheet;
mod source;
mod standings;
mod subject;
#[cfg(test)]
mod tests;
mod trouble;
mod views;

use crate::{
    exit::{CliError, Exit},
    output::{self, Format, Text},
    session::Session,
    signals::StopSignals,
};
use app::App;
use clap::Args;
use live::Live;
use place::{Place, Tab};
use queue::{JobId, view::JobFilter};
use screen::Palette;
use sheet::Sheet;
use source::Source;
use std::{env, sync::Arc, time::Duration};
use tokio::time::timeout;

/// How long closing the store may take.
const CLOSING_MAX: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = "\
Keys: arrows or hjkl, Enter opens, Esc goes back, Tab and 1 to 7 change the view, / filters, ? tells the others, q quits.
P, U, R, N, C and D change something, and ask first. The screen is read at most once a second, and only what it shows;
while the store does not answer, a line at the top says so with the time of the last reading.
Without a terminal, --once prints one view as text.")]
pub(crate) struct TopArgs {
    /// The view to begin with
    #[arg(long, value_name = "VIEW", value_enum, default_value = "overview")]
    view: Tab,
    /// Begin with this job of the queue
    #[arg(long, value_name = "ID", conflicts_with = "view")]
    job: Option<JobId>,
    /// Begin with this filter: a text, or for jobs `state=S kind=K tag=T worker=W` and the
    /// beginning of an id
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, conflicts_with = "job")]
    filter: String,
    /// Refuse all changes: the keys for them do nothing
    #[arg(long)]
    read_only: bool,
    /// Print the view as text, and end
    #[arg(long)]
    once: bool,
    /// With --job: show its payload, its result and its headers too
    #[arg(long, requires = "job")]
    payload: bool,
}

pub(crate) async fn run(args: TopArgs, session: &Session) -> Result<Exit, CliError> {
    if session.out.format() == Format::Json {
        let message =
            "`queue top` is for people; `queue queues --json` and the other listings are for programs";
        return Err(CliError::invalid(message));
    }
    let source = Arc::new(Source::new(session));
    let ended = if args.once {
        print(&args, session, &source).await
    } else if output::is_screen() {
        watch(&args, session, source.clone()).await
    } else {
        let message =
            "`queue top` needs a terminal for its screen and its keys; --once prints one view as text";
        return Err(CliError::invalid(message));
    };
    let exit = ended?;
    // A store that does not answer must not delay a user who has quit.
    match timeout(CLOSING_MAX, source.close()).await {
        Ok(closed) => closed.map(|()| exit),
        Err(_) => Ok(exit),
    }
}

impl TopArgs {
    fn place(&self, session: &Session) -> Result<Place, CliError> {
        let queue = session.name.clone();
        Ok(match (&self.job, self.view) {
            (Some(id), _) => Place::Job { queue, id: id.clone(), is_open: self.payload },
            (None, Tab::Jobs) => Place::jobs(queue, self.filter.parse::<JobFilter>()?),
            (None, tab) => tab.place(&queue),
        })
    }

    /// The filter of the rows; jobs are filtered by the store.
    fn row_filter(&self) -> &str {
        if self.view == Tab::Jobs { "" } else { &self.filter }
    }
}

/// Prints one view.
async fn print(args: &TopArgs, session: &Session, source: &Source) -> Result<Exit, CliError> {
    let place = args.place(session)?;
    let sheet = views::read(&place, source).await?;
    session.out.text(frame(&place, &sheet, args.row_filter(), output::columns()))?;
    Ok(Exit::Ok)
}

/// A view as lines of text.
fn frame(place: &Place, sheet: &Sheet, filter: &str, columns_max: Option<usize>) -> Text {
    let lines = sheet.lines(filter, columns_max).into_iter().map(|line| Text::from(line.text));
    Text::from(format!("queue top: {}", place.title())).and("").and(lines.collect::<Text>())
}

/// Shows the views until the user quits.
async fn watch(args: &TopArgs, session: &Session, source: Arc<Source>) -> Result<Exit, CliError> {
    let mut app = App::new(args.place(session)?, session.name.clone(), args.read_only);
    app.filter = args.row_filter().to_owned();
    let mut signals = StopSignals::listen()?;
    let palette = if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        Palette::Plain
    } else {
        Palette::Colours
    };
    let mut live = Live::new(app, source);
    let ended = {
        let mut screen = output::Screen::begin()?;
        live.run(screen.terminal(), palette, &mut live::events(), &mut signals).await
    };
    if live.is_acting() {
        output::note("ended before the store answered: the last change may have been done all the same");
    }
    ended.map(|()| Exit::Ok)
}
