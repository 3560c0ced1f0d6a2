//! Glyphs in every place that producers put them.

use super::*;

/// Shows words at places, each letter half as wide as it is high, at a size of 10.
fn page(words: &[(f64, f64, &str)]) -> String {
    turned(words, 0.0)
}

fn turned(words: &[(f64, f64, &str)], degrees: f64) -> String {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let turn = |x: f64, y: f64| (x * cos - y * sin, x * sin + y * cos);
    let mut lines = Lines::default();
    for (x, y, word) in words {
        for (at, c) in word.chars().enumerate() {
            let x = x + at as f64 * 5.0;
            let text = c.to_string();
            lines.add(Glyph { text: Some(&text), from: turn(x, *y), to: turn(x + 5.0, *y), size: 10.0 });
        }
    }
    lines.finish().text
}

/// Words in a font of which one letter is wider.
fn uneven(words: &[(f64, &str)]) -> String {
    let mut lines = Lines::default();
    for (x, word) in words {
        let mut x = *x;
        for c in word.chars() {
            let (text, width) = (c.to_string(), if c == 'w' { 7.0 } else { 5.0 });
            lines.add(Glyph { text: Some(&text), from: (x, 0.0), to: (x + width, 0.0), size: 10.0 });
            x += width;
        }
    }
    lines.finish().text
}

#[test]
fn pdf_lines_gaps_become_spaces() {
    assert_eq!(uneven(&[(0.0, "one"), (16.0, "two"), (35.0, "three")]), "onetwo three");
    assert_eq!(uneven(&[(0.0, "aw"), (60.0, "b"), (100.0, "c")]), "aw  b  c");
    assert_eq!(uneven(&[(0.0, "w "), (14.0, "b")]), "w b", "no two blanks");
    assert_eq!(uneven(&[(0.0, "w世"), (15.0, "界"), (40.0, "c")]), "w世界  c", "printers put letters apart");
}

#[test]
fn pdf_lines_code_keeps_indentation() {
    let text = page(&[
        (10.0, 88.0, "fn main() {"),
        (30.0, 76.0, "let x"),
        (75.0, 76.0, "= 1;"),
        (20.0, 64.0, "}"),
        (10.0, 52.0, "  end"),
        (20.0, 40.0, "12"),
    ]);
    assert_eq!(text, "fn main() {\n    let x    = 1;\n  }\n  end\n  12");
}

#[test]
fn pdf_lines_paragraphs_and_columns_are_separated() {
    let text = page(&[(0.0, 100.0, "one"), (0.0, 88.0, "two"), (0.0, 64.0, "three"), (0.0, 52.0, "four")]);
    assert_eq!(text, "one\ntwo\n\nthree\nfour");
    // A second column begins at the top again.
    let text = page(&[(0.0, 100.0, "a"), (0.0, 88.0, "b"), (90.0, 100.0, "c"), (90.0, 88.0, "d")]);
    assert_eq!(text, "a\nb\n\nc\nd");
}

#[test]
fn pdf_lines_superscript_stays_in_line() {
    assert_eq!(page(&[(0.0, 0.0, "x"), (5.0, 4.0, "2"), (10.0, 0.0, "y"), (15.0, -3.0, "i")]), "x2yi");
}

#[test]
fn pdf_lines_rotated_text_is_read() {
    let words = [(0.0, 100.0, "one"), (20.0, 100.0, "two"), (0.0, 88.0, "three")];
    for degrees in [0.0, 90.0, 180.0, 270.0, 45.0, 13.0] {
        assert_eq!(turned(&words, degrees), "one two\nthree", "{degrees}");
    }
}

#[test]
fn pdf_lines_overprinted_bold_is_read_once() {
    let word = |x: f64| (x, 0.0, "bold");
    assert_eq!(page(&[word(0.0), word(0.4)]), "bold");
    let letters: Vec<(f64, f64, &str)> = ["l", "e", "t"]
        .iter()
        .enumerate()
        .flat_map(|(at, c)| [(at as f64 * 5.0, 0.0, *c), (at as f64 * 5.0 + 0.3, 0.0, *c)])
        .collect();
    assert_eq!(page(&letters), "let");
    assert_eq!(page(&[(0.0, 0.0, "ll")]), "ll", "two of a kind are two");
}

#[test]
fn pdf_lines_shuffled_rows_are_sorted() {
    let mut words: Vec<(f64, f64, String)> = (0..40)
        .flat_map(|row| [(0.0, row), (50.0, row)])
        .map(|(x, row)| (x, f64::from(row) * -12.0, format!("r{row}")))
        .collect();
    // Row by row, but the rows as if they were shuffled.
    words.sort_by_key(|(_, y, _)| (*y as i64 / -12 * 17) % 40);
    let words: Vec<(f64, f64, &str)> = words.iter().map(|(x, y, text)| (*x, *y, text.as_str())).collect();
    // The second cell stands 50 to the right, and a letter is 5 wide.
    let rows: Vec<String> = (0..40).map(|row| format!("{:10}r{row}", format!("r{row}"))).collect();
    assert_eq!(page(&words), rows.join("\n"));
}

#[test]
fn pdf_lines_odd_glyphs_and_positions_are_harmless() {
    let mut lines = Lines::default();
    let mut add = |text: Option<&str>, x: f64, size: f64| {
        lines.add(Glyph { text, from: (x, 0.0), to: (x + 5.0, 0.0), size });
    };
    add(Some("ﬃ"), 0.0, 10.0);
    add(Some("\u{1b}[2J\u{7}\u{9b}"), 5.0, 10.0);
    add(None, 10.0, 10.0);
    add(Some("\u{ad}"), 15.0, 10.0);
    add(Some("x"), f64::NAN, 10.0);
    add(Some("x"), f64::INFINITY, 10.0);
    add(Some("x"), 20.0, 0.0);
    let told = lines.finish();
    assert_eq!(told, PageText { text: "ffi[2J\u{fffd}-".into(), unknown: 1, glyphs: 4 });
    assert_eq!(Lines::default().finish(), PageText::default());
}

#[test]
fn pdf_lines_have_maximum_length() {
    let words: Vec<String> = (0..2000).map(|n| format!("w{n}")).collect();
    let mut x = 0.0;
    let mut placed = Vec::new();
    for word in &words {
        placed.push((x, 0.0, word.as_str()));
        x += word.len() as f64 * 5.0 + 3.0;
    }
    let text = page(&placed);
    assert!(text.lines().all(|line| line.chars().count() <= LINE_MAX), "{text}");
    assert!(text.split_whitespace().eq(words.iter()), "{text}");
}
