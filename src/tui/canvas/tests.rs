//! Tests of drawing and clipping.

use super::*;

/// Draws on a row of dots with a clip and returns it, empty cells as `_`.
fn drawn(cols: u16, clip: Rect, draw: impl FnOnce(&mut Canvas<'_>)) -> String {
    let area = Rect::new(0, 0, cols, 1);
    let mut buffer = Buffer::filled(area, ratatui::buffer::Cell::new("."));
    draw(&mut Canvas::new(&mut buffer, area, clip, &Theme::builtin(), ColorDepth::True));
    let symbol = |x: u16| match buffer[(x, 0)].symbol() {
        "" => "_".to_string(),
        other => other.to_string(),
    };
    (0..cols).map(symbol).collect()
}

fn text(cols: u16, text: &str) -> String {
    drawn(cols, Rect::new(0, 0, cols, 1), |canvas| {
        canvas.text(0, 0, text, Style::new());
    })
}

#[test]
fn canvas_graphemes_take_their_cells() {
    assert_eq!(text(8, "a漢e\u{301}b"), "a漢_e\u{301}b...");
    assert_eq!(text(6, "👩\u{200d}👩\u{200d}👧x"), "👩\u{200d}👩\u{200d}👧_x...");
    assert_eq!(text(4, "\u{301}a"), "◌\u{301}a..");
}

#[test]
fn canvas_control_characters_are_escaped() {
    assert_eq!(text(12, "a\tb\x1b[m\r\nc"), "a b␛[m␍␊c...");
    assert_eq!(text(16, "x\u{202e}y\u{9b}z"), "x<U+202E>y<9B>z.");
}

#[test]
fn canvas_wide_character_at_edge_is_blank() {
    assert_eq!(text(4, "abc漢"), "abc ");
    assert_eq!(text(3, "漢漢"), "漢_ ");
    let clipped = drawn(6, Rect::new(1, 0, 2, 1), |canvas| {
        assert_eq!(canvas.text(0, 0, "漢漢漢", Style::new()), 6);
    });
    assert_eq!(clipped, ".  ...");
}

#[test]
fn canvas_overwritten_wide_half_is_blanked() {
    let over = |x: u16, what: &'static str| {
        drawn(6, Rect::new(0, 0, 6, 1), move |canvas| {
            canvas.text(0, 0, "漢漢漢", Style::new());
            canvas.text(x, 0, what, Style::new());
        })
    };
    assert_eq!(over(1, "x"), " x漢_漢_");
    assert_eq!(over(2, "x"), "漢_x 漢_");
    assert_eq!(over(1, "字"), " 字_ 漢_");
    let filled = drawn(6, Rect::new(0, 0, 6, 1), |canvas| {
        canvas.text(0, 0, "漢漢漢", Style::new());
        canvas.fill(Rect::new(1, 0, 2, 1), Style::new());
    });
    assert_eq!(filled, "    漢_");
    let untouched = drawn(6, Rect::new(0, 0, 6, 1), |canvas| {
        canvas.text(0, 0, "漢漢漢", Style::new());
        canvas.fill(Rect::new(1, 0, 0, 1), Style::new());
    });
    assert_eq!(untouched, "漢_漢_漢_");
}

#[test]
fn canvas_sub_has_own_coordinates_and_clips() {
    let row = drawn(8, Rect::new(0, 0, 8, 1), |canvas| {
        let mut part = canvas.sub(Rect::new(2, 0, 3, 5));
        assert_eq!((part.size(), part.dirty_rows()), ((3, 5), 0..1));
        part.text(1, 0, "abcdef", Style::new());
        part.sub(Rect::new(9, 0, 3, 1)).text(0, 0, "no", Style::new());
    });
    assert_eq!(row, "...ab...");
}

#[test]
fn canvas_out_of_range_is_ignored() {
    let row = drawn(3, Rect::new(0, 0, 3, 1), |canvas| {
        canvas.text(u16::MAX, 0, "漢a", Style::new());
        canvas.text(0, u16::MAX, "a", Style::new());
        canvas.fill(Rect::new(1, 0, u16::MAX, u16::MAX), Style::new());
    });
    assert_eq!(row, ".  ");
}

#[test]
fn canvas_combining_marks_are_limited() {
    let pile = format!("a{}", "\u{301}".repeat(1000));
    let row = text(3, &pile);
    assert!(row.ends_with("..") && row.starts_with('a'));
}

#[test]
fn canvas_accessible_draws_signs_in_ascii_and_content_as_it_is() {
    let mut selected = None;
    let row = drawn(12, Rect::new(0, 0, 12, 1), |canvas| {
        let mut canvas = canvas.sub(Rect::new(0, 0, 12, 1)).accessible(&mut selected);
        canvas.text(0, 0, "│ ▸ a", Style::new());
        canvas.content(6, 0, "│→", Style::new());
        canvas.put_symbol(9, 0, "●", Style::new());
        canvas.select_row(Rect::new(0, 0, 12, 1), Style::new());
    });
    assert_eq!((row.as_str(), selected), ("> > a.│→.*..", Some((0, 0))));
}
