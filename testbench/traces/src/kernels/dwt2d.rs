//! Wavelet transform of a colour picture (Rodinia's DWT2D, reversible 5/3 filter; CPElide table
//! II): a kernel splits the picture into colours; then for each colour and level one transforms
//! rows and columns of a tile in local memory, and the quarter of low frequencies is copied back as
//! the next level's input.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Buffer, Device, Group, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "dwt2d",
    about: "5/3 wavelet transform of three colours, level by level (Rodinia)",
    size: Knob::new("rows and columns of the picture", 48, 2..=1 << 13),
    iterations: Knob::new("levels", 3, 1..=13),
    footprint: "27 n^2",
};

const LOCAL: usize = 256;
/// Columns and rows that a group transforms, and its work-items.
const WIDTH: usize = 64;
const HEIGHT: usize = 16;
/// Columns and rows before and behind these that the filter needs.
const BEFORE: usize = 2;
const BEHIND: usize = 1;
const TILE_WIDTH: usize = BEFORE + WIDTH + BEHIND;
const TILE_HEIGHT: usize = BEFORE + HEIGHT + BEHIND;
const COLOURS: usize = 3;

/// Gives the coefficients of each colour: the last level's four bands one after another, then the
/// other three of each level before.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let (n, pixels) = (params.size as usize, params.size as usize * params.size as usize);
    let source = device.upload("src", &input(n, params.seed))?;
    let mut colours = Vec::new();
    for name in ["r", "g", "b"] {
        colours.push(device.alloc::<i32>(name, pixels)?);
    }
    split(device, &source, &colours)?;
    let mut results = Vec::new();
    for (from, name) in colours.iter().zip(["r_out", "g_out", "b_out"]) {
        let to = device.alloc::<i32>(name, pixels)?;
        let mut side = n;
        for level in 0..params.iterations {
            if level > 0 {
                copy(device, &to, from, side * side)?;
            }
            transform(device, from, &to, side)?;
            side = side.div_ceil(2);
            if side < 2 {
                break;
            }
        }
        results.push(to);
    }
    let mut all = Vec::new();
    for result in &results {
        all.extend(device.read(result)?);
    }
    Ok(all)
}

/// The bytes of the picture, three for each point, become signed numbers of each colour.
fn split<R: Record>(
    device: &mut Device<R>,
    source: &Buffer<u8>,
    colours: &[Buffer<i32>],
) -> Result<(), R::Error> {
    let n = colours[0].len();
    let launch = Launch::line("c_CopySrcToComponents", n, LOCAL)
        .group_memory(COLOURS * LOCAL)
        .write_part("r", &colours[0], chunk(LOCAL))
        .write_part("g", &colours[1], chunk(LOCAL))
        .write_part("b", &colours[2], chunk(LOCAL))
        .read_part("src", source, chunk(COLOURS * LOCAL));
    device.launch(launch, |group| {
        let mut bytes = [0; COLOURS * LOCAL];
        group.phase(|it| {
            for i in it.turns((it.id..COLOURS * LOCAL).step_by(LOCAL)) {
                let place = group.index * COLOURS * LOCAL + i;
                if place < source.len() {
                    bytes[i] = *it.load(at(1, 4), source, place);
                }
            }
        });
        group.phase(|it| {
            if it.x < n {
                for (colour, to) in it.turns(colours.iter().enumerate()) {
                    let value = i32::from(bytes[COLOURS * it.id + colour]) - 128;
                    it.store(at(2, 3), to, it.x, value);
                }
            }
        });
    })
}

/// The first `n` numbers.
fn copy<R: Record>(
    device: &mut Device<R>,
    from: &Buffer<i32>,
    to: &Buffer<i32>,
    n: usize,
) -> Result<(), R::Error> {
    let own = |g: usize| g * LOCAL..n.min((g + 1) * LOCAL);
    let launch = Launch::line("copy_low", n, LOCAL).read_part("from", from, own);
    let launch = launch.write_part("to", to, own);
    device.each(launch, |it| {
        let value = it.load(at(1, 4), from, it.x);
        it.store(at(2, 1), to, it.x, *value);
    })
}

/// One level of a square of `n` rows.
fn transform<R: Record>(
    device: &mut Device<R>,
    from: &Buffer<i32>,
    to: &Buffer<i32>,
    n: usize,
) -> Result<(), R::Error> {
    let (columns, rows) = (n.div_ceil(WIDTH), n.div_ceil(HEIGHT));
    let seen = |g: usize| {
        let first = g / columns * HEIGHT;
        first.saturating_sub(BEFORE) * n..n.min(first + HEIGHT + BEHIND) * n
    };
    // What a group writes lies in four bands: no one range.
    let launch = Launch::plane("fdwt53", [columns * WIDTH, rows], [WIDTH, 1])
        .group_memory(size_of::<[[i32; TILE_WIDTH]; TILE_HEIGHT]>())
        .read_part("in", from, seen)
        .write("out", to);
    device.launch(launch, |group| tile(group, from, to, n))
}

