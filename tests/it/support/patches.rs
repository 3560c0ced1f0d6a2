//! Patches that are made: most of them nearly right, as a model's are.

use std::collections::BTreeMap;

/// A line of numbers that a seed determines (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// True in so many of a hundred cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Lines of files; few, so that many occur several times.
const LINES: [&str; 16] = [
    "a",
    "b",
    "c",
    "",
    "  a",
    " b ",
    "\ta",
    "fn m() {",
    "}",
    "a b",
    "a\u{a0}b",
    "\u{2014}x",
    "-x",
    "\"q\"",
    "\u{201c}q\u{201d}",
    "é + 1",
];
/// Lines that damage a patch, or do not.
const ODD_LINES: [&str; 12] = [
    "junk",
    "",
    " ",
    "\t",
    "@@",
    "@@ zz",
    "*** End of File",
    "*** End Patch",
    "*** Begin Patch",
    "*** Move to: q",
    "*** Environment ID: e",
    "*** Delete File: f",
];

/// A patch and the files before it.
pub fn generate(seed: u64) -> (String, BTreeMap<String, String>) {
    let mut dice = Rng((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let lines: Vec<&str> = (0..dice.below(10)).map(|_| dice.pick(&LINES)).collect();
    let ending = dice.pick(&["\n", "\n", "\n", "\r\n", "\r"]);
    let mut text = String::new();
    for line in &lines {
        let ending = if dice.chance(95) { ending } else { "\n" };
        text.extend([line, ending]);
    }
    if dice.chance(20) {
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
    }
    let mut files = BTreeMap::from([("f".to_string(), text)]);
    if dice.chance(30) {
        files.insert("g".to_string(), "g\n".to_string());
    }
    let mut patch: Vec<String> = Vec::new();
    for _ in 0..dice.pick(&["1", "1", "1", "2", "3"]).parse().unwrap() {
        section(&mut dice, &lines, &mut patch);
    }
    if dice.chance(15) {
        damage(&mut dice, &mut patch);
    }
    (wrap_patch(&mut dice, &patch), files)
}

fn section(dice: &mut Rng, lines: &[&str], patch: &mut Vec<String>) {
    let name = dice.pick(&["f", "f", "f", "f", "g", "n", "d/n"]);
    match dice.below(100) {
        0..10 => patch.push(format!("*** Delete File: {name}")),
        10..22 => {
            patch.push(format!("*** Add File: {name}"));
            for _ in 0..dice.below(3) {
                patch.push(format!("+{}", dice.pick(&LINES)));
            }
        }
        _ => {
            patch.push(format!("*** Update File: {name}"));
            if dice.chance(15) {
                patch.push(format!("*** Move to: {}", dice.pick(&["g", "m", "d/m"])));
            }
            let mut from = 0;
            for at in 0..=dice.below(3) {
                from = chunk(dice, lines, (at, from), patch);
            }
        }
    }
}

/// A chunk, mostly after row `from` of the file; gives the row after it.
fn chunk(dice: &mut Rng, lines: &[&str], (at, from): (usize, usize), patch: &mut Vec<String>) -> usize {
    if at > 0 || dice.chance(60) {
        let below = if lines.is_empty() || dice.chance(70) { None } else { Some(dice.below(lines.len())) };
        patch.push(below.map_or("@@".to_string(), |row| format!("@@ {}", lines[row])));
    }
    let start = from + dice.below(lines.len() + 1 - from);
    let end = lines.len().min(start + dice.below(4));
    for line in &lines[start..end] {
        let line = match dice.below(20) {
            0..15 => (*line).to_string(),
            15..17 => line.trim().to_string(),
            17 => format!(" {line} "),
            _ => line.replace('\u{2014}', "-"),
        };
        let sign = dice.pick(&[" ", " ", "-"]);
        patch.push(if line.is_empty() && dice.chance(50) { line } else { format!("{sign}{line}") });
        if dice.chance(30) {
            patch.push(format!("+{}", dice.pick(&LINES)));
        }
    }
    if dice.chance(60) {
        patch.push(format!("+{}", dice.pick(&LINES)));
    }
    if dice.chance(15) {
        patch.push(dice.pick(&["", " ", "-", "+"]).to_string());
    }
    if dice.chance(12) {
        patch.push("*** End of File".to_string());
    }
    if dice.chance(85) { end } else { 0 }
}

fn damage(dice: &mut Rng, patch: &mut Vec<String>) {
    let at = dice.below(patch.len());
    match dice.below(4) {
        0 => {
            patch.remove(at);
        }
        1 => patch.insert(at, dice.pick(&ODD_LINES).to_string()),
        2 => patch[at].insert(0, ' '),
        _ => patch[at].push(' '),
    }
}

fn wrap_patch(dice: &mut Rng, patch: &[String]) -> String {
    let mut text = format!("*** Begin Patch\n{}\n*** End Patch", patch.join("\n"));
    if dice.chance(5) {
        text = text.replace('\n', "\r\n");
    }
    match dice.below(30) {
        0 => format!("<<'EOF'\n{text}\nEOF\n"),
        1 => format!("\n  {text} \n\n"),
        2 => text[..text.floor_char_boundary(dice.below(text.len()))].to_string(),
        _ => text,
    }
}
