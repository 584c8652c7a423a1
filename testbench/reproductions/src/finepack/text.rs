//! The report as tables.

use std::fmt::{self, Display, Formatter};

use super::egress_run::Record;
use super::sweeps::{Input, Point};
use super::{CONFIG, Report};
use crate::figure::{Listed, on};
use crate::table::{self, left, right};

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
        let each = self.inputs.iter();
        let each = each.map(|Input { workload, size, iterations }| {
            format!("{workload} {size} x {iterations}")
        });
        let on = on(self.scale, self.seed, each);
        write!(f, "{}", Listed { figures: &self.figures, on })
    }
}

/// A number of cycles in us at 1 GHz.
fn us(cycles: u64) -> String {
    format!("{:.1}", cycles as f64 / 1000.0)
}

impl Report {
    fn workload(&self, f: &mut Formatter, input: &Input) -> fmt::Result {
        let records: Vec<_> =
            self.records.iter().filter(|r| r.workload == input.workload).collect();
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
        let per_packet =
            |r: &&Record| r.stores_per_packet().map_or("-".into(), |n| format!("{n:.2}"));
        let columns = [
            left("path", 14, |r: &&Record| r.path.name().to_string()),
            right("st/pkt", 7, per_packet),
            right("wire", 10, |r| r.wire.total.to_string()),
            right("data", 10, |r| r.wire.data.to_string()),
            right("sub-hdr", 9, |r| r.wire.sub_headers.to_string()),
            right("hdr+frame", 10, |r| r.wire.headers_framing.to_string()),
            right("pad", 7, |r| r.wire.padding.to_string()),
            right("again", 9, |r| r.sent_again.to_string()),
            right("merged", 9, |r| r.coalesced.to_string()),
            right("useful", 9, |r| r.useful.to_string()),
            right("wasted", 10, |r| r.wasted.to_string()),
            right("link us", 8, |r| us(r.busy_cycles)),
            right("done us", 8, |r| us(r.cycles)),
        ];
        table::write(f, &columns, records)
    }

    fn sub_headers(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "\nSub-header sweep, finepack (2 B reach 64 B: lines of 64 B there)")?;
        type Row<'a> = (&'a Point, &'a Record);
        let per_packet = |(_, r): &Row| format!("{:.2}", r.stores_per_packet().unwrap_or(0.0));
        let columns = [
            left("workload", 14, |(_, r): &Row| r.workload.to_string()),
            right("B", 4, |(point, _)| point.value.to_string()),
            right("line", 6, |(point, _)| point.line.to_string()),
            right("wire", 10, |(_, r)| r.wire.total.to_string()),
            right("done us", 9, |(_, r)| us(r.cycles)),
            right("st/pkt", 9, per_packet),
            right("window", 9, |(_, r)| r.window_flushes.to_string()),
        ];
        let points =
            self.sub_headers.iter().flat_map(|point| point.records.iter().map(move |r| (point, r)));
        let of = |input: &'_ Input| {
            let workload = input.workload;
            points.clone().filter(move |(_, r)| r.workload == workload)
        };
        table::write(f, &columns, self.inputs.iter().flat_map(of))?;
        writeln!(f, "window: packets that a store outside the window ended")
    }

    fn bandwidths(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "\nBandwidth sweep: us until all releases are done (beats as wide as the link is fast)"
        )?;
        let Some(first) = self.bandwidths.first() else { return Ok(()) };
        let count = first.records.len() / self.inputs.len().max(1);
        write!(f, "{:<14}{:>6}", "workload", "GB/s")?;
        first.records[..count].iter().try_for_each(|r| write!(f, "{:>15}", r.path.name()))?;
        writeln!(f)?;
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
        let columns = [
            left("workload", 14, |r: &&Record| r.workload.to_string()),
            left("path", 14, |r| r.path.name().to_string()),
            right("wire", 10, |r| r.wire.total.to_string()),
            right("data", 10, |r| r.wire.data.to_string()),
            right("link us", 9, |r| us(r.busy_cycles)),
            right("dest us", 9, |r| us(r.busiest_destination)),
            right("done us", 9, |r| us(r.cycles)),
        ];
        table::write(f, &columns, &self.sixteen_gpus)?;
        writeln!(f, "dest us: writes at the busiest destination, one per cycle")
    }
}
