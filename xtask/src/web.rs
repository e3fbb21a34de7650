//! `cargo xtask web`: the dashboard of `queue serve --demo` in a real browser.
//!
//! It makes pictures of every page, light and dark, wide and narrow, and fails for what axe-core
//! finds, for errors of the console, violations of the content security policy, requests to other
//! hosts, and pages that are wider than the screen. Without Chromium, Node or npm it is skipped,
//! and says so.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::command;
use crate::repo::Repo;

/// The names under which distributions have the browser.
const BROWSERS: [&str; 4] = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"];
const AXE: &str = "axe-core@4";
/// How long the made-up traffic goes on before the first picture.
const TRAFFIC: Duration = Duration::from_secs(25);
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

/// Looks at every page; `bless` puts the pictures of the documentation in their place.
#[expect(clippy::disallowed_methods, reason = "made-up traffic has no signal: it needs its time")]
pub(crate) fn run(repo: &Repo, bless: bool) -> Result<()> {
    let home = repo.target().join("web");
    let (browser, axe) = match tools(&home) {
        Ok(tools) => tools,
        Err(why) => {
            println!("web: SKIPPED: {why:#}");
            return Ok(());
        }
    };
    command::run(&mut command::cargo(repo, &["build", "--package", "queue-cli"]))?;
    let (mut server, url) = serve(&repo.target().join("debug/queue"))?;
    thread::sleep(TRAFFIC);
    let pictures = home.join("pictures");
    let mut look = Command::new("node");
    look.arg(repo.root().join("xtask/web/look.mjs")).arg(browser).args([&url]).arg(axe).arg(&pictures);
    let looked = command::run(&mut look);
    server.kill().context("cannot stop the server")?;
    server.wait()?;
    if bless {
        publish(&pictures, &repo.root().join("docs/images/web"))?;
    }
    looked
}

/// The browser and axe-core, which is installed below `target`.
fn tools(home: &Path) -> Result<(PathBuf, PathBuf)> {
    let found = BROWSERS.iter().find(|name| is_there(name));
    let Some(browser) = found else { bail!("there is no Chromium (on Debian: the package `chromium`)") };
    if !is_there("node") {
        bail!("there is no Node");
    }
    let axe = home.join("node_modules/axe-core/axe.min.js");
    if !axe.is_file() {
        fs::create_dir_all(home)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(home).arg(AXE);
        command::run(&mut install).context("npm cannot install axe-core")?;
    }
    Ok((PathBuf::from(browser), axe))
}

fn is_there(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Starts the demonstration, and answers where it listens.
fn serve(program: &Path) -> Result<(Child, String)> {
    let mut command = Command::new(program);
    command.args(["serve", "--demo", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
    let mut server = command.spawn().context("cannot start the server")?;
    let mut line = String::new();
    let output = server.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut line)?;
    let Some(address) = line.trim().strip_prefix("listening at ") else {
        server.kill()?;
        bail!("the server said {line:?}");
    };
    Ok((server, format!("http://{address}")))
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
