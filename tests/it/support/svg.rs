//! Pictures of screens as SVG, for the README: each run of cells with one style is a text of exactly its width.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// Pixels of a cell.
const CELL: (f32, f32) = (8.4, 18.0);
/// Pixels from the top of a row to the line that its letters stand on.
const BASELINE: f32 = 13.5;
/// Pixels around the screen.
const MARGIN: f32 = 8.0;

/// Returns a screen as SVG. Colors of the terminal's own, which have no value, are those of `ground`.
pub fn svg(screen: &Buffer, ground: (Color, Color)) -> String {
    let (cols, rows) = (screen.area.width, screen.area.height);
    let (width, height) = (f32::from(cols) * CELL.0 + 2.0 * MARGIN, f32::from(rows) * CELL.1 + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        hex(ground.1, ground.1)
    );
    for y in 0..rows {
        let row: Vec<&Cell> = (0..cols).map(|x| &screen[(x, y)]).collect();
        for (x, cells) in runs(&row, |cell| colors(cell, ground).1) {
            let fill = colors(cells[0], ground).1;
            if fill != hex(ground.1, ground.1) {
                let (left, top) = (MARGIN + x as f32 * CELL.0, MARGIN + f32::from(y) * CELL.1);
                let wide = cells.len() as f32 * CELL.0;
                writeln!(
                    out,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" fill=\"{fill}\"/>",
                    CELL.1
                )
                .unwrap();
            }
        }
        for (x, cells) in runs(&row, |cell| (colors(cell, ground).0, cell.modifier)) {
            let text: String = cells.iter().map(|cell| cell.symbol()).collect();
            let begins = text.len() - text.trim_start().len();
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let (left, top) =
                (MARGIN + (x + begins) as f32 * CELL.0, MARGIN + f32::from(y) * CELL.1 + BASELINE);
            let fill = colors(cells[0], ground).0;
            writeln!(
                out,
                "<text x=\"{left:.1}\" y=\"{top:.1}\" textLength=\"{:.1}\" fill=\"{fill}\"{} xml:space=\"preserve\">{}</text>",
                text.width() as f32 * CELL.0,
                attributes(cells[0].modifier),
                escaped(text)
            )
            .unwrap();
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Returns the runs of cells for which a key is the same, with their columns.
fn runs<'a, K: PartialEq>(row: &[&'a Cell], key: impl Fn(&Cell) -> K) -> Vec<(usize, Vec<&'a Cell>)> {
    let mut runs: Vec<(usize, Vec<&Cell>)> = Vec::new();
    for (x, cell) in row.iter().enumerate() {
        match runs.last_mut() {
            Some((_, cells)) if key(cells[0]) == key(cell) => cells.push(cell),
            _ => runs.push((x, vec![cell])),
        }
    }
    runs
}

/// Returns the colors of the letters and of the ground.
fn colors(cell: &Cell, ground: (Color, Color)) -> (String, String) {
    let (letters, behind) = (hex(cell.fg, ground.0), hex(cell.bg, ground.1));
    if cell.modifier.contains(Modifier::REVERSED) { (behind, letters) } else { (letters, behind) }
}

fn hex(color: Color, own: Color) -> String {
    match (color, own) {
        (Color::Rgb(r, g, b), _) | (Color::Reset, Color::Rgb(r, g, b)) => format!("#{r:02x}{g:02x}{b:02x}"),
        (color, _) => panic!("{color:?} has no value: draw the picture with true colors"),
    }
}

fn attributes(modifier: Modifier) -> String {
    let all = [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::DIM, " opacity=\"0.6\""),
    ];
    all.into_iter().filter(|(flag, _)| modifier.contains(*flag)).map(|(_, text)| text).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
