//! `duet list [blocks|systems|protocols|workloads] [--json]`: what there is.

use clap::ValueEnum;
use serde::Serialize;
use testbench::catalog::{PROTOCOLS, SYSTEMS, WORKLOADS};
use testbench::systems;

use super::{Failure, USAGE};

/// List blocks, systems, protocols and workloads
#[derive(clap::Args)]
pub struct Args {
    /// Only this kind
    kind: Option<Kind>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Blocks,
    Systems,
    Protocols,
    Workloads,
}

#[derive(Serialize)]
struct Block {
    name: &'static str,
    about: &'static str,
    configs: Vec<String>,
    rtl: bool,
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let catalog = cosim::Catalog::load().map_err(|e| Failure::new(USAGE, e))?;
    let configs: Vec<String> = catalog.finepack.keys().cloned().collect();
    let mut blocks: Vec<Block> = cosim::blocks::BLOCKS
        .iter()
        .map(|b| Block {
            name: b.name,
            about: b.about,
            configs: configs.clone(),
            rtl: cosim::HAS_RTL,
        })
        .collect();
    blocks.push(Block {
        name: "finepack",
        about: "the chain remote_write_queue, packetizer, link, depacketizer",
        configs,
        rtl: cosim::HAS_RTL,
    });
    let mut all_systems: Vec<(String, String)> = systems::presets().collect();
    all_systems.extend(SYSTEMS.iter().map(|(name, about)| (name.to_string(), about.to_string())));
    if args.json {
        let mut all = serde_json::Map::new();
        let mut add = |kind, name: &str, value: serde_json::Value| {
            if args.kind.is_none_or(|k| k == kind) {
                all.insert(name.to_string(), value);
            }
        };
        let pairs = |list: &[(&str, &str)]| -> serde_json::Value {
            list.iter()
                .map(|(name, about)| serde_json::json!({"name": name, "about": about}))
                .collect()
        };
        add(Kind::Blocks, "blocks", serde_json::json!(blocks));
        let shown: Vec<_> = all_systems
            .iter()
            .map(|(name, about)| serde_json::json!({"name": name, "about": about}))
            .collect();
        add(Kind::Systems, "systems", shown.into());
        add(Kind::Protocols, "protocols", pairs(PROTOCOLS));
        add(Kind::Workloads, "workloads", pairs(WORKLOADS));
        println!("{}", serde_json::Value::Object(all));
        return Ok(0);
    }
    let show = |kind, title: &str, rows: Vec<(String, String)>| {
        if args.kind.is_none_or(|k| k == kind) {
            println!("{title}");
            rows.iter().for_each(|(name, about)| println!("  {name:<20} {about}"));
        }
    };
    let rows =
        |list: &[(&str, &str)]| list.iter().map(|(n, a)| (n.to_string(), a.to_string())).collect();
    let block_rows = blocks
        .iter()
        .map(|b| (b.name.to_string(), format!("{} ({})", b.about, b.configs.join(", "))));
    show(Kind::Blocks, "blocks", block_rows.collect());
    show(Kind::Systems, "systems", all_systems);
    show(Kind::Protocols, "protocols", rows(PROTOCOLS));
    show(Kind::Workloads, "workloads", rows(WORKLOADS));
    Ok(0)
}