fn tile(group: &Group, from: &Buffer<i32>, to: &Buffer<i32>, n: usize) {
    let (left, top) = (group.id[0] * WIDTH, group.id[1] * HEIGHT);
    // So many columns and rows of the tile have something to do with the picture.
    let within = |first: usize, most: usize| (n + n % 2 + BEHIND + BEFORE - first).min(most);
    let (width, height) = (within(left, TILE_WIDTH), within(top, TILE_HEIGHT));
    let mut values = [[0; TILE_WIDTH]; TILE_HEIGHT];
    group.phase(|it| {
        for i in it.turns((it.id..width * height).step_by(WIDTH)) {
            let (x, y) = (i % width, i / width);
            let place = mirrored(top + y, n) * n + mirrored(left + x, n);
            values[y][x] = *it.load(at(1, 14), from, place);
        }
    });
    // Predict the odd from the even, then update the even by them: rows, then columns. Tiles begin
    // with an even place.
    group.phase(|it| {
        for y in (it.id..height).step_by(WIDTH) {
            lift(width, |x| (y, x), &mut values);
            it.work(5 * width);
        }
    });
    group.phase(|it| {
        for x in (it.id..width).step_by(WIDTH) {
            lift(height, |y| (y, x), &mut values);
            it.work(5 * height);
        }
    });
    group.phase(|it| {
        let low = n.div_ceil(2);
        let mut begin = 0;
        for band in it.turns(0..4) {
            let (odd_x, odd_y) = (band % 2, band / 2);
            let (columns, rows) = ([low, n / 2][odd_x], [low, n / 2][odd_y]);
            for i in it.turns((it.id..WIDTH / 2 * HEIGHT / 2).step_by(WIDTH)) {
                let (x, y) = (i % (WIDTH / 2), i / (WIDTH / 2));
                let (column, row) = (left / 2 + x, top / 2 + y);
                if column < columns && row < rows {
                    let value = values[BEFORE + 2 * y + odd_y][BEFORE + 2 * x + odd_x];
                    it.store(at(2, 10), to, begin + row * columns + column, value);
                }
            }
            begin += columns * rows;
        }
    });
}

/// The place of the picture that stands [`BEFORE`] places before `place`: beyond its borders the
/// picture is mirrored.
fn mirrored(place: usize, n: usize) -> usize {
    let period = 2 * (n as isize - 1);
    let place = (place as isize - BEFORE as isize).rem_euclid(period);
    place.min(period - place) as usize
}

/// The filter along one row or column of a tile, whose place `at` gives.
fn lift(
    n: usize,
    at: impl Fn(usize) -> (usize, usize),
    values: &mut [[i32; TILE_WIDTH]; TILE_HEIGHT],
) {
    let mut change = |i: usize, by: &dyn Fn(i32) -> i32| {
        let sides = [i - 1, i + 1].map(|side| values[at(side).0][at(side).1]);
        let (y, x) = at(i);
        values[y][x] += by(sides[0] + sides[1]);
    };
    (1..n - 1).step_by(2).for_each(|i| change(i, &|sum| -(sum >> 1)));
    (2..n - 1).step_by(2).for_each(|i| change(i, &|sum| (sum + 2) >> 2));
}

/// Bytes of the picture: slopes with noise, as the low frequencies of a picture count most.
fn input(n: usize, seed: u64) -> Vec<u8> {
    let mut rng = SplitMix64::new(seed);
    let value = |i: usize| i / COLOURS % n + 2 * (i / COLOURS / n) + 40 * (i % COLOURS);
    (0..COLOURS * n * n).map(|i| (value(i) % 192 + rng.below(64) as usize) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// Low and high frequencies of a line.
    fn line(x: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let n = x.len();
        let right = |i: usize| if 2 * i + 2 < n { x[2 * i + 2] } else { x[2 * i] };
        let high: Vec<i32> =
            (0..n / 2).map(|i| x[2 * i + 1] - (x[2 * i] + right(i)).div_euclid(2)).collect();
        let update = |i: usize| high[i.saturating_sub(1)] + high[i.min(n / 2 - 1)] + 2;
        let low = (0..n.div_ceil(2)).map(|i| x[2 * i] + update(i).div_euclid(4)).collect();
        (low, high)
    }

    fn columns(rows: &[Vec<i32>]) -> Vec<Vec<i32>> {
        (0..rows.first().map_or(0, Vec::len))
            .map(|x| rows.iter().map(|row| row[x]).collect())
            .collect()
    }

    fn reference(n: usize, seed: u64, levels: u32) -> Vec<i32> {
        let bytes = input(n, seed);
        let mut all = Vec::new();
        for colour in 0..COLOURS {
            let pixel = |i: usize| i32::from(bytes[COLOURS * i + colour]) - 128;
            let mut result: Vec<i32> = (0..n * n).map(pixel).collect();
            let mut side = n;
            for _ in 0..levels {
                if side < 2 {
                    break;
                }
                let rows = result[..side * side].chunks(side).map(line);
                let (low, high): (Vec<_>, Vec<_>) = rows.unzip();
                let mut halves = [low, high].map(|half| {
                    let both = columns(&half).iter().map(|c| line(c)).unzip();
                    let (low, high): (Vec<_>, Vec<_>) = both;
                    [columns(&low).concat(), columns(&high).concat()]
                });
                let [[ll, lh], [hl, hh]] = &mut halves;
                let bands = [ll, hl, lh, hh].into_iter().flat_map(|band| band.drain(..));
                result.splice(..side * side, bands);
                side = side.div_ceil(2);
            }
            all.extend(result);
        }
        all
    }

    #[test]
    fn coefficients_equal_those_of_plain_lines() {
        for (size, iterations) in [(2, 3), (3, 1), (5, 2), (16, 1), (65, 3), (80, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 5 });
            assert_eq!(result, reference(size as usize, 5, iterations), "size {size}");
        }
    }
}
