//! `duet list [blocks|systems|protocols|workloads|counters] [--json]`: what there is. Counters of a
//! run, with units and meanings, are listed by themselves, and in the JSON of all kinds.
//!
//! ```text
//! $ duet list protocols
//! protocols for l1.design
//! ...
//!   none ...
//! ...
//! protocols for l2.design
//! ...
//! protocols for egress.design
//! ...
//!   finepack             packs stores to one window into one TLP...
//! ...
//! ```

use clap::ValueEnum;
use cosim::settings::FamilyEntry;
use firmware::image::{ELVES, Image};
use ports::finepack::types::FinePack;
use serde::Serialize;

use super::cosim::FINEPACK;
use super::{Failure, counters};
use crate::catalog::{self, Parameter, Workload};

/// List blocks, systems, protocols, workloads and counters
#[derive(clap::Args)]
pub struct Args {
    /// Only this kind
    kind: Option<Kind>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print counters as Markdown: docs/statistics.md
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Blocks,
    Systems,
    Protocols,
    /// The designs of each paper as the paper ran them: values of `design`
    Designs,
    Workloads,
    Counters,
}

#[derive(Serialize)]
struct Block {
    name: &'static str,
    about: &'static str,
    configs: Vec<String>,
    rtl: bool,
}

/// The firmware's images; the first is the one that runs.
fn firmware() -> Result<serde_json::Value, Failure> {
    let mut images = Vec::new();
    for elf in ELVES {
        let image = Image::read(elf.bytes).map_err(Failure::usage)?;
        let Image { code_bytes, data_bytes, .. } = image;
        let (name, path) = (elf.name, elf.path);
        images.push(serde_json::json!({
            "name": name, "path": path, "code_bytes": code_bytes, "data_bytes": data_bytes
        }));
    }
    let first = ELVES.first().map(|elf| elf.path);
    Ok(serde_json::json!({"image": first, "images": images}))
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    match (args.kind, args.markdown, args.json) {
        (Some(Kind::Counters), true, _) => {
            counters::print_markdown();
            return Ok(0);
        }
        (_, true, _) => return Err(Failure::usage("--markdown is for `duet list counters`")),
        (Some(Kind::Counters), _, false) => {
            counters::print_text();
            return Ok(0);
        }
        _ => {}
    }
    let mut blocks: Vec<Block> = cosim::blocks::all()
        .into_iter()
        .map(|b| Block {
            name: b.name,
            about: b.about,
            configs: (b.family.configs)(),
            rtl: bodies::ready(b.name).is_ok(),
        })
        .collect();
    blocks.push(Block {
        name: FINEPACK,
        about: "random programs on full GPUs, with all three blocks between them",
        configs: (FamilyEntry::of::<FinePack>().configs)(),
        rtl: bodies::ready("remote_write_queue").is_ok(),
    });
    let lists = [
        (Kind::Systems, "systems", catalog::systems()),
        (Kind::Protocols, "protocols", catalog::protocols()),
    ];
    let workloads = catalog::workloads();
    let wanted = |kind| args.kind.is_none_or(|k| k == kind);
    if args.json {
        let mut all = serde_json::Map::new();
        if wanted(Kind::Blocks) {
            all.insert("blocks".to_string(), serde_json::json!(blocks));
        }
        for (kind, name, entries) in lists {
            if wanted(kind) {
                all.insert(name.to_string(), serde_json::json!(entries));
            }
        }
        if wanted(Kind::Designs) {
            all.insert("designs".to_string(), serde_json::json!(catalog::designs()));
        }
        if wanted(Kind::Workloads) {
            all.insert("workloads".to_string(), serde_json::json!(workloads));
        }
        if wanted(Kind::Counters) {
            all.insert("counters".to_string(), counters::json());
        }
        if args.kind.is_none() {
            all.insert("firmware".to_string(), firmware()?);
        }
        println!("{}", serde_json::Value::Object(all));
        return Ok(0);
    }
    if wanted(Kind::Blocks) {
        println!("blocks");
        for block in &blocks {
            println!("  {:<20} {} ({})", block.name, block.about, block.configs.join(", "));
        }
    }
    for (kind, title, entries) in lists {
        if !wanted(kind) {
            continue;
        }
        // What a name is for stands where that changes.
        for of_one_use in entries.chunk_by(|a, b| a.used_in == b.used_in) {
            println!("{title} for {}", of_one_use[0].used_in);
            for entry in of_one_use {
                println!("  {:<20} {}", entry.name, entry.about);
            }
        }
    }
    if wanted(Kind::Designs) {
        for of_one_system in catalog::designs().chunk_by(|a, b| a.system == b.system) {
            println!("designs for design, on {} and its family", of_one_system[0].system);
            for design in of_one_system {
                let catalog::Design { name, about, guarantees, published, .. } = design;
                println!("  {name:<20} {about} (guarantees {guarantees})");
                println!("  {:<20} {published}", "");
            }
        }
    }
    if wanted(Kind::Workloads) {
        for of_one_use in workloads.chunk_by(|a, b| a.entry.used_in == b.entry.used_in) {
            println!("workloads for {}", of_one_use[0].entry.used_in);
            of_one_use.iter().for_each(print_workload);
        }
    }
    Ok(0)
}

/// A program, and what may be set of it.
fn print_workload(workload: &Workload) {
    let Workload { entry, parameters, footprint_bytes } = workload;
    println!("  {:<20} {}", entry.name, entry.about);
    for Parameter { key, meaning, default, least, most } in parameters {
        println!("    {key:<20} {meaning}; default {default}, {least} to {most}");
    }
    println!("    {:<20} {footprint_bytes} (n: workload.size)", "bytes of memory");
}
