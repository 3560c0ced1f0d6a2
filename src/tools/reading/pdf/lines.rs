//! Assembles lines of text from positioned glyphs.
//!
//! Pure. Pages are nearly always written in reading order, so that order is kept; only if it makes no sense
//! are lines sorted by position, top to bottom.

use super::content::Glyph;

/// Minimum gap between two words, for font size 1. TeX shrinks blanks to 0.22, and further if needed.
const WORD_GAP: f64 = 0.12;
/// Minimum gap between two columns of a table, which get two blanks.
const CELL_GAP: f64 = 1.5;
/// Maximum distance that a glyph may move back within its line: accents over letters do.
const BACKSTEP_MAX: f64 = 1.0;
/// Maximum vertical distance of a glyph from its line: superscripts have one.
const SUPERSCRIPT_MAX: f64 = 0.5;
/// Maximum distance of a repeated glyph, which produces bold.
const REPEAT_GAP: f64 = 0.15;
/// Line distance, relative to the usual one, that separates paragraphs.
const PARAGRAPH_FACTOR: f64 = 1.4;
/// Maximum number of upward jumps on a page of columns; with more, and in more than a fourth of its lines,
/// the order is discarded.
const COLUMNS_MAX: usize = 6;
/// Number of recent lines that may be repeated.
const DOUBLES: usize = 8;
/// Sizes of programs on a page.
const PITCHES_MAX: usize = 8;
/// Number of directions that are distinguished in sorting.
const DIRECTIONS: usize = 90;
/// Blanks in a row.
const BLANKS_MAX: usize = 60;
/// Maximum characters of a line, so that a page is never one line of a megabyte.
const LINE_MAX: usize = 1000;

/// The text of a page.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PageText {
    /// Its lines.
    pub text: String,
    /// Number of glyphs with unknown text, written as U+FFFD.
    pub unknown: usize,
    /// All glyphs.
    pub glyphs: usize,
}

/// Collects the glyphs of a page.
#[derive(Debug, Default)]
pub struct Lines {
    done: Vec<Line>,
    now: Option<Line>,
    page_text: PageText,
}

/// Glyphs in a row.
#[derive(Debug, Clone)]
struct Line {
    text: String,
    /// Its direction, of length 1.
    direction: (f64, f64),
    /// Its start and end along the direction.
    from: f64,
    to: f64,
    /// Its offset perpendicular to the direction.
    height: f64,
    size: f64,
    /// The width of its glyphs if all are equal, as in program code; otherwise zero.
    pitch: f64,
    /// The start of its last glyph, and that glyph.
    last: (f64, String),
}

impl Lines {
    /// Adds a glyph.
    pub fn add(&mut self, glyph: Glyph<'_>) {
        let places = [glyph.from.0, glyph.from.1, glyph.to.0, glyph.to.1, glyph.size];
        if glyph.size <= f64::EPSILON || places.iter().any(|place| !place.is_finite()) {
            return;
        }
        self.page_text.glyphs += 1;
        self.page_text.unknown += usize::from(glyph.text.is_none());
        let text = plain(glyph.text.unwrap_or("\u{fffd}"));
        let direction = (glyph.to.0 - glyph.from.0, glyph.to.1 - glyph.from.1);
        let length = direction.0.hypot(direction.1);
        let along = match &self.now {
            _ if length > f64::EPSILON => (direction.0 / length, direction.1 / length),
            Some(line) => line.direction,
            None => (1.0, 0.0),
        };
        let from = project(glyph.from, along);
        let piece = Line {
            last: (from, text.clone()),
            text,
            direction: along,
            from,
            to: from + length,
            height: project(glyph.from, (-along.1, along.0)),
            size: glyph.size,
            pitch: length,
        };
        match &mut self.now {
            Some(line) if line.is_repeated_glyph(&piece) => {}
            Some(line) if line.continues_with(&piece) => line.join(piece),
            now => {
                let before = now.replace(piece);
                self.done.extend(before);
            }
        }
    }

