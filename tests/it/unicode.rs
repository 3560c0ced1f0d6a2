//! The official data of Unicode (`tests/unicode/`, unchanged): clusters, words, widths. Where we
//! differ on purpose, the exception is named here.

use std::collections::BTreeSet;
use std::path::Path;

use bowline::base::width::{grapheme_width, graphemes, is_unsafe};
use bowline::text::movement::motion::{is_word, word_left, word_right};
use bowline::text::position::Byte;
use bowline::text::rope::Text;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unicode").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A text and the offsets at which it may be broken, both ends included.
struct Sample {
    text: String,
    breaks: BTreeSet<usize>,
}

/// Lines such as `÷ 0020 × 0308 ÷ # comment`.
fn samples(name: &str) -> Vec<Sample> {
    let read = |line: &str| {
        let mut sample = Sample { text: String::new(), breaks: BTreeSet::new() };
        for word in line.split('#').next().unwrap_or_default().split_whitespace() {
            match word {
                "÷" => drop(sample.breaks.insert(sample.text.len())),
                "×" => {}
                code => sample.text.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap()),
            }
        }
        sample
    };
    let all: Vec<Sample> = data(name).lines().map(read).filter(|sample| !sample.text.is_empty()).collect();
    assert!(all.len() > 500, "{name}: {}", all.len());
    all
}

#[test]
fn grapheme_breaks_match_unicode_data() {
    for Sample { text, breaks } in samples("GraphemeBreakTest-17.0.0.txt") {
        let ends = graphemes(&text).scan(0, |at, cluster| {
            *at += cluster.len();
            Some(*at)
        });
        let found: BTreeSet<usize> = std::iter::once(0).chain(ends).collect();
        assert_eq!(found, breaks, "{text:?}");
    }
}

#[test]
fn grapheme_breaks_hold_across_rope_chunks() {
    // So long is the first piece of a text; what stands across its end is in two pieces.
    let long = Text::from("x".repeat(10_000).as_str());
    let piece = (0..10_000).find(|at| long.chunk_at(Byte(*at)).1 > Byte(0)).unwrap();
    // A control character is a boundary, whatever stands beside it.
    let pads: Vec<String> = std::iter::once(1)
        .chain(piece - 30..=piece)
        .map(|len| format!("{}\n", "x".repeat(len - 1)))
        .collect();
    let mut cut = 0;
    for Sample { text: sample, breaks } in samples("GraphemeBreakTest-17.0.0.txt") {
        for pad in &pads {
            let text = Text::from(format!("{pad}{sample}\u{200b}{}", "y".repeat(3000)).as_str());
            let (start, end) = (pad.len(), Byte(pad.len() + sample.len()));
            let wanted: Vec<Byte> = breaks.iter().map(|at| Byte(start + at)).collect();
            let mut forward = vec![Byte(start)];
            while *forward.last().unwrap() < end {
                forward.push(text.next_grapheme(*forward.last().unwrap()));
            }
            assert_eq!(forward, wanted, "{pad:?} {sample:?}");
            let mut backward = vec![end];
            while *backward.last().unwrap() > Byte(start) {
                backward.push(text.prev_grapheme(*backward.last().unwrap()));
            }
            backward.reverse();
            assert_eq!(backward, wanted, "{pad:?} {sample:?}, backwards");
            let (_, piece) = text.chunk_at(Byte(end.0 - 1));
            cut += usize::from(piece > Byte(start));
        }
    }
    assert!(cut > 500, "{cut} samples lay in two pieces");
}

/// Where our words end or begin although Unicode sees one word: the reasons, one for each rule
/// that an editor of programs does not follow.
fn is_intended_difference(before: &str, after: &str) -> bool {
    let (before, after) = (before.chars().next_back(), after.chars().next());
    let (Some(before), Some(after)) = (before, after) else { return false };
    // `a.b`, `don't`, `1,000`: signs of programs are no letters (WB6, WB7, WB11, WB12).
    let sign = |c: char| !is_word(c) && !c.is_whitespace();
    sign(before) || sign(after)
}

#[test]
fn word_motions_match_unicode_word_breaks() {
    let (mut agreed, mut excepted) = (0, 0);
    for Sample { text: sample, breaks } in samples("WordBreakTest-17.0.0.txt") {
        let text = Text::from(sample.as_str());
        let mut stops = BTreeSet::new();
        let (mut right, mut left) = (Byte(0), text.end());
        while right < text.end() {
            right = word_right(&text, right);
            stops.insert(right.0);
        }
        while left > Byte(0) {
            left = word_left(&text, left);
            stops.insert(left.0);
        }
        for stop in stops {
            if breaks.contains(&stop) {
                agreed += 1;
            } else {
                let (before, after) = sample.split_at(stop);
                assert!(is_intended_difference(before, after), "{before:?} | {after:?}");
                excepted += 1;
            }
        }
    }
    assert!(agreed > 10 * excepted, "{agreed} stops agree, {excepted} do not");
}

#[test]
fn character_width_matches_unicode_data() {
    let mut seen = 0;
    for line in data("EastAsianWidth-15.0.0.txt").lines() {
        let content = line.split('#').next().unwrap_or_default();
        let Some((codes, class)) = content.split_once(';') else { continue };
        let (from, to) = codes.trim().split_once("..").unwrap_or((codes.trim(), codes.trim()));
        let code = |hex: &str| u32::from_str_radix(hex, 16).unwrap();
        for c in (code(from)..=code(to)).filter_map(char::from_u32) {
            let wanted = match class.trim() {
                "W" | "F" => 2,
                "Na" | "H" => 1,
                // Neutral and ambiguous ones have the width that their use has.
                _ => continue,
            };
            if !is_unsafe(c) && !has_other_width(c) {
                seen += 1;
                assert_eq!(grapheme_width(c.encode_utf8(&mut [0; 4])), wanted, "U+{:04X}", u32::from(c));
            }
        }
    }
    assert!(seen > 180_000, "{seen}");
}

/// Characters that take no cells of their own, whatever their class says: marks that are set over
/// others, and fillers.
fn has_other_width(c: char) -> bool {
    matches!(
        c,
        '\u{302a}'
            ..='\u{302f}'
                | '\u{3099}'
                | '\u{309a}'
                | '\u{3164}'
                | '\u{ffa0}'
                | '\u{16fe4}'
                | '\u{16ff0}'
                | '\u{16ff1}'
    )
}

#[test]
fn emoji_width_is_two_cells() {
    let mut seen = 0;
    for line in data("emoji-test-15.0.txt").lines() {
        let Some((codes, kind)) = line.split_once(';') else { continue };
        if !kind.trim_start().starts_with("fully-qualified") {
            continue;
        }
        let emoji: String = codes
            .split_whitespace()
            .map(|hex| char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap())
            .collect();
        assert_eq!(graphemes(&emoji).count(), 1, "{emoji}");
        assert_eq!(grapheme_width(&emoji), 2, "{emoji}");
        seen += 1;
    }
    assert!(seen > 3000, "{seen}");
}
