//! GTKWave's save file.

use std::fmt::Write as _;
use std::path::Path;

use super::layout::{Group, Layout};
use super::timeline::{self, Clock};

/// What the file's name ends in.
pub const ENDING: &str = "gtkw";
/// How it begins. One that GTKWave has saved begins otherwise.
pub const MARK: &str = "[*] written beside the waveform";

/// The text for the waveform of this name.
pub fn text(name: &str, layout: &Layout) -> String {
    let clocks = &layout.clocks;
    let zoom = zoom(clocks);
    let start = layout
        .start
        .map_or(String::new(), |time| format!("[timestart] {}\n", scaled(clocks, time)));
    // The primary marker; -1 is none.
    let marker = layout.mismatch.map_or("-1".to_string(), |time| scaled(clocks, time).to_string());
    // GTKWave derives the relative path of the waveform from these two, and applies it to the
    // folder of the save file, whatever the current folder is.
    let own = Path::new(name).with_extension(ENDING);
    let own = own.display();
    let mut text = format!(
        "{MARK}\n[dumpfile] \"/{name}\"\n[savefile] \"/{own}\"\n{start}[size] 1600 1000\n\
         [signals_width] 390\n\
         [sst_expanded] 0\n*{zoom:.6} {marker}\n@28\n"
    );
    clocks.iter().for_each(|clock| writeln!(text, "{}", clock.name).unwrap());
    layout.groups.iter().for_each(|group| write_group(&mut text, group));
    text
}

/// GTKWave counts in ns or ps: units of 100 and 10 ps are ps to it.
fn scaled(clocks: &[Clock], time: u64) -> u64 {
    match timeline::exponent(clocks) {
        -9 => time,
        exponent => time * 10u64.pow((exponent + 12) as u32),
    }
}

/// Shows some 60 cycles of the slowest clock: -6 where a cycle has 10 units, and a step is a factor
/// of 2.
fn zoom(clocks: &[Clock]) -> f64 {
    let slowest = clocks.iter().map(|clock| clock.megahertz).min().unwrap_or(100);
    let per_second = if timeline::exponent(clocks) == -9 { 1e9 } else { 1e12 };
    -6.0 - (per_second / (f64::from(slowest) * 1e6) / 10.0).log2()
}

fn write_group(text: &mut String, group: &Group) {
    let [begin, end] = match group.is_open {
        true => ["@800200", "@1000200"],
        false => ["@c00200", "@1401200"],
    };
    if let Some(name) = &group.name {
        writeln!(text, "{begin}\n-{name}").unwrap();
    }
    for variable in &group.variables {
        let (format, range) = match variable.width {
            1 => ("@28", String::new()),
            width => ("@22", format!("[{}:0]", width - 1)),
        };
        // GTKWave shows what follows the last dot of a label.
        let label = variable.label.replace('.', " ");
        writeln!(text, "{format}\n+{{{label}}} {}{range}", variable.path).unwrap();
    }
    if let Some(name) = &group.name {
        writeln!(text, "{end}\n-{name}").unwrap();
    }
}