    /// The page's text.
    pub fn finish(mut self) -> PageText {
        self.done.extend(self.now.take());
        let mut lines: Vec<Line> = Vec::with_capacity(self.done.len());
        for line in self.done {
            let near = lines.len().saturating_sub(DOUBLES);
            if !line.text.trim().is_empty()
                && !lines[near..].iter().any(|other| other.is_repeated_line(&line))
            {
                lines.push(line);
            }
        }
        if is_unordered(&lines) {
            lines = sort_by_position(lines);
        }
        self.page_text.text = joined(&lines);
        self.page_text
    }
}

/// Returns the coordinate of a point along a direction.
fn project(point: (f64, f64), direction: (f64, f64)) -> f64 {
    point.0 * direction.0 + point.1 * direction.1
}

impl Line {
    /// Returns its direction, quantized.
    fn direction_index(&self) -> usize {
        let turns = self.direction.1.atan2(self.direction.0) / std::f64::consts::TAU;
        ((turns + 1.0) * DIRECTIONS as f64).round() as usize % DIRECTIONS
    }

    fn has_direction_of(&self, other: &Self) -> bool {
        project(self.direction, other.direction) > 0.99
    }

    /// Whether both are in one row, relative to the first's direction.
    fn in_row(&self, other: &Self) -> bool {
        self.has_direction_of(other)
            && (self.height - other.height).abs() <= SUPERSCRIPT_MAX * self.size.max(other.size)
    }

    fn continues_with(&self, next: &Self) -> bool {
        let size = self.size.max(next.size);
        self.in_row(next) && next.from - self.to >= -BACKSTEP_MAX * size
    }

    /// Whether a glyph repeats the last one.
    fn is_repeated_glyph(&self, glyph: &Self) -> bool {
        let near = |by: f64| by.abs() < REPEAT_GAP * self.size;
        self.last.1 == glyph.text
            && !glyph.text.trim().is_empty()
            && glyph.to - glyph.from > 2.0 * REPEAT_GAP * self.size
            && self.has_direction_of(glyph)
            && near(self.last.0 - glyph.from)
            && near(self.height - glyph.height)
    }

    /// Whether a line repeats this one.
    fn is_repeated_line(&self, line: &Self) -> bool {
        let near = |by: f64| by.abs() < REPEAT_GAP * self.size;
        self.text == line.text
            && self.has_direction_of(line)
            && near(self.from - line.from)
            && near(self.height - line.height)
    }

    fn join(&mut self, next: Self) {
        let gap = next.from - self.to;
        if (self.pitch - next.pitch).abs() > 0.02 * self.size {
            self.pitch = 0.0;
        }
        let blank = self.text.ends_with(' ') || next.text.starts_with(' ');
        let wide = self.text.chars().next_back().is_some_and(is_wide)
            && next.text.chars().next().is_some_and(is_wide);
        let size = self.size.max(next.size);
        if gap > if wide { CELL_GAP * size } else { WORD_GAP * size } && !(blank && gap < CELL_GAP * size) {
            let blanks = if self.pitch > 0.0 {
                (gap / self.pitch).round()
            } else {
                1.0 + f64::from(gap > CELL_GAP * size)
            };
            self.text.extend(std::iter::repeat_n(' ', (blanks as usize).clamp(1, BLANKS_MAX)));
        }
        self.text.push_str(&next.text);
        self.to = self.to.max(next.to);
        self.last = next.last;
        if next.size > self.size * 1.05 {
            (self.height, self.size) = (next.height, next.size);
        }
    }

    /// Whether its glyphs have equal widths as in program code, and not because all are digits.
    fn is_monospaced(&self) -> bool {
        self.pitch > 0.0 && self.text.chars().filter(|c| c.is_alphabetic()).nth(2).is_some()
    }

    /// Whether its glyphs have one of these widths and sizes.
    fn is_even(&self, pitches: &[(f64, f64)]) -> bool {
        let like = |a: f64, b: f64| (a - b).abs() < 0.02 * self.size;
        self.pitch > 0.0
            && pitches.iter().any(|(pitch, size)| like(*pitch, self.pitch) && like(*size, self.size))
    }
}

