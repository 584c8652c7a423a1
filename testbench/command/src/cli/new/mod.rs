//! `duet new block|design NAME`: a crate of a block or an L1 design outside duet's tree, whose
//! command is `duet` with the block or the design.
//!
//! ```text
//! $ duet new block my_block
//! my_block: the crate of block my_block, built with duet of ...
//!   cd my_block
//!   cargo build --release
//!   target/release/my-block cosim my_block --cycles 100000
//! ```

mod keywords;
mod name;
mod source;
mod template;

use std::fs;
use std::path::{Path, PathBuf};

use files::Folder;

use self::name::Name;
use self::source::Source;
use self::template::{BLOCK, DESIGN};
use super::Failure;

/// Create the crate of a block or an L1 design
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(clap::Subcommand)]
enum Kind {
    /// Create a crate with a block: ports, model, SystemVerilog, stimulus, tests
    Block(CrateArgs),
    /// Create a crate with an L1 design, and a block that the design uses
    Design(CrateArgs),
}

#[derive(clap::Args)]
struct CrateArgs {
    /// Name in snake_case, of at most 64 characters
    name: String,
    /// Folder in which to create the folder NAME
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
    /// Clone of duet, or URL of its repository, that the crate is built with
    ///
    /// Default: the clone that the current folder lies in, else the clone that this command was
    /// built in. From a repository, cargo takes the tag of this command's version.
    #[arg(long, value_name = "DIR|URL")]
    duet: Option<String>,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let (template, args) = match &args.kind {
        Kind::Block(args) => (&BLOCK, args),
        Kind::Design(args) => (&DESIGN, args),
    };
    let name = Name::new(&args.name, template).map_err(Failure::usage)?;
    let source = Source::find(args.duet.as_deref()).map_err(Failure::usage)?;
    let parent = args.into.display();
    match args.into.metadata().map(|of| of.is_dir()) {
        Ok(true) => {}
        Ok(false) => {
            return Err(Failure::environment(format!("--into {parent}: must be a folder")));
        }
        Err(e) => return Err(Failure::environment(format!("--into {parent}: {e}"))),
    }
    let folder = args.into.join(name.snake());
    let folder = folder.strip_prefix(".").unwrap_or(&folder);
    if folder.symlink_metadata().is_ok() {
        let problem = "exists already, and stays as it is; choose another name or --into";
        return Err(Failure::usage(format!("{}: {problem}", folder.display())));
    }
    write(&template.files(&name, &source), &args.into, folder)
        .map_err(|e| Failure::environment(format!("{}: {e}", folder.display())))?;
    println!(
        "{}: the crate of {}, built with duet of {source}",
        folder.display(),
        template.of(&name)
    );
    println!("  cd {}", folder.display());
    println!("  cargo build --release");
    println!("  target/release/{} {}", name.kebab(), template.example(&name));
    Ok(0)
}

/// Writes the files of a folder in `parent`. The folder appears when it is complete.
fn write(files: &[(String, String)], parent: &Path, folder: &Path) -> std::io::Result<()> {
    let temporary = Folder::new_in(parent)?;
    let whole = temporary.path().join("crate");
    for (path, text) in files {
        let path = whole.join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
        fs::write(path, text)?;
    }
    fs::rename(whole, folder)
}
