//! GNU Emacs judges the kill ring: scripts of kills, yanks and motions, made from a fixed seed,
//! come to the same text and point here as there. What it answered is recorded; where the
//! program is installed the record itself is checked.
//!
//! One thing differs on purpose, and the scripts' player does the same: killing nothing, at an end
//! of the text, makes no empty entry and ends no chain of kills. The texts are of one writing
//! system, because words end there where the system changes, which is no matter of the kill ring.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use bowline::ide::core::panes::Focus;
use bowline::ide::model::text_area::TextArea;
use bowline::text::clipboard::kill_ring::KillRing;
use bowline::text::document::Document;
use bowline::text::file_format::format::Format;

use crate::source::root;
use crate::support::test_ide::{IdeSetup, TestIde};

/// How many scripts.
const SCRIPTS: usize = 300;

/// Their commands there, the keys here, and how often they come.
const COMMANDS: &[(&str, &str, u64)] = &[
    ("kill-line", "Ctrl-k", 5),
    ("kill-word", "Alt-d", 5),
    ("backward-kill-word", "Ctrl-w", 4),
    ("yank", "Ctrl-y", 5),
    ("yank-pop", "Alt-y", 4),
    ("copy-word", "", 2),
    ("forward-char", "Right", 2),
    ("backward-char", "Left", 2),
    ("forward-word", "Ctrl-Right", 3),
    ("backward-word", "Ctrl-Left", 3),
    ("move-end-of-line", "Ctrl-e", 2),
    ("beginning-of-buffer", "Ctrl-Home", 1),
    ("end-of-buffer", "Ctrl-End", 1),
];

const TEXTS: &[&str] = &[
    "one two three\\nfour five six\\n\\nseven, eight; nine",
    "größe änderung\\nĉielo (naïve) x\\n",
    "  a.b.c  d\\ne",
    "single",
    "\\n\\nlines\\n\\n",
    "tail  ",
];

/// Numbers that look random and are always the same: a linear congruence, high bits.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// The scripts, one a line: the text, a tab, commands.
fn scripts() -> String {
    let mut numbers = Rng(20_251_121);
    let total: u64 = COMMANDS.iter().map(|(_, _, weight)| weight).sum();
    let mut out = String::new();
    for n in 0..SCRIPTS {
        let length = 3 + numbers.below(18);
        let commands: Vec<&str> = (0..length)
            .map(|_| {
                let mut at = numbers.below(total);
                let row = COMMANDS.iter().find(|(_, _, weight)| {
                    let here = at < *weight;
                    at = at.saturating_sub(*weight);
                    here
                });
                row.unwrap().0
            })
            .collect();
        writeln!(out, "{}\t{}", TEXTS[n % TEXTS.len()], commands.join(" ")).unwrap();
    }
    out
}

fn record() -> PathBuf {
    root().join("tests/fixtures/emacs/answers.txt")
}

/// Plays one script here: the point in characters and the text.
fn play(ide: &mut TestIde, script: &str) -> String {
    let (text, commands) = script.split_once('\t').unwrap();
    let state = ide.state();
    state.kill_ring = KillRing::default();
    state.panes.focus = Focus::Editor;
    let document = Document::new(&text.replace("\\n", "\n"), Format::default());
    state.buffers.current_mut().unwrap().area = TextArea::new(document);
    state.damage.add_all();
    for command in commands.split(' ') {
        let (name, keys, _) = COMMANDS.iter().find(|(name, ..)| *name == command).unwrap();
        if *name != "copy-word" {
            ide.headless.press(keys);
            continue;
        }
        ide.headless.press("Ctrl-Shift-Right");
        if ide.selected_texts()[0].is_empty() {
            continue;
        }
        ide.headless.press("Ctrl-c");
        ide.headless.press("Right");
    }
    let area = &ide.state().buffers.current().unwrap().area;
    let text = area.text().to_string();
    let point = text[..area.selection.primary().head.0].chars().count();
    format!("{point}\t{}", text.replace('\n', "\\n"))
}

#[tokio::test]
async fn kill_ring_matches_recorded_emacs() {
    let answers = std::fs::read_to_string(record()).unwrap();
    let mut ide = IdeSetup::new().with("a.txt", "").start().await;
    ide.state().text_options.auto_pairs = false;
    let scripts = scripts();
    let mut wrong = Vec::new();
    assert_eq!(scripts.lines().count(), answers.lines().count());
    for (script, answer) in scripts.lines().zip(answers.lines()) {
        let ours = play(&mut ide, script);
        if ours != answer {
            wrong.push(format!("{script}\n  emacs {answer}\n  ours  {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {SCRIPTS} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn kill_ring_record_matches_installed_emacs() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("scripts.txt");
    std::fs::write(&path, scripts()).unwrap();
    let play = root().join("tests/fixtures/emacs/play.el");
    let mut emacs = Command::new("emacs");
    emacs.args(["--batch", "-Q", "-l"]).arg(play).arg(&path).env("HOME", temp.path());
    let Ok(output) = emacs.output() else {
        eprintln!("skipped: there is no emacs here; the recorded answers are still compared");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    if std::env::var_os("BOWLINE_RECORD").is_some() {
        std::fs::write(record(), &answers).unwrap();
    }
    assert_eq!(answers, std::fs::read_to_string(record()).unwrap(), "BOWLINE_RECORD=1 records anew");
}