/// Whether the character is of a script without blanks between words; producers insert some between letters.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether lines jump about on their page.
fn is_unordered(lines: &[Line]) -> bool {
    let up = |pair: &&[Line]| {
        pair[0].has_direction_of(&pair[1]) && pair[1].height > pair[0].height + SUPERSCRIPT_MAX * pair[0].size
    };
    let ups = lines.windows(2).filter(up).count();
    ups > COLUMNS_MAX && ups * 4 > lines.len()
}

/// Sorts top to bottom and left to right; rotated lines are last.
fn sort_by_position(lines: Vec<Line>) -> Vec<Line> {
    let mut turns: Vec<(usize, Vec<Line>)> = Vec::new();
    for line in lines {
        let turn = line.direction_index();
        match turns.iter_mut().find(|(other, _)| *other == turn) {
            Some((_, same)) => same.push(line),
            None => turns.push((turn, vec![line])),
        }
    }
    let mut sorted = Vec::new();
    for (_, mut same) in turns {
        same.sort_by(|a, b| b.height.total_cmp(&a.height));
        let mut rows: Vec<Vec<Line>> = Vec::new();
        for line in same {
            match rows.last_mut() {
                Some(row) if row[0].in_row(&line) => row.push(line),
                _ => rows.push(vec![line]),
            }
        }
        for mut row in rows {
            row.sort_by(|a, b| a.from.total_cmp(&b.from));
            sorted.extend(row.into_iter().reduce(|mut whole, next| {
                whole.join(next);
                whole
            }));
        }
    }
    sorted
}

/// Joins lines, with a blank line between paragraphs.
fn joined(lines: &[Line]) -> String {
    let down =
        |a: &Line, b: &Line| a.has_direction_of(b).then_some(a.height - b.height).filter(|by| *by > 0.0);
    let mut steps: Vec<f64> = lines.windows(2).filter_map(|pair| down(&pair[0], &pair[1])).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len().saturating_sub(1) / 2).copied().unwrap_or(f64::MAX);
    let mut pitches = Vec::new();
    for line in lines.iter().filter(|line| line.is_monospaced()) {
        if pitches.len() < PITCHES_MAX && !line.is_even(&pitches) {
            pitches.push((line.pitch, line.size));
        }
    }
    let mut margins = [f64::MAX; DIRECTIONS];
    for line in lines.iter().filter(|line| line.is_even(&pitches)) {
        let margin = &mut margins[line.direction_index()];
        *margin = margin.min(line.from);
    }
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            text.push('\n');
            let near = down(&lines[at - 1], line).is_some_and(|by| by <= usual * PARAGRAPH_FACTOR)
                || lines[at - 1].in_row(line);
            text.push_str(if near { "" } else { "\n" });
        }
        if line.is_even(&pitches) {
            let before = line.text.len() - line.text.trim_start().len();
            let blanks =
                ((line.from - margins[line.direction_index()]) / line.pitch).round() as usize + before;
            text.extend(std::iter::repeat_n(' ', blanks.min(BLANKS_MAX)));
        }
        wrap(&mut text, line.text.trim());
    }
    text
}

/// Adds a line, wrapped if it is very long.
fn wrap(out: &mut String, line: &str) {
    let mut rest = line;
    while let Some((most, _)) = rest.char_indices().nth(LINE_MAX) {
        let at = rest[..most].rfind(' ').filter(|at| *at > 0).unwrap_or(most);
        out.push_str(rest[..at].trim_end());
        out.push('\n');
        rest = rest[at..].trim_start();
    }
    out.push_str(rest);
}

/// Normalizes a glyph's text: ligatures as letters, plain blanks, no control characters.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\u{ad}' => out.push('-'),
            '\t' | '\n' | '\r' | '\u{a0}' => out.push(' '),
            // Private use code points of bullets in symbol fonts.
            '\u{f0b7}' => out.push('•'),
            '\u{f0a7}' => out.push('▪'),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
