//! The worked examples of the FinePack specification (section 10) that end at the drain channel, on
//! the model and on the RTL. All figures are the specification's.

use duet_tests::{Bench, Body, counting, on_both_bodies, ones};
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{In, Out};
use ports::finepack::types::{Drain, Req, acct, drain_kind, error_code, flush_cause, op};

const BASE: u64 = 0x4000_0000;
/// `Line` of configuration `paper`.
const LINE: u64 = 128;

/// The queue of GPU 0, with a packetizer that is always ready.
struct Queue {
    bench: Bench<Body<RemoteWriteQueue>>,
    line: u64,
    acct: u8,
    timeout: u16,
    drain_ready: bool,
}

impl Queue {
    fn new(body: Body<RemoteWriteQueue>, line: u64, acct: u8) -> Self {
        Self { bench: Bench::new(body), line, acct, timeout: 0, drain_ready: true }
    }

    fn inputs(&self, req: Option<Req>) -> In {
        let Self { acct, timeout, drain_ready, .. } = *self;
        In { req, drain_ready, acct, timeout, ..In::default() }
    }

    /// Offers a request to GPU 1 until it is accepted; returns that cycle.
    fn send(&mut self, req: Req) -> usize {
        self.send_to(1, req)
    }

    fn send_to(&mut self, dest: u8, req: Req) -> usize {
        let inputs = self.inputs(Some(Req { dest, ..req }));
        for _ in 0..200 {
            let cycle = self.bench.cycle(&inputs);
            if self.bench.out[cycle].req_ready {
                return cycle;
            }
        }
        panic!("the request is never accepted: {req:?}");
    }

    /// `len` bytes at `addr`, byte k of the line being `value + k`.
    fn store(&mut self, addr: u64, len: u32, value: u8) -> usize {
        let mask = ones((addr % self.line) as u32, len);
        self.send(Req { op: op::STORE, addr, mask, data: counting(mask, value), ..Req::default() })
    }

    fn load(&mut self, addr: u64, len: u32) -> usize {
        let mask = ones((addr % self.line) as u32, len);
        self.send(Req { op: op::LOAD, addr, mask, ..Req::default() })
    }

    /// An addition of two operands' size to the bytes of a mask.
    fn atomic(&mut self, mask: u128) -> usize {
        self.send(Req { op: op::ATOMIC, addr: BASE, mask, ..Req::default() })
    }

    fn release(&mut self) -> usize {
        self.send(Req { op: op::RELEASE_SYS, ..Req::default() })
    }

    /// Runs up to and including `cycle`; returns its outputs.
    fn at(&mut self, cycle: usize) -> Out {
        let idle = self.inputs(None);
        self.bench.at(cycle, &idle)
    }

    /// Entries and payload left of partition 0, three cycles after a request was accepted.
    fn account(&mut self, accepted: usize) -> (u8, u16) {
        let out = self.at(accepted + 3);
        (out.occ[0], out.avail[0])
    }

    /// All beats, with their cycles, after everything has drained.
    fn drained(&mut self) -> Vec<(usize, Drain)> {
        self.at(self.bench.out.len() + 100);
        let beats = self.bench.out.iter().enumerate();
        beats.filter_map(|(cycle, out)| Some((cycle, out.drain?))).collect()
    }

    /// Every flush of partition 0: the cycle that shows it, and its cause.
    fn flushes(&self) -> Vec<(usize, u8)> {
        let causes = self.bench.out.iter().map(|out| out.evt.flush_cause[0]).enumerate();
        causes.filter(|&(_, cause)| cause != flush_cause::NONE).collect()
    }
}

/// Runs a check in configuration `paper` on both bodies, with both accountings.
fn with_both_accountings(check: impl Fn(Queue)) {
    for acct in [acct::EXACT, acct::PAPER] {
        on_both_bodies::<RemoteWriteQueue>("paper", |body| check(Queue::new(body, LINE, acct)));
    }
}

/// The stores of example 1: offset, length, `avail` after it by EXACT and by PAPER. The
/// specification gives PAPER's last value; those before it are 4096 less 13, 13, 13, 9.
const EXAMPLE_1: [(u64, u32, u16, u16); 5] = [
    (0, 8, 4083, 4083),
    (16, 8, 4070, 4070),
    (8, 8, 4067, 4057),
    (4, 4, 4067, 4048),
    (120, 8, 4054, 4035),
];

