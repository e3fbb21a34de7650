//! `cargo xtask web`: the dashboard of `queue serve --demo` in a real browser.
//!
//! It makes pictures of every page, light and dark, wide and narrow, and compares them with the
//! pictures of the work tree. It fails for what axe-core finds, for errors of the console,
//! violations of the content security policy, requests to other hosts, pages that are wider than
//! the screen, and actions that need a script. The time of the demonstration stands still, so that
//! no text differs from run to run. Without Chromium, Node or npm it is skipped, and says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::built::Built;
use crate::machine::works;
use crate::repo::Repo;
use crate::served::Served;
use crate::{clients, command};

/// The names under which distributions have the browser.
const BROWSERS: [&str; 4] = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"];
const AXE: &str = "axe-core@4";
/// Where the small pictures are that new ones are compared with.
const KEPT: &str = "xtask/web/pictures";
/// The pictures that the documentation shows, of those that were made.
const SHOWN: [&str; 14] = [
    "overview-light-1280",
    "overview-dark-1280",
    "overview-light-375",
    "queue-light-1280",
    "jobs-failed-light-1280",
    "jobs-dark-375",
    "job-light-1280",
    "errors-light-1280",
    "kinds-light-1280",
    "workers-light-1280",
    "schedules-light-1280",
    "operations-light-1280",
    "doctor-light-1280",
    "queue-90d-dark-1280",
];

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every page in one colour and width, without pictures, and every action: under a minute.
    Quick,
    /// All of it.
    Whole,
    /// All of it; its pictures are the pictures of the work tree from here on.
    Bless,
}

/// What is needed that is not ours.
struct Tools {
    browser: &'static str,
    axe: PathBuf,
}

/// Whether there is a browser that it knows.
pub(crate) fn has_browser() -> bool {
    browser().is_some()
}

/// Installs axe-core. Returns why the pages cannot be looked at, unless a missing program says that
/// already.
pub(crate) fn prepare(repo: &Repo) -> Option<String> {
    let lacks = Tools::find(&home(repo)).err().filter(|_| has_browser() && clients::has_node());
    lacks.map(|why| format!("the dashboard in a browser: {why:#}"))
}

/// Whether the pages can be looked at.
pub(crate) fn is_possible(repo: &Repo) -> bool {
    Tools::find(&home(repo)).is_ok()
}

/// Looks at every page of a program that is built.
pub(crate) fn run(repo: &Repo, built: &Built, extent: Extent) -> Result<()> {
    let home = home(repo);
    let tools = match Tools::find(&home) {
        Ok(tools) => tools,
        Err(why) => {
            println!("web: SKIPPED: {why:#}");
            return Ok(());
        }
    };
    let program = &built.queue;
    let (tokens, token) = new_token(program, &home)?;
    let open = demonstration(program, &[])?;
    let guarded = demonstration(program, &["--tokens".as_ref(), tokens.as_os_str()])?;
    let pictures = home.join("pictures");
    let wanted = serde_json::json!({
        "browser": tools.browser,
        "axe": tools.axe,
        "open": open.url,
        "guarded": guarded.url,
        "token": token,
        "table": repo.root().join("crates/queue-web/src/routes/table.rs"),
        "made": pictures,
        "kept": repo.root().join(KEPT),
        "bless": extent == Extent::Bless,
        "quick": extent == Extent::Quick,
    });
    let mut look = Command::new("node");
    look.arg(repo.root().join("xtask/web/look.mjs")).arg(wanted.to_string());
    let looked = command::run(&mut look);
    if extent == Extent::Bless {
        publish(&pictures, &repo.root().join("docs/images/web"))?;
    }
    looked
}

/// A token of all scopes, in a file of its own.
fn new_token(program: &Path, home: &Path) -> Result<(PathBuf, String)> {
    let tokens = home.join("tokens.json");
    if tokens.exists() {
        fs::remove_file(&tokens).context("cannot remove the tokens of before")?;
    }
    let mut command = Command::new(program);
    command.args(["token", "new", "--tokens"]).arg(&tokens).stderr(Stdio::null());
    let scopes = ["view", "payload", "operate", "produce", "admin"].map(|scope| ["--scope", scope]);
    let queues = ["--queue", "*", "--queues", "queue.*"];
    command.args(scopes.concat()).args(queues);
    let token = String::from_utf8(command::output(&mut command)?).context("a token is text")?;
    Ok((tokens, token.trim().to_owned()))
}

impl Tools {
    /// The browser, and axe-core, which is installed below `target`.
    fn find(home: &Path) -> Result<Self> {
        let Some(browser) = browser() else {
            bail!("there is no Chromium (on Debian: the package `chromium`)")
        };
        if !clients::has_node() {
            bail!("there is no Node with npm");
        }
        fs::create_dir_all(home)?;
        let axe = home.join("node_modules/axe-core/axe.min.js");
        if !axe.is_file() {
            let mut install = Command::new("npm");
            install.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(home).arg(AXE);
            command::run(&mut install).context("npm cannot install axe-core")?;
        }
        Ok(Self { browser, axe })
    }
}

/// Where tools and pictures are kept.
fn home(repo: &Repo) -> PathBuf {
    repo.target().join("web")
}

fn browser() -> Option<&'static str> {
    BROWSERS.into_iter().find(|name| works(name, &["--version"]))
}

/// A demonstration that these options extend.
fn demonstration(program: &Path, options: &[&std::ffi::OsStr]) -> Result<Served> {
    let mut command = Command::new(program);
    command.args(["serve", "--demo", "--still", "--log", "error", "--listen", "127.0.0.1:0"]).args(options);
    Served::start(&mut command)
}

fn publish(pictures: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for name in SHOWN {
        let file = format!("{name}.png");
        fs::copy(pictures.join(&file), to.join(&file))
            .with_context(|| format!("there is no picture {file}"))?;
    }
    Ok(())
}
