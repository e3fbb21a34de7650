//! The empty directories in which pages are followed.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::add::Origins;
use super::page::{Page, Program, slug};
use super::program::{self, Ran};
use super::server;
use crate::command;
use crate::repo::Repo;

/// The pages that name the same dependencies, and the project with these.
pub(super) struct Project<'p> {
    name: String,
    pages: Vec<&'p Page>,
}

/// All projects, with one lock file. Each is compiled by itself, so that none gets the features of
/// another.
pub(super) struct Workspace<'p> {
    root: PathBuf,
    built: PathBuf,
    pub(super) projects: Vec<Project<'p>>,
}

impl<'p> Workspace<'p> {
    /// Writes the projects again, and runs the commands that their pages give to readers.
    pub(super) fn create(repo: &Repo, pages: &'p [Page], origins: &Origins, lock_file: &str) -> Result<Self> {
        let root = repo.target().join("pages/projects");
        let _absent = fs::remove_dir_all(&root);
        let workspace = Self { built: repo.target().join("debug/examples"), projects: projects(pages), root };
        fs::create_dir_all(&workspace.root)?;
        fs::write(workspace.root.join("Cargo.lock"), lock_file)?;
        let own = fs::read_to_string(repo.root().join("Cargo.toml")).context("cannot read Cargo.toml")?;
        fs::write(workspace.root.join("Cargo.toml"), workspace.manifest(origins, profile(&own)?))?;
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

    /// Crates that `cargo add` adds by path find each other in place of the registry.
    fn manifest(&self, origins: &Origins, profile: &str) -> String {
        let names: Vec<&str> = self.projects.iter().map(Project::name).collect();
        let mut text =
            format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n\n{profile}\n[patch.crates-io]\n");
        for (name, path) in &origins.packed {
            writeln!(text, "{name} = {{ path = \"{}\" }}", path.display()).expect("a string takes text");
        }
        text
    }

    /// Writes what `cargo new` would, and the programs as examples, which see dependencies for
    /// tests too.
    fn write(&self, project: &Project<'_>) -> Result<()> {
        let folder = self.root.join(&project.name);
        for part in ["src", "examples"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let package =
            format!("[package]\nname = {:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n", project.name);
        fs::write(folder.join("Cargo.toml"), package)?;
        fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
        for program in project.programs() {
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
    pub(super) fn run(&self, program: &Program) -> Ran {
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

    pub(super) fn programs(&self) -> impl Iterator<Item = &Program> {
        self.pages.iter().flat_map(|page| &page.programs)
    }

    pub(super) fn adds(&self) -> &[String] {
        &self.pages[0].adds
    }
}

/// The profile of this workspace, so that compiled dependencies are reused.
fn profile(manifest: &str) -> Result<&str> {
    let of_tests = manifest.find("[profile.dev]").zip(manifest.find("[profile.release]"));
    let (begin, end) = of_tests.context("Cargo.toml has the profile of tests before that of releases")?;
    manifest.get(begin..end).context("the profile of tests comes first")
}

/// One project for each set of dependencies.
fn projects(pages: &[Page]) -> Vec<Project<'_>> {
    let mut projects: Vec<Project<'_>> = Vec::new();
    for page in pages {
        match projects.iter_mut().find(|project| project.adds() == page.adds) {
            Some(project) => project.pages.push(page),
            None => projects.push(Project { name: format!("p-{}", slug(&page.path)), pages: vec![page] }),
        }
    }
    projects
}

#[cfg(test)]
mod tests {
    use super::{profile, projects};
    use crate::pages::page::page;

    #[test]
    fn the_profile_of_tests_is_taken_whole() {
        let manifest = "[a]\n[profile.dev]\nx = 1\n[profile.dev.package]\ny = 2\n[profile.release]\nz = 3\n";
        let expected = "[profile.dev]\nx = 1\n[profile.dev.package]\ny = 2\n";
        assert_eq!(profile(manifest).expect("both are there"), expected);
        assert!(profile("[profile.release]\n[profile.dev]\n").is_err());
    }

    #[test]
    fn pages_that_name_the_same_share_a_project() {
        let of = |path, add| {
            page(path, &format!("```sh\ncargo add {add}\n```\n```rust\na();\n```\n")).expect("a program")
        };
        let pages = [of("docs/a.md", "x"), of("docs/b.md", "y"), of("docs/c.md", "x")];
        let projects = projects(&pages);
        let paths: Vec<_> = projects.iter().map(|project| project.paths().join(" ")).collect();
        assert_eq!(paths, ["docs/a.md docs/c.md", "docs/b.md"]);
        assert_eq!(projects[0].programs().last().expect("two").name, "docs_c_1");
    }
}
