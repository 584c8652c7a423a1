//! Packets and their extension blocks (rules 14 to 18).

use duet_tests::parameters;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::Bytes;
use ports::cpelide::types::{Aql, Command, Ext};

use super::assembler::*;
use super::machine::Machine;
use super::on_bodies;

const PKT_STAT: i32 = 0x10;
const PKT_POP: i32 = 0x14;
const PKT_META: i32 = 0x18;
const WAIT: i32 = 0x58;
const LAST: u32 = 252;

/// Starts a program in configuration `small`.
fn on_small(code: &Code, check: impl Fn(Machine)) {
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        check(Machine::new(body, &config, &code.clone().exit(0), &Code::default()));
    });
}

/// Byte k is `value + k`; without an extension block where `plain`.
fn packet(value: u8, plain: bool) -> Aql {
    let mut packet = Bytes::<64>::default();
    for (k, byte) in packet.0.iter_mut().enumerate() {
        *byte = if plain && (48..56).contains(&k) { 0 } else { value.wrapping_add(k as u8) };
    }
    Aql { mask: 0x8000 | u16::from(value), stream: value ^ 0xFF, packet }
}

/// The word at `offset` of a packet.
fn word(aql: &Aql, offset: usize) -> u32 {
    u32::from_le_bytes(aql.packet.0[offset..offset + 4].try_into().unwrap())
}

fn beat(k: u32, last: bool) -> Ext {
    let word = |w: u32| u128::from(k << 8 | w) << (32 * w);
    Ext { last, data: (0..4).map(word).sum() }
}

impl Machine {
    /// Offers a packet in one cycle of the processor; true when it is taken.
    fn arrives(&mut self, time: usize, aql: Aql) -> bool {
        self.run_to(time);
        self.inputs.aql = Some(aql);
        let ready = self.cycle().1.aql_ready;
        self.inputs.aql = None;
        ready
    }

    /// Offers a beat in the next cycle; true when it is taken.
    fn extend(&mut self, ext: Ext) -> bool {
        self.inputs.ext = Some(ext);
        let ready = self.cycle().1.ext_ready;
        self.inputs.ext = None;
        ready
    }
}

#[test]
fn plain_packet_is_complete_in_the_next_cycle() {
    let mut code = Code::with_bases().reads(&[WAIT, PKT_STAT, PKT_META]);
    for offset in (0..64).step_by(4) {
        code = code.read_slot(offset);
    }
    on_small(&code, |mut machine| {
        let aql = packet(0x40, true);
        assert!(machine.arrives(20, aql));
        assert!(!machine.cycle().1.ext_ready);
        machine.run_to_exit();
        assert_eq!(machine.loads()[0], (23, 0b001));
        let mut expected = vec![0b0001, 0x80_40BF];
        expected.extend((0..64).step_by(4).map(|offset| word(&aql, offset)));
        assert_eq!(machine.values()[1..], expected);
    });
}

#[test]
fn packet_with_extension_block_is_valid_after_its_last_beat() {
    let code = Code::with_bases()
        .reads(&[PKT_STAT, WAIT, PKT_STAT, PKT_META])
        .read_slot(0x40)
        .read_slot(0x4C)
        .read_slot(0x5C)
        .read_slot(0x60)
        .read_slot(0x30);
    on_small(&code, |mut machine| {
        let aql = packet(1, false);
        machine.inputs.ext = Some(beat(9, true));
        assert!(!machine.run_to(2).cycle().1.ext_ready, "no packet waits");
        machine.inputs.ext = None;
        assert!(machine.arrives(5, aql));
        // No other packet meanwhile.
        assert!(!machine.arrives(7, aql));
        assert!(machine.extend(beat(1, false)));
        machine.run_to(40);
        assert!(machine.extend(beat(2, true)));
        assert!(!machine.extend(beat(3, true)));
        machine.run_to_exit();
        assert_eq!(machine.loads()[1], (43, 0b001));
        let values = machine.values();
        assert_eq!(values[0], 0);
        assert_eq!(values[2..7], [1, 0x80_01FE, 0x100, 0x103, 0x203]);
        // Behind the block is what an earlier packet has left (rule 4), not the beat that was
        // refused.
        assert_ne!(values[7], 0x300);
        assert_eq!(values[8], word(&aql, 0x30));
    });
}

#[test]
fn extension_block_beyond_the_slot_is_dropped_and_reported() {
    let code = Code::with_bases()
        .read_slot(0x1000)
        .reads(&[WAIT, PKT_META, PKT_META + 4])
        .read_slot(0xFFC)
        .read_slot(0x1000);
    on_small(&code, |mut machine| {
        assert!(machine.arrives(5, packet(1, false)));
        for k in 1..=LAST {
            assert!(machine.extend(beat(k, false)));
        }
        assert!(machine.extend(beat(LAST + 1, true)));
        machine.run_to_exit();
        let values = machine.values();
        assert_eq!((values[2], values[3]), (1 << 31 | 0x80_01FE, 0));
        // The last word of the slot is that of the 252nd beat; the next slot is untouched.
        assert_eq!((values[4], values[5]), (LAST << 8 | 3, values[0]));
    });
}

