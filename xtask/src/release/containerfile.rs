//! What a Containerfile says about files and about the program that a container runs. It reads the
//! instructions that ours has, and refuses others, so that none stays unproved in silence.

use anyhow::{Context, Result, bail};

/// An image, as far as it can be proved without a program that builds one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Containerfile {
    /// Files of the folder, and where they go.
    pub(super) copies: Vec<(String, String)>,
    pub(super) user: String,
    pub(super) variables: Vec<(String, String)>,
    pub(super) entrypoint: Vec<String>,
    pub(super) command: Vec<String>,
    /// Instructions that need a builder and a network.
    pub(super) of_builder: Vec<String>,
}

impl Containerfile {
    pub(super) fn read(text: &str) -> Result<Self> {
        let mut file = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').with_context(|| format!("not an instruction: {line}"))?;
            match word {
                "COPY" => file.copies.extend(copies(rest)?),
                "USER" => rest.clone_into(&mut file.user),
                "ENV" => file.variables.extend(rest.split(' ').filter_map(variable)),
                "ENTRYPOINT" => file.entrypoint = serde_json::from_str(rest).context("ENTRYPOINT")?,
                "CMD" => file.command = serde_json::from_str(rest).context("CMD")?,
                "FROM" | "RUN" => file.of_builder.push(line.to_owned()),
                // They change nothing inside of the image.
                "EXPOSE" | "STOPSIGNAL" => {}
                _ => bail!("no proof knows the instruction: {line}"),
            }
        }
        Ok(file)
    }
}

/// Several files go to a folder, and one to a path.
fn copies(rest: &str) -> Result<Vec<(String, String)>> {
    let words: Vec<&str> = rest.split(' ').collect();
    let Some((to, from)) = words.split_last().filter(|(_, from)| !from.is_empty()) else {
        bail!("COPY says not where to: {rest}")
    };
    let place = |name: &str| if to.ends_with('/') { format!("{to}{name}") } else { (*to).to_owned() };
    Ok(from.iter().map(|name| ((*name).to_owned(), place(name))).collect())
}

fn variable(word: &str) -> Option<(String, String)> {
    word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Containerfile;

    #[test]
    fn an_image_is_read_as_a_builder_would() {
        let text = "# why\nFROM base\nRUN one && two\nCOPY queue /bin/queue\nCOPY A B /doc/\nUSER 1:1\n\
            EXPOSE 80\nENV X=1 Y=2\nENTRYPOINT [\"/bin/queue\"]\nCMD [\"serve\", \"--plaintext\"]\n";
        let file = Containerfile::read(text).expect("it is one");
        let copies: Vec<_> = file.copies.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(copies, [("queue", "/bin/queue"), ("A", "/doc/A"), ("B", "/doc/B")]);
        assert_eq!(file.variables[1], ("Y".to_owned(), "2".to_owned()));
        assert_eq!((file.entrypoint.len(), file.command.len(), file.user.as_str()), (1, 2, "1:1"));
        assert_eq!(file.of_builder, ["FROM base", "RUN one && two"]);
    }

    #[test]
    fn what_no_proof_knows_is_refused() {
        for text in ["VOLUME /data", "COPY alone", "CMD serve", "FROM"] {
            Containerfile::read(text).expect_err(text);
        }
    }
}
