//! Empty directories in which pages are followed.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::add::Origins;
use super::page::Page;
use super::program::{self, Ran, Runnable};
use super::server;
use crate::command;
use crate::repo::Repo;

/// As in the root of this workspace, so that what was compiled there is not compiled again.
const PROFILE: &str =
    "[profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.dev.package.libsqlite3-sys]\nopt-level = 2\n";

/// The pages that name the same dependencies, and the project that has them.
pub(super) struct Project<'p> {
    name: String,
    pages: Vec<&'p Page>,
    pub(super) programs: Vec<Runnable>,
}

/// All projects, with one lock file. Each is compiled by itself, so none gets the features of
/// another.
pub(super) struct Workspace<'p> {
    root: PathBuf,
    built: PathBuf,
    pub(super) projects: Vec<Project<'p>>,
}

impl<'p> Workspace<'p> {
    /// Writes the projects anew, and runs what their pages tell readers to run.
    pub(super) fn create(repo: &Repo, pages: &'p [Page], origins: &Origins, lock_file: &str) -> Result<Self> {
        let root = repo.target().join("pages/projects");
        let _absent = fs::remove_dir_all(&root);
        let workspace = Self { built: repo.target().join("debug/examples"), projects: projects(pages), root };
        fs::create_dir_all(&workspace.root)?;
        fs::write(workspace.root.join("Cargo.lock"), lock_file)?;
        fs::write(workspace.root.join("Cargo.toml"), workspace.manifest(origins))?;
        for project in &workspace.projects {
            workspace.write(project)?;
        }
        for project in &workspace.projects {
            for add in project.adds() {
                let arguments =
                    [vec!["add".to_owned(), "--quiet".to_owned()], origins.arguments(add)?].concat();
                command::run(&mut workspace.cargo(repo, project, &arguments))?;
            }
        }
        Ok(workspace)
    }

    /// The crates that `cargo add` gets by their path find each other in the place of the registry.
    fn manifest(&self, origins: &Origins) -> String {
        let names: Vec<&str> = self.projects.iter().map(Project::name).collect();
        let mut text =
            format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n\n{PROFILE}\n[patch.crates-io]\n");
        for (name, path) in &origins.packed {
            writeln!(text, "{name} = {{ path = \"{}\" }}", path.display()).expect("a string takes text");
        }
        text
    }

    /// What `cargo new` writes, and the programs beside it: as examples, which see what is added
    /// for tests too.
    fn write(&self, project: &Project<'_>) -> Result<()> {
        let folder = self.root.join(&project.name);
        for part in ["src", "examples"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let package =
            format!("[package]\nname = {:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n", project.name);
        fs::write(folder.join("Cargo.toml"), package)?;
        fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
        for program in &project.programs {
            let file = folder.join("examples").join(format!("{}.rs", program.name));
            fs::write(file, server::from_environment(&program.text))?;
        }
        Ok(())
    }

    /// Compiles the programs of one project.
    pub(super) fn compile(&self, repo: &Repo, project: &Project<'_>) -> Result<()> {
        let arguments = ["build", "--quiet", "--examples"].map(str::to_owned);
        command::run(self.cargo(repo, project, &arguments).env("CARGO_TARGET_DIR", repo.target()))
    }

    /// Runs a program in an empty directory.
    pub(super) fn run(&self, program: &Runnable) -> Ran {
        program::run(&self.built.join(&program.name), program)
            .unwrap_or_else(|error| Ran::Failed(format!("{error:#}")))
    }

    fn cargo(&self, repo: &Repo, project: &Project<'_>, arguments: &[String]) -> Command {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut cargo = command::cargo(repo, &arguments);
        cargo.current_dir(self.root.join(&project.name));
        cargo
    }
}

impl Project<'_> {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn paths(&self) -> Vec<&str> {
        self.pages.iter().map(|page| page.path.as_str()).collect()
    }

    pub(super) fn adds(&self) -> &[String] {
        &self.pages[0].adds
    }
}

/// One for each set of dependencies.
fn projects(pages: &[Page]) -> Vec<Project<'_>> {
    let mut projects: Vec<Project<'_>> = Vec::new();
    for page in pages {
        let programs = page.programs.iter().map(|program| Runnable::of(page, program));
        if let Some(project) = projects.iter_mut().find(|project| project.adds() == page.adds) {
            project.pages.push(page);
            project.programs.extend(programs);
        } else {
            let name = format!("p-{}", program::slug(&page.path));
            projects.push(Project { name, pages: vec![page], programs: programs.collect() });
        }
    }
    projects
}

#[cfg(test)]
mod tests {
    use super::projects;
    use crate::pages::page::page;

    #[test]
    fn pages_that_name_the_same_share_a_project() {
        let of = |path, add| {
            page(path, &format!("```sh\ncargo add {add}\n```\n```rust\na();\n```\n")).expect("a program")
        };
        let pages = [of("docs/a.md", "x"), of("docs/b.md", "y"), of("docs/c.md", "x")];
        let projects = projects(&pages);
        let paths: Vec<_> = projects.iter().map(|project| project.paths().join(" ")).collect();
        assert_eq!(paths, ["docs/a.md docs/c.md", "docs/b.md"]);
        assert_eq!(projects[0].programs[1].name, "docs_c_1");
    }
}