#[test]
fn extension_block_that_just_fits_is_not_reported() {
    let code = Code::with_bases().reads(&[WAIT, PKT_META]);
    on_small(&code, |mut machine| {
        assert!(machine.arrives(5, packet(1, false)));
        for k in 1..=LAST {
            assert!(machine.extend(beat(k, k == LAST)));
        }
        machine.run_to_exit();
        assert_eq!(machine.values()[1], 0x80_01FE);
    });
}

#[test]
fn packets_take_the_lowest_free_slot_and_the_oldest_is_reported() {
    let meta: Vec<_> = (0..4).map(|slot| PKT_META + 4 * slot).collect();
    let code = Code::with_bases()
        .wait(30)
        .read(PKT_STAT)
        .reads(&meta)
        .write(PKT_POP, 0xFFFF_FFF5) // slot 1
        .wait(10)
        .read(PKT_STAT)
        .write(PKT_POP, 0)
        .read(PKT_STAT)
        .write(PKT_POP, 2)
        .read(PKT_STAT)
        .write(PKT_POP, 3)
        .read(PKT_STAT)
        .write(PKT_POP, 1)
        .read(PKT_STAT)
        .write(PKT_POP, 1)
        .reads(&[PKT_STAT, PKT_META + 4]);
    on_small(&code, |mut machine| {
        for k in 0..4 {
            assert!(machine.arrives(10 + k, packet(k as u8, true)));
        }
        assert!(!machine.arrives(14, packet(4, true)));
        // Slot 1 is free from the cycle after its pop on.
        let mut taken = None;
        for time in 15..90 {
            if machine.arrives(time, packet(5, true)) {
                taken = Some(time);
                break;
            }
        }
        machine.run_to_exit();
        let popped = machine.trace().into_iter().find(|(_, r)| r.mem_wmask != 0).unwrap().0 - 2;
        assert_eq!(taken, Some(popped + 1));
        let values = machine.values();
        assert_eq!(values[0], 0b1111);
        let expected: Vec<_> = (0..4).map(|k| k << 24 | 0x80_0000 | k << 8 | (k ^ 0xFF)).collect();
        assert_eq!(values[1..5], expected);
        // The oldest is slot 0, then 2, 3, 1; none is 0. A free slot keeps its PKT_META.
        assert_eq!(
            values[5..11],
            [0b1111, 2 << 8 | 0b1110, 3 << 8 | 0b1010, 1 << 8 | 0b0010, 0, 0]
        );
        assert_eq!(values[11], 4 << 24 | 0x80_05FA);
    });
}

#[test]
fn packet_that_is_complete_while_an_older_one_is_freed_is_the_oldest() {
    let code = Code::with_bases().wait(40).write(PKT_POP, 0).read(PKT_STAT);
    on_small(&code, |mut machine| {
        assert!(machine.arrives(5, packet(0, true)));
        assert!(machine.arrives(6, packet(1, false)));
        // The store is in the ID stage from 50 on: after 4 and 40 instructions and its 2 for the
        // value. It acts in 53.
        machine.run_to(53);
        assert!(machine.extend(beat(0, true)));
        machine.run_to_exit();
        let popped = machine.trace().into_iter().find(|(_, r)| r.mem_wmask != 0).unwrap().0 - 2;
        assert_eq!((popped, machine.values()), (53, vec![1 << 8 | 0b0010]));
    });
}

#[test]
fn slot_that_is_being_filled_cannot_be_freed() {
    let code = Code::with_bases().write(PKT_POP, 0).wait(20).reads(&[PKT_STAT, WAIT, PKT_STAT]);
    on_small(&code, |mut machine| {
        assert!(machine.arrives(5, packet(1, false)));
        machine.run_to(80);
        assert!(machine.extend(beat(0, true)));
        machine.run_to_exit();
        assert_eq!(machine.values(), [0, 1, 1]);
    });
}

#[test]
fn arrival_numbers_are_modulo_128_and_the_oldest_does_not_depend_on_them() {
    // Slot 0 keeps its packet while 130 pass through slot 1.
    let round = |code: Code| code.reads(&[WAIT, PKT_STAT, PKT_META + 4]).write(PKT_POP, 1);
    let back = -(round(Code::default()).bytes() as i32);
    let code = round(Code::with_bases().read(WAIT)).words(&[jal(0, back)]);
    on_small(&code, |mut machine| {
        assert!(machine.arrives(5, packet(0, true)));
        for k in 1..=130 {
            assert!(machine.arrives(machine.now().max(60) + 60, packet(1, true)), "{k}");
        }
        machine.run(60);
        let values = machine.values();
        let last = &values[values.len() - 2..];
        assert_eq!(last, [0b0011, 2 << 24 | 0x80_01FE]);
    });
}

#[test]
fn bytes_that_are_not_written_keep_what_they_held() {
    let code = Code::with_bases()
        .read(WAIT)
        .write(PKT_POP, 0)
        .read(WAIT)
        .read_slot(0x40)
        .read_slot(0x50)
        .read_slot(0);
    on_small(&code, |mut machine| {
        assert!(machine.arrives(5, packet(1, false)));
        assert!(machine.extend(beat(1, false)));
        assert!(machine.extend(beat(2, true)));
        let second = packet(9, false);
        assert!(machine.arrives(60, second));
        assert!(machine.extend(beat(3, true)));
        machine.run_to_exit();
        assert_eq!(machine.values()[2..], [0x300, 0x200, word(&second, 0)]);
    });
}
