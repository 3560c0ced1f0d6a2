//! Increments and decrements numbers in the text: decimal with sign and leading zeros, hexadecimal and
//! binary. Must not know keys.

use std::ops::Range as ByteRange;

use crate::text::operations::replace_spans;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Bytes around a cursor that are searched for its number.
const NEAR: usize = 512;

/// Adds to the number at or after every cursor on its line, or to the first one that starts in every selected
/// range. `each` is added once more for every further range, which makes series.
pub fn add(text: &Text, selection: &Selection, by: i128, each: i128) -> Transaction {
    add_to(text, selection, by, each, false)
}

/// The same, but digits before a selected range are not part of its number, as in Vim: in `129` the selected
/// `9` is incremented.
pub fn add_inside(text: &Text, selection: &Selection, by: i128, each: i128) -> Transaction {
    add_to(text, selection, by, each, true)
}

fn add_to(text: &Text, selection: &Selection, by: i128, each: i128, inside: bool) -> Transaction {
    let mut n = 0;
    replace_spans::replace(
        text,
        selection,
        |range| number_at(text, range, inside && !range.is_empty()),
        |old| {
            let new = increment(old, by.checked_add(each.checked_mul(n)?)?);
            n += 1;
            new
        },
    )
}

fn number_at(text: &Text, range: Range, inside: bool) -> Option<ByteRange<Byte>> {
    let line = text.line_of(range.start());
    let near = || text.line_start(line).max(range.start().back(NEAR));
    let from = text.char_floor(if inside { range.start() } else { near() });
    let to = if range.is_empty() { text.line_end(line) } else { range.end() };
    let to = text.char_floor(to.min(range.start() + NEAR));
    let content = text.slice(from..to);
    let head = range.start() - from;
    let mut rest = 0;
    while let Some(found) = next_number(&content, rest) {
        // A cursor right after a number means it; a selection uses its start.
        if found.end > head || range.is_empty() && found.end == head {
            return (range.is_empty() || found.start >= head).then(|| from + found.start..from + found.end);
        }
        rest = found.end;
    }
    None
}

/// The first number of a line from an offset on.
fn next_number(line: &str, from: usize) -> Option<ByteRange<usize>> {
    let bytes = line.as_bytes();
    let digit = from + bytes[from..].iter().position(u8::is_ascii_digit)?;
    let run = |at: usize, of: fn(&u8) -> bool| bytes[at..].iter().take_while(|b| of(b)).count();
    let joined = digit > 0 && bytes[digit - 1].is_ascii_alphanumeric();
    if bytes[digit] == b'0' && !joined && matches!(bytes.get(digit + 1), Some(b'x' | b'X')) {
        let hex = run(digit + 2, u8::is_ascii_hexdigit);
        if hex > 0 {
            return Some(digit..digit + 2 + hex);
        }
    }
    if bytes[digit] == b'0' && !joined && matches!(bytes.get(digit + 1), Some(b'b' | b'B')) {
        let bits = run(digit + 2, |byte| matches!(byte, b'0' | b'1'));
        if bits > 0 {
            return Some(digit..digit + 2 + bits);
        }
    }
    let end = digit + run(digit, u8::is_ascii_digit);
    let minus = digit > 0 && bytes[digit - 1] == b'-';
    let before = digit.checked_sub(2).and_then(|at| bytes.get(at));
    let operator =
        before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b')' | b']' | 0x80..));
    Some(if minus && !operator { digit - 1..end } else { digit..end })
}

/// Returns the number plus a value, in the same notation; `None` on overflow.
fn increment(number: &str, by: i128) -> Option<String> {
    if let Some(digits) = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
        let value = u128::from_str_radix(digits, 16).ok()?.checked_add_signed(by)?;
        let width = digits.len();
        let upper = digits.bytes().any(|b| b.is_ascii_uppercase());
        let digits = if upper { format!("{value:0width$X}") } else { format!("{value:0width$x}") };
        return Some(format!("{}{digits}", &number[..2]));
    }
    if let Some(digits) = number.strip_prefix("0b").or_else(|| number.strip_prefix("0B")) {
        let value = u128::from_str_radix(digits, 2).ok()?.checked_add_signed(by)?;
        return Some(format!("{}{value:0width$b}", &number[..2], width = digits.len()));
    }
    let value = number.parse::<i128>().ok()?.checked_add(by)?;
    let digits = number.trim_start_matches('-');
    let width = if digits.len() > 1 && digits.starts_with('0') { digits.len() } else { 1 };
    let sign = if value < 0 { "-" } else { "" };
    Some(format!("{sign}{:0width$}", value.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;
    use proptest::prelude::*;

    fn check(by: i128, each: i128, before: &str, after: &str) {
        let (mut text, selection) = marked::parse(before);
        let edit = add(&text, &selection, by, each);
        edit.changes.apply(&mut text);
        assert_eq!(marked::show(&text, &edit.selection.unwrap()), after, "{by} to {before:?}");
    }

    #[test]
    fn numbers_increment_keeps_notation() {
        check(1, 0, "a| = 9;", "a| = 10;");
        check(-1, 0, "x 0|", "x -1|");
        check(1, 0, "x -|1", "x 0|");
        check(1, 0, "é-1|", "é-2|");
        check(1, 0, "v0|09\nv|099", "v0|10\nv|100");
        check(1, 0, "|0xfe 0X|0F", "|0xff 0X|10");
        check(-1, 0, "|0x00", "|0x00");
        check(1, 0, "no| number\n7", "no| number\n7");
        check(5, 0, "«12»3 »9«", "«17»3 »14«");
        check(1, 0, "1|2|", "1|3|");
    }

    #[test]
    fn numbers_increment_starting_before_selection() {
        for (before, inside) in [("-«5»", "-«6»"), ("12«9»", "12«10»"), ("0x«1»0", "0x«2»0")] {
            check(1, 0, before, before);
            let (mut text, selection) = marked::parse(before);
            let edit = add_inside(&text, &selection, 1, 0);
            edit.changes.apply(&mut text);
            assert_eq!(marked::show(&text, &edit.selection.unwrap()), inside);
        }
    }

    #[test]
    fn numbers_series_increments_per_range() {
        check(0, 1, "|0\n|0\n|0", "|0\n|1\n|2");
        check(1, 2, "«5» «5»", "«6» «8»");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(64))]
        #[test]
        fn numbers_increment_then_decrement_roundtrips(value in -1_000_000i64..1_000_000, by in -5_000i128..5_000) {
            let plain = format!("x = {value};");
            let mut text = Text::from(plain.as_str());
            for step in [by, -by] {
                let edit = add(&text, &Selection::cursor(Byte(0)), step, 0);
                edit.changes.apply(&mut text);
                if step == by { prop_assert_eq!(text.to_string(), format!("x = {};", i128::from(value) + by)); }
            }
            prop_assert_eq!(text.to_string(), plain);
        }
    }
}