#[test]
fn example_1_joined_runs_give_credit_back() {
    with_both_accountings(|mut queue| {
        for (offset, len, exact, paper) in EXAMPLE_1 {
            let accepted = queue.store(BASE + offset, len, 0x10);
            let avail = if queue.acct == acct::EXACT { exact } else { paper };
            assert_eq!(queue.account(accepted), (1, avail), "after the store to offset {offset}");
        }
        let released = queue.release();
        let beats = queue.drained();
        let mask = ones(0, 24) | ones(120, 8);
        let pack = Drain {
            sop: true,
            eop: true,
            kind: drain_kind::PACK,
            dest: 1,
            base: BASE,
            plen: 42,
            line: BASE / LINE,
            mask,
            data: counting(mask, 0x10),
            ..Drain::default()
        };
        let mark =
            Drain { sop: true, eop: true, kind: drain_kind::MARK, dest: 1, ..Drain::default() };
        assert_eq!(beats, [(released + 4, pack), (released + 6, mark)]);
        assert_eq!(queue.flushes(), [(released + 3, flush_cause::RELEASE)]);
    });
}

#[test]
fn last_store_to_a_byte_is_the_one_that_is_sent() {
    with_both_accountings(|mut queue| {
        for (i, (offset, len, ..)) in EXAMPLE_1.into_iter().enumerate() {
            queue.store(BASE + offset, len, 0x20 * i as u8);
        }
        queue.release();
        let (_, pack) = queue.drained()[0];
        let mut expected = counting(ones(0, 8), 0).0;
        for (i, first, len) in [(1, 16, 8), (2, 8, 8), (3, 4, 4), (4, 120, 8)] {
            let bytes = counting(ones(first, len), 0x20 * i).0;
            let range = first as usize..(first + len) as usize;
            expected[range.clone()].copy_from_slice(&bytes[range]);
        }
        assert_eq!(pack.data.0, expected);
    });
}

#[test]
fn example_2_thirty_full_lines_fill_the_payload() {
    with_both_accountings(|mut queue| {
        let mut accepted = Vec::new();
        for line in 0..31 {
            accepted.push(queue.store(BASE + line * LINE, 128, line as u8));
        }
        assert_eq!(queue.account(accepted[29]), (30, 106));
        assert_eq!(queue.account(accepted[30]), (1, 4096 - 133));
        let beats = queue.drained();
        assert_eq!(beats.len(), 30);
        assert_eq!(beats[0].0, accepted[30] + 4);
        for (line, (_, beat)) in beats.iter().enumerate() {
            assert_eq!((beat.plen, beat.base, beat.line), (3990, BASE, BASE / LINE + line as u64));
            assert_eq!((beat.mask, beat.data), (u128::MAX, counting(u128::MAX, line as u8)));
            assert_eq!((beat.sop, beat.eop), (line == 0, line == 29));
        }
        assert_eq!(queue.flushes(), [(accepted[30] + 3, flush_cause::FULL_PAYLOAD)]);
    });
}

#[test]
fn example_3_sixty_fifth_line_flushes_for_entries() {
    with_both_accountings(|mut queue| {
        (0..64).for_each(|line| _ = queue.store(BASE + line * LINE, 4, 0x40));
        let again = queue.store(BASE, 4, 0x40);
        assert_eq!(queue.account(again).0, 64, "a line that is held needs no entry");
        let accepted = queue.store(BASE + 64 * LINE, 4, 0x40);
        assert_eq!(queue.account(accepted), (1, 4096 - 9));
        let beats = queue.drained();
        assert_eq!(beats.len(), 64);
        assert!(beats.iter().all(|(_, beat)| beat.plen == 576 && beat.mask == 0xf));
        let lines: Vec<_> = beats.iter().map(|(_, beat)| beat.line - BASE / LINE).collect();
        assert_eq!(lines, (0..64).collect::<Vec<_>>());
        assert_eq!(queue.flushes(), [(accepted + 3, flush_cause::FULL_ENTRIES)]);
    });
}

#[test]
fn example_7_store_beyond_16_kib_flushes_for_the_window() {
    // `small` has sub-headers of 3 bytes, as the example.
    on_both_bodies::<RemoteWriteQueue>("small", |body| {
        let mut queue = Queue::new(body, 16, acct::EXACT);
        queue.store(0x1_0000, 1, 0x30);
        queue.store(0x1_3fff, 1, 0x50);
        let third = queue.store(0x1_4000, 1, 0x70);
        assert_eq!(queue.account(third), (1, 128 - 4), "it is in the other bank");
        queue.release();
        let beats: Vec<_> = queue.drained().into_iter().map(|(_, beat)| beat).collect();
        let (packs, marks) = beats.split_at(3);
        let seen: Vec<_> = packs.iter().map(|b| (b.base >> 14, b.line, b.mask, b.id)).collect();
        assert_eq!(seen, [(4, 0x1000, 1, 0), (4, 0x13ff, 1 << 15, 0), (5, 0x1400, 1, 1)]);
        assert_eq!(marks.iter().map(|b| b.kind).collect::<Vec<_>>(), [drain_kind::MARK]);
        assert_eq!(queue.flushes()[0], (third + 3, flush_cause::WINDOW));
    });
}

