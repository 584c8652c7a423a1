//! The report as tables.

use super::FinePack;
use crate::experiment::Row;
use crate::paper::Text;
use crate::table::{Column, left, right};

impl Text for FinePack {
    const TITLE: &str = "FinePack (HPCA'23) on models: its machine of 4 GPUs (table III)";
    const BASE: &str = "one-gpu";
    const SHOWN: &[&str] =
        &["one-gpu", "infinite", "p2p", "write-combine", "finepack", "dma", "config-packet", "gps"];
    const LEGEND: &str = "\
Cycles of the GPUs' clock; speedups over one GPU. Stores go to the GPUs that read the line; with dma
and gps, to the GPUs that read the page. TLPs: TLPs with stores. Bytes on all links: wire, total;
data, stored bytes; sub-hdr, sub-headers; hdr, outer headers; frame, framing, sequence numbers and
CRCs; pad, padding and disabled bytes. link: cycles in which a link transfers a byte, all links.";

    fn columns<'a>() -> Vec<Column<Row<'a>>> {
        vec![
            left("machine", 14, |r| r.own.machine.to_string()),
            right("cycles", 9, |r| r.own.cycles.to_string()),
            right("speedup", 9, |r| format!("{:.3}", r.speedup())),
            right("TLPs", 8, |r| r.count("gpu_link.store_tlps").to_string()),
            right("wire", 9, |r| r.count("gpu_link.wire_bytes").to_string()),
            right("data", 9, |r| r.count("gpu_link.data_bytes").to_string()),
            right("sub-hdr", 9, |r| r.count("gpu_link.subheader_bytes").to_string()),
            right("hdr", 9, |r| r.count("gpu_link.header_bytes").to_string()),
            right("frame", 9, |r| r.count("gpu_link.framing_bytes").to_string()),
            right("pad", 7, |r| r.count("gpu_link.padding_bytes").to_string()),
            right("link", 9, |r| r.count("gpu_link.busy_cycles").to_string()),
        ]
    }
}
