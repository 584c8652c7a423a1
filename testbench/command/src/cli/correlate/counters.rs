//! The counters that both sides have: their names, and how near they must be.

/// Counters in a measurement file and of the machine, in the order of the columns.
pub const COUNTERS: [Counter; 7] = [
    Counter {
        field: "l1_load_requests",
        name: "cu.load_instructions",
        title: "L1 load requests",
        heading: ["L1", "loads"],
        depends_on_order: false,
        limit: Limit::fraction(0.01),
    },
    Counter {
        field: "l1_load_sectors",
        name: "l1.load_sectors",
        title: "L1 load sectors",
        heading: ["L1", "sect."],
        depends_on_order: false,
        limit: Limit::fraction(0.01),
    },
    Counter {
        field: "l1_load_sector_hits",
        name: "l1.sector_hits",
        title: "L1 sector hits",
        heading: ["L1", "hits"],
        depends_on_order: true,
        limit: Limit { of: Some(SECTORS), ..Limit::fraction(0.03) },
    },
    Counter {
        field: "l2_read_sectors",
        name: "l2.read_sectors",
        title: "L2 read sectors",
        heading: ["L2", "reads"],
        depends_on_order: false,
        limit: Limit { above: Some(50_000.0), ..Limit::fraction(0.1) },
    },
    Counter {
        field: "l2_write_sectors",
        name: "l2.write_sectors",
        title: "L2 write sectors",
        heading: ["L2", "writes"],
        depends_on_order: true,
        limit: Limit { above: Some(50_000.0), ..Limit::fraction(0.1) },
    },
    Counter {
        field: "dram_read",
        name: "memory.bytes_read",
        title: "DRAM bytes read",
        heading: ["DRAM", "reads"],
        depends_on_order: false,
        limit: Limit { plus: 4096.0, ..Limit::fraction(0.1) },
    },
    Counter {
        field: "warp_instructions",
        name: "cu.warp_instructions",
        title: "warp instructions",
        heading: ["warp", "instr."],
        depends_on_order: false,
        limit: Limit::fraction(0.15),
    },
];

/// Place of the L1 load sectors among them, which limits of sector hits refer to.
const SECTORS: usize = 1;

/// Values of all counters.
pub type Values<T> = [T; COUNTERS.len()];

/// A counter of both sides.
pub struct Counter {
    /// Its field in a measurement file.
    pub field: &'static str,
    /// Its name among the machine's statistics.
    pub name: &'static str,
    /// What it counts.
    pub title: &'static str,
    /// Its column.
    pub heading: [&'static str; 2],
    /// Launches with racy loads have no limit: it counts stores, or what they leave in caches.
    pub depends_on_order: bool,
    limit: Limit,
}

/// How far from the measurement a launch may be.
#[derive(Clone, Copy)]
struct Limit {
    /// A fraction of the measurement,
    fraction: f64,
    /// of this other counter where there is one,
    of: Option<usize>,
    /// and this much more.
    plus: f64,
    /// Launches count where the measurement is greater: fewer sectors are the launch's own.
    above: Option<f64>,
}

impl Limit {
    const fn fraction(fraction: f64) -> Self {
        Self { fraction, of: None, plus: 0.0, above: None }
    }
}

impl Counter {
    /// Whether ours is near enough to the measurement of this counter, which is the one in place
    /// `at`; none where ours is unknown or the launch does not count.
    pub fn is_within(at: usize, ours: Option<f64>, measured: &Values<f64>) -> Option<bool> {
        let Limit { fraction, of, plus, above } = COUNTERS[at].limit;
        let value = measured[at];
        let counts = above.is_none_or(|above| value > above);
        let ours = ours.filter(|_| counts)?;
        Some((ours - value).abs() <= fraction * measured[of.unwrap_or(at)] + plus)
    }

    /// The limit in words.
    pub fn limit(&self) -> String {
        let Limit { fraction, of, plus, above } = self.limit;
        let mut text = format!("{:.0} %", 100.0 * fraction);
        if let Some(of) = of {
            text += &format!(" of the {}", COUNTERS[of].title);
        }
        if plus > 0.0 {
            text += &format!(" + {plus}");
        }
        if let Some(above) = above {
            text += &format!(", launches above {above}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_fractions_of_the_measurement() {
        let at = |field| COUNTERS.iter().position(|counter| counter.field == field).unwrap();
        let mut measured = [1000.0; COUNTERS.len()];
        let mut is_within = |field, value: f64, ours: f64| {
            measured[at(field)] = value;
            Counter::is_within(at(field), Some(ours), &measured)
        };
        let cases = [
            ("l1_load_requests", 1000.0, 1010.0, Some(true)),
            ("l1_load_requests", 1000.0, 989.0, Some(false)),
            ("l1_load_sectors", 1000.0, 1011.0, Some(false)),
            // 3 % of 1000 load sectors.
            ("l1_load_sector_hits", 100.0, 130.0, Some(true)),
            ("l1_load_sector_hits", 100.0, 131.0, Some(false)),
            ("l2_read_sectors", 50_000.0, 50_000.0, None),
            ("l2_read_sectors", 60_000.0, 66_000.0, Some(true)),
            ("l2_write_sectors", 60_000.0, 53_000.0, Some(false)),
            ("dram_read", 10_000.0, 15_096.0, Some(true)),
            ("dram_read", 10_000.0, 15_097.0, Some(false)),
            ("warp_instructions", 100.0, 85.0, Some(true)),
            ("warp_instructions", 0.0, 0.0, Some(true)),
            ("warp_instructions", 0.0, 1.0, Some(false)),
        ];
        for (field, value, ours, expected) in cases {
            assert_eq!(is_within(field, value, ours), expected, "{field} {value} {ours}");
        }
        assert_eq!(Counter::is_within(0, None, &measured), None);
    }
}