/// A queue that holds example 1.
fn with_example_1(mut queue: Queue) -> Queue {
    for (offset, len, ..) in EXAMPLE_1 {
        queue.store(BASE + offset, len, 0x10);
    }
    queue
}

#[test]
fn example_10_load_of_queued_bytes_follows_them() {
    with_both_accountings(|queue| {
        let mut queue = with_example_1(queue);
        let accepted = queue.load(BASE + 4, 4);
        let beats = queue.drained();
        let kinds: Vec<_> = beats.iter().map(|(cycle, b)| (*cycle, b.kind, b.dest)).collect();
        let (pack, read) = (drain_kind::PACK, drain_kind::READ);
        assert_eq!(kinds, [(accepted + 4, pack, 1), (accepted + 6, read, 1)]);
        assert_eq!((beats[1].1.line, beats[1].1.mask), (BASE / LINE, ones(4, 4)));
        assert_eq!(queue.flushes(), [(accepted + 3, flush_cause::LOAD_HIT)]);
    });
}

#[test]
fn example_10_load_of_other_bytes_flushes_nothing() {
    with_both_accountings(|queue| {
        let mut queue = with_example_1(queue);
        let accepted = queue.load(BASE + 40, 4);
        let avail = if queue.acct == acct::EXACT { 4054 } else { 4035 };
        assert_eq!(queue.account(accepted), (1, avail));
        let beats = queue.drained();
        let kinds: Vec<_> = beats.iter().map(|(cycle, b)| (*cycle, b.kind)).collect();
        assert_eq!(kinds, [(accepted + 4, drain_kind::READ)]);
        assert_eq!(queue.flushes(), []);
    });
}

#[test]
fn example_11_byte_stored_100_times_is_sent_once() {
    with_both_accountings(|mut queue| {
        let mut accepted = 0;
        for i in 0..100 {
            accepted = queue.store(BASE + 9, 1, i);
        }
        let avail = if queue.acct == acct::EXACT { 4096 - 6 } else { 4096 - 600 };
        assert_eq!(queue.account(accepted), (1, avail));
        assert_eq!(queue.flushes(), []);
        let overwritten = queue.bench.out.iter().map(|out| u32::from(out.evt.overwritten));
        assert_eq!(overwritten.sum::<u32>(), 99);
        queue.release();
        let beats = queue.drained();
        assert_eq!((beats[0].1.plen, beats[0].1.mask), (6, 1 << 9));
        assert_eq!(beats[0].1.data.0[9], 99 + 9);
        assert_eq!(beats[1].1.kind, drain_kind::MARK);
        assert_eq!(beats.len(), 2);
    });
}

/// An operand is aligned to its size: 8 bytes at 4 modulo 8 are not.
#[test]
fn atomic_of_8_bytes_at_4_modulo_8_is_code_1() {
    on_both_bodies::<RemoteWriteQueue>("paper", |body| {
        let mut queue = Queue::new(body, LINE, acct::EXACT);
        for (first, len, legal) in
            [(4, 8, false), (12, 8, false), (116, 8, false), (4, 4, true), (8, 8, true)]
        {
            let accepted = queue.atomic(ones(first, len));
            let error = (!legal).then_some(error_code::ZERO_MASK);
            assert_eq!(queue.at(accepted + 3).err, error, "{len} bytes at {first}");
        }
        let masks: Vec<_> = queue.drained().iter().map(|(_, beat)| beat.mask).collect();
        assert_eq!(masks, [ones(4, 4), ones(8, 8)]);
    });
}

