//! Makes the pages that are compiled from the pages that are read; `weave.rs` says how.

mod weave;

use std::{env, fs, io, path::Path};

const DOCS: &str = "../../docs";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={DOCS}");
    println!("cargo::rerun-if-changed=weave.rs");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    for folder in ["", "faces", "observability", "stores", "tasks"] {
        let to = Path::new(&out).join(folder);
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(Path::new(DOCS).join(folder))? {
            let page = entry?.path();
            if page.extension().is_some_and(|extension| extension == "md") {
                let name = page.file_name().expect("it has an extension");
                fs::write(to.join(name), weave::compiled(&fs::read_to_string(&page)?))?;
            }
        }
    }
    Ok(())
}
