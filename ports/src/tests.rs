//! Images and declarations agree bit for bit.

use super::*;
use crate::{message, ports};

message! {
    struct Message: "EXAMPLE_T" in "example.svh" (line: u32) {
        high: u8 = 5,
        data: Bytes<16> = line,
        mask: u128 = line,
        addr: u64 = 64,
        low: bool = 1,
    }
}

struct Config {
    line: u32,
}

ports! {
    struct Example: Out (c: Config) {
        message: Option<Message> as (message_valid, message) = (c.line,),
        list: [u16; 4] = (13, 3),
        flag: bool = 1,
    }
}

fn example() -> Example {
    let mut data = Bytes::default();
    (0..16).for_each(|i| data.0[i] = 0xa0 + i as u8);
    let message =
        Message { high: 0x15, data, mask: 0x8001, addr: 0xfedc_ba98_7654_3210, low: true };
    Example { message: Some(message), list: [1, 2, 0x1fff, 0], flag: true }
}

#[test]
fn image_round_trip_keeps_every_field() {
    let config = Config { line: 16 };
    let mut image = vec![0xffff_ffff; image_words(&Example::declare(&config))];
    example().store(&config, &mut image);
    assert_eq!(Example::load(&config, &image), example());
}

/// An image equals the values that it would be loaded as, and no others.
#[test]
fn image_is_compared_as_it_is_loaded() {
    let config = Config { line: 16 };
    let words = image_words(&Example::declare(&config));
    for example in [example(), Example { message: None, ..example() }, Example::default()] {
        let mut image = vec![0xffff_ffff; words];
        example.store(&config, &mut image);
        assert!(example.equals(&config, &image));
        for bit in 0..32 * words {
            image[bit / 32] ^= 1 << (bit % 32);
            let loaded = Example::load(&config, &image);
            assert_eq!(example.equals(&config, &image), example == loaded, "bit {bit}");
            assert!(loaded.equals(&config, &image), "bit {bit}");
            image[bit / 32] ^= 1 << (bit % 32);
        }
    }
}

/// What no port shows is a difference too: a value of more bits, an element beyond the count.
#[test]
fn values_that_no_image_has_equal_none() {
    let config = Config { line: 16 };
    let mut image = vec![0; image_words(&Example::declare(&config))];
    let message = example().message.unwrap();
    let wide = Message { high: 0x35, ..message };
    let beyond = Example { list: [1, 2, 0x1fff, 4], ..example() };
    for example in [Example { message: Some(wide), ..example() }, beyond] {
        example.store(&config, &mut image);
        assert!(!example.equals(&config, &image), "{example:?}");
    }
}

#[test]
fn array_of_messages_is_compared_with_the_elements_beyond_its_count() {
    let value = [Message { low: true, ..Message::default() }, Message::default()];
    let mut words = [0; 8];
    let shape = ((4,), 1);
    value.put(shape, &mut Writer::new(&mut words));
    assert!(value.equals(shape, &mut Reader::new(&words)));
    let beyond = [value[0], value[0]];
    assert!(!beyond.equals(shape, &mut Reader::new(&words)));
    assert!(!<[Message; 2]>::default().equals(shape, &mut Reader::new(&words)));
}

#[test]
fn fields_stand_at_their_bits_from_the_last_declared_up() {
    let config = Config { line: 16 };
    let mut image = vec![0; image_words(&Example::declare(&config))];
    example().store(&config, &mut image);
    // valid, then low at bit 0, addr at 1, mask at 65, data at 81, high at 209 of the payload.
    assert_eq!(image[0], 1);
    assert_eq!(image[1], (0x7654_3210 << 1) | 1);
    assert_eq!(image[3] >> 1 & 0xffff, 0x8001);
    assert_eq!(image[7] >> 17 & 0x1f, 0x15);
    // The next port starts at a new word: 3 * 13 bits in two words, then the flag.
    assert_eq!(image[8], 1 | 2 << 13 | 0x1fff << 26);
    assert_eq!(image[9], 0x1fff >> 6);
    assert_eq!(image[10], 1);
}

#[test]
fn absent_channel_keeps_the_payload_words_and_shows_none() {
    let config = Config { line: 16 };
    let mut image = vec![7; image_words(&Example::declare(&config))];
    Example::default().store(&config, &mut image);
    assert_eq!((image[0], image[1]), (0, 7));
    assert_eq!(Example::load(&config, &image).message, None);
}

#[test]
fn leaves_name_every_bit_once() {
    let ports = Example::declare(&Config { line: 16 });
    for port in &ports {
        let mut next = 0;
        for leaf in &port.leaves {
            assert_eq!(leaf.lsb, next, "{}.{}", port.name, leaf.name);
            next += leaf.width;
        }
        assert_eq!(next, port.width);
    }
    assert_eq!(ports[1].name, "message_o");
    assert_eq!(ports[1].valid, Some(0));
}
