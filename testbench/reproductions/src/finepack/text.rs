//! The report as tables.

use std::fmt::{self, Display, Formatter, Write};

use machine::egress_path::PathKind;

use super::egress_run::Record;
use super::sweeps::Input;
use super::{CONFIG, Report};

const LEGEND: &str = "\
st/pkt: stores for each TLP that carries stores. Bytes: hdr+frame holds headers, framing, CRCs,
MARKs and configuration packets; again: sent more than once before a release; merged: overwritten in
a queue, not sent; useful: delivered and read there in the next iteration; wasted: the other
delivered bytes. link us: the busiest link carries bytes; done us: until all releases are
done; at 1 GHz.";

impl Display for Report {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let p = &self.parameters;
        writeln!(
            f,
            "FinePack (HPCA'23) on models: configuration {CONFIG}, {} GPUs, PCIe {}.0 at {} \
             B/cycle, 1 GHz,",
            p.num_gpus,
            p.pcie_generation,
            2 << p.pcie_generation
        )?;
        writeln!(
            f,
            "link latency {} cycles, no compute time: one store per GPU and cycle, a barrier after \
             each",
            self.link_latency
        )?;
        writeln!(
            f,
            "iteration. Synthetic inputs, seed {}. Bytes and times of all iterations.",
            self.seed
        )?;
        for input in &self.inputs {
            self.workload(f, input)?;
        }
        writeln!(f, "\n{LEGEND}")?;
        self.sub_headers(f)?;
        self.bandwidths(f)?;
        self.sixteen(f)?;
        writeln!(f, "\nFigures of the paper")?;
        self.figures.iter().try_for_each(|figure| write!(f, "{figure}"))
    }
}

/// A number of cycles in us at 1 GHz.
fn us(cycles: u64) -> String {
    format!("{:.1}", cycles as f64 / 1000.0)
}

impl Report {
    fn workload(&self, f: &mut Formatter, input: &Input) -> fmt::Result {
        let records = self.records.iter().filter(|r| r.workload == input.workload);
        let records: Vec<&Record> = records.collect();
        let Some(first) = records.first() else { return Ok(()) };
        writeln!(
            f,
            "\n{}: {} {}, {} iterations, {} stores of {} B in all",
            input.workload,
            input.size,
            if input.workload == "jacobi" { "rows" } else { "vertices" },
            first.iterations,
            first.stores,
            first.store_bytes
        )?;
        writeln!(
            f,
            "{:<14}{:>7}{:>10}{:>10}{:>9}{:>10}{:>7}{:>9}{:>9}{:>9}{:>10}{:>8}{:>8}",
            "path",
            "st/pkt",
            "wire",
            "data",
            "sub-hdr",
            "hdr+frame",
            "pad",
            "again",
            "merged",
            "useful",
            "wasted",
            "link us",
            "done us"
        )?;
        for r in records {
            let per_packet = r.stores_per_packet().map_or("-".into(), |n| format!("{n:.2}"));
            let w = &r.wire;
            writeln!(
                f,
                "{:<14}{:>7}{:>10}{:>10}{:>9}{:>10}{:>7}{:>9}{:>9}{:>9}{:>10}{:>8}{:>8}",
                r.path.name(),
                per_packet,
                w.total,
                w.data,
                w.sub_headers,
                w.headers_framing,
                w.padding,
                r.sent_again,
                r.coalesced,
                r.useful,
                r.wasted,
                us(r.busy_cycles),
                us(r.cycles)
            )?;
        }
        Ok(())
    }

    fn sub_headers(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "\nSub-header sweep, finepack (2 B reach 64 B: lines of 64 B there)")?;
        writeln!(
            f,
            "{:<14}{:>4}{:>6}{:>10}{:>9}{:>9}{:>9}",
            "workload", "B", "line", "wire", "done us", "st/pkt", "window"
        )?;
        for input in &self.inputs {
            for point in &self.sub_headers {
                for r in point.records.iter().filter(|r| r.workload == input.workload) {
                    writeln!(
                        f,
                        "{:<14}{:>4}{:>6}{:>10}{:>9}{:>9.2}{:>9}",
                        r.workload,
                        point.value,
                        point.line,
                        r.wire.total,
                        us(r.cycles),
                        r.stores_per_packet().unwrap_or(0.0),
                        r.window_flushes
                    )?;
                }
            }
        }
        writeln!(f, "window: packets that a store outside the window ended")
    }

    fn bandwidths(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "\nBandwidth sweep: us until all releases are done (beats as wide as the link is fast)"
        )?;
        let Some(first) = self.bandwidths.first() else { return Ok(()) };
        let count = first.records.len() / self.inputs.len().max(1);
        let paths: Vec<PathKind> = first.records[..count].iter().map(|r| r.path).collect();
        let header: String = paths.iter().fold(String::new(), |mut line, path| {
            let _ = write!(line, "{:>15}", path.name());
            line
        });
        writeln!(f, "{:<14}{:>6}{header}", "workload", "GB/s")?;
        for (k, input) in self.inputs.iter().enumerate() {
            for point in &self.bandwidths {
                write!(f, "{:<14}{:>6}", input.workload, 2 << point.value)?;
                for r in &point.records[k * count..(k + 1) * count] {
                    write!(f, "{:>15}", us(r.cycles))?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }

    fn sixteen(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "\n16 GPUs, PCIe 6.0 at 128 B/cycle")?;
        writeln!(
            f,
            "{:<14}{:<14}{:>10}{:>10}{:>9}{:>9}{:>9}",
            "workload", "path", "wire", "data", "link us", "dest us", "done us"
        )?;
        for r in &self.sixteen_gpus {
            writeln!(
                f,
                "{:<14}{:<14}{:>10}{:>10}{:>9}{:>9}{:>9}",
                r.workload,
                r.path.name(),
                r.wire.total,
                r.wire.data,
                us(r.busy_cycles),
                us(r.busiest_destination),
                us(r.cycles)
            )?;
        }
        writeln!(f, "dest us: writes at the busiest destination, one per cycle")
    }
}
