//! The lines of a home that a run uses: few, and so that entries of the directory must give way.

use cosim::stimulus::Random;
use ports::directory::coherence_directory::{Config, Variant};

/// Addresses, ascending.
pub fn draw(r: &mut Random, c: &Config) -> Vec<u64> {
    let (line, range) = (u64::from(c.line), u64::from(c.range));
    if c.variant == Variant::Ideal {
        let count = 6 + r.below(12);
        let first = r.below(c.ideal_lines - count + 1);
        return (first..first + count).map(|number| u64::from(number) * line).collect();
    }
    let sets = if c.ways > 3 { 1 } else { 1 + r.below(c.sets().min(2)) };
    let first_set = u64::from(r.below(c.sets() - sets + 1));
    let tags = c.ways + 1 + r.below(c.ways.min(4) + 1);
    let lines = (1 + r.below(3)).min(c.pos());
    let first_line = r.below(c.pos() - lines + 1);
    let highest = (1 << c.address_width) / (range * u64::from(c.sets()));
    let first_tag = r.word() % (highest - u64::from(tags) + 1);
    let mut addresses = Vec::new();
    for tag in first_tag..first_tag + u64::from(tags) {
        for set in first_set..first_set + u64::from(sets) {
            let base = (tag * u64::from(c.sets()) + set) * range;
            let lines = first_line..first_line + lines;
            addresses.extend(lines.map(|number| base + u64::from(number) * line));
        }
    }
    addresses
}