/// Rule 14 of the README.
#[test]
fn store_that_breaks_several_conditions_has_the_cause_of_the_first() {
    use flush_cause::{FULL_ENTRIES, FULL_PAYLOAD, WINDOW};
    // `small`: 4 entries of 16 bytes, 128 bytes of payload, windows of 16 KiB, sub-headers of 3
    // bytes. Eight runs of a byte cost 32.
    const DEAR: u128 = 0x5555;
    const FAR: u64 = BASE + 0x4000;
    for (entries, mask, addr, then, cause) in [
        (4, DEAR, FAR, DEAR, WINDOW),            // all three
        (4, 1, FAR, 1, WINDOW),                  // and the entries
        (4, DEAR, BASE + 64, 1, FULL_PAYLOAD),   // and the entries
        (4, DEAR, BASE, DEAR, FULL_PAYLOAD),     // a line that has an entry
        (4, 1, BASE + 64, 1, FULL_ENTRIES),      // alone
        (3, DEAR | 0x8000, FAR, 0xffff, WINDOW), // 101 bytes, and 19 more would fit
        (3, DEAR | 0xaaa0, FAR, DEAR, WINDOW),
    ] {
        on_both_bodies::<RemoteWriteQueue>("small", |body| {
            let mut queue = Queue::new(body, 16, acct::EXACT);
            let store = |addr, mask| Req { addr, mask, data: counting(mask, 1), ..Req::default() };
            for entry in 0..entries {
                queue.send(store(BASE + 16 * entry, mask));
            }
            let accepted = queue.send(store(addr, then));
            queue.at(accepted + 4);
            assert_eq!(queue.flushes(), [(accepted + 3, cause)], "{entries} of {mask:#x}");
        });
    }
}

#[test]
fn packet_of_the_largest_payload_is_sent_with_its_last_store() {
    with_both_accountings(|mut queue| {
        // 30 full lines of 133 bytes, and 101 bytes with a sub-header.
        for line in 0..30 {
            queue.store(BASE + line * LINE, 128, line as u8);
        }
        let accepted = queue.store(BASE + 30 * LINE, 101, 30);
        assert_eq!(queue.account(accepted), (31, 0));
        // A byte more is the next packet's.
        let next = queue.store(BASE + 31 * LINE, 1, 31);
        let beats = queue.drained();
        assert_eq!(beats.len(), 31);
        assert!(beats.iter().all(|(_, beat)| beat.plen == 4096));
        let (_, last) = beats[30];
        assert_eq!(
            (last.eop, last.mask, last.data),
            (true, ones(0, 101), counting(ones(0, 101), 30))
        );
        assert_eq!(queue.flushes(), [(next + 3, flush_cause::FULL_PAYLOAD)]);
    });
}

/// A partition is flushed after 65535 cycles without a store, and one that cannot be flushed for
/// longer than that as soon as it can: its timer does not begin again (rule 7 of the README).
#[test]
fn timer_of_16_bits_stops_at_its_end() {
    on_both_bodies::<RemoteWriteQueue>("small", |body| {
        let mut queue = Queue::new(body, 16, acct::EXACT);
        queue.timeout = u16::MAX;
        let accepted = queue.store(BASE, 4, 1);
        queue.at(accepted + 70_000);
        // Written in S2, 2 cycles after it is accepted, which is when the timer begins.
        let expired = accepted + 2 + usize::from(u16::MAX) + 1;
        assert_eq!(queue.flushes(), [(expired + 1, flush_cause::TIMEOUT)]);

        // The second bank waits for the first, whose beat nobody takes.
        queue.drain_ready = false;
        queue.store(BASE, 4, 1);
        let accepted = queue.store(BASE + 0x4000, 4, 2);
        queue.at(accepted + 70_000);
        assert_eq!(queue.flushes()[1..], [(accepted + 3, flush_cause::WINDOW)]);
        queue.drain_ready = true;
        let taken = queue.bench.out.len();
        queue.at(taken + 10);
        assert_eq!(queue.flushes()[2..], [(taken + 2, flush_cause::TIMEOUT)]);
    });
}

/// Rule 12: a destination's packets are numbered modulo 256. Each store here ends the packet of the
/// window before, and the windows of 2^30 bytes go from 1 GB over 4 GB to 258 GB.
#[test]
fn tags_of_packets_count_to_255_for_each_destination_and_windows_lie_above_4_gb() {
    const PACKETS: u64 = 258;
    on_both_bodies::<RemoteWriteQueue>("paper", |body| {
        let mut queue = Queue::new(body, LINE, acct::EXACT);
        let window = |packet: u64| (packet + 1) << 30;
        for packet in 0..=PACKETS {
            queue.store(window(packet) + 8, 8, 0x10);
        }
        // The first packet to another destination, for whose end it has a second window.
        for packet in 0..2 {
            let (mask, data) = (ones(8, 8), counting(ones(8, 8), 0x10));
            let addr = window(packet) + 8;
            queue.send_to(2, Req { op: op::STORE, addr, mask, data, ..Req::default() });
        }
        let beats: Vec<_> =
            queue.drained().iter().map(|(_, b)| (b.dest, b.id, b.base, b.line)).collect();
        let first = |dest, packet| {
            let line = (window(packet) + 8) / LINE;
            (dest, (packet % 256) as u8, window(packet), line)
        };
        let to_1 = (0..PACKETS).map(|packet| first(1, packet));
        assert_eq!(beats, to_1.chain([first(2, 0)]).collect::<Vec<_>>());
    });
}
