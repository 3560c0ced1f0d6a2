//! Neovim judges the Vim key map: scripts of keys come to the same text, cursor, registers and
//! mode there and here. What it answered is recorded; where the program is installed the record
//! itself is checked. `docs/vim.md` lists where the two differ on purpose; no script is about that.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use bowline::ide::core::keys::modal::{Modal, Mode};
use bowline::ide::core::layers::layer::Layers;
use bowline::ide::core::panes::Focus;
use bowline::ide::model::jumps::Jumps;
use bowline::ide::model::text_area::TextArea;
use bowline::text::clipboard::kill_ring::KillRing;
use bowline::text::clipboard::registers::Registers;
use bowline::text::document::Document;
use bowline::text::file_format::format::Format;
use bowline::tui::input::Key;

use crate::source::root;
use crate::support::test_ide::{IdeSetup, TestIde};

const VIM: &str = include_str!("../../keymaps/vim.toml");

pub fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures/vim").join(name)
}

/// The keys of a script, which is written as Vim writes keys.
fn keys(script: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|tail| tail.split_once('>'));
        let named =
            named.filter(|(name, _)| name.len() > 1 && name.chars().all(|c| c.is_alphabetic() || c == '-'));
        let key = named.and_then(|(name, tail)| {
            let name = match name {
                "Esc" => "Escape".to_string(),
                "CR" => "Enter".to_string(),
                "BS" => "Backspace".to_string(),
                "lt" => "<".to_string(),
                name if name.starts_with("C-") => name.replace("C-", "Ctrl-"),
                name => name.to_string(),
            };
            name.parse().ok().map(|key| (key, tail))
        });
        let (key, tail) = key.unwrap_or((Key::char(c), &rest[c.len_utf8()..]));
        keys.push(key);
        rest = tail;
    }
    keys
}

fn escape_whitespace(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t")
}

/// A ide for scripts: an open file and the keys of Vim, without pairs that close themselves.
pub async fn ide() -> TestIde {
    let mut ide = IdeSetup::new().keymap(VIM).with("a.txt", "").size(60, 30).start().await;
    ide.state().text_options.auto_pairs = false;
    ide
}

/// Plays one script here and tells what came of it, as `play.vim` does.
pub fn run_script(ide: &mut TestIde, script: &str) -> String {
    let (text, script) = script.split_once('\t').unwrap();
    let state = ide.state();
    state.kill_ring = KillRing::default();
    state.registers = Registers::default();
    state.jumps = Jumps::default();
    state.modal = Modal::new(state.keymap.modal_style());
    state.layers = Layers::default();
    state.pending.clear();
    state.pending_char = None;
    state.panes.focus = Focus::Editor;
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    state.buffers.current_mut().unwrap().area = TextArea::new(Document::new(&text, Format::default()));
    state.damage.add_all();
    ide.headless.press_all(keys(script));
    if !ide.state().layers.is_empty() || ide.state().modal.mode.is_typing() {
        ide.headless.press("Escape");
    }
    let state = ide.state();
    let mode = match state.modal.mode {
        Mode::Normal => "n",
        Mode::Visual => "v",
        Mode::VisualLine => "V",
        Mode::VisualBlock => "\u{16}",
        Mode::Insert | Mode::Replace => "i",
    };
    let register =
        |name| state.registers.read(&state.kill_ring, name).map(|c| c.joined()).unwrap_or_default();
    let registers: Vec<String> = "\"01-a".chars().map(|name| escape_whitespace(&register(name))).collect();
    let area = &state.buffers.current().unwrap().area;
    let (text, at) = (area.text(), area.caret());
    let line = text.line_of(at);
    let column = at - text.line_start(line);
    let whole = text.to_string();
    let whole = if whole.ends_with('\n') { whole } else { whole + "\n" };
    format!("{mode} {}:{}\t{}\t{}", line.0 + 1, column + 1, registers.join("\t"), escape_whitespace(&whole))
}

/// How many Neovims work at once: behind an error each of them waits a second before it types.
const PARALLEL_NEOVIMS: usize = 40;

/// The version that the records are of.
const RECORDED: &str = "NVIM v0.7.2";

/// What the installed Neovim makes of scripts, a line each; nothing where there is none of that version.
pub fn neovim(scripts: &str) -> Option<String> {
    // Other versions differ in details.
    let version = Command::new("nvim").arg("--version").output().ok()?.stdout;
    if !version.starts_with(RECORDED.as_bytes()) {
        return None;
    }
    let temp = tempfile::tempdir().unwrap();
    let scripts: Vec<&str> = scripts.lines().collect();
    let mut running = Vec::new();
    for (n, part) in scripts.chunks(scripts.len().div_ceil(PARALLEL_NEOVIMS)).enumerate() {
        let (asked, answers) =
            (temp.path().join(format!("{n}.asked")), temp.path().join(format!("{n}.answers")));
        std::fs::write(&asked, part.join("\n") + "\n").unwrap();
        let mut nvim = Command::new("nvim");
        // `matchit` has a `%` of its own.
        nvim.args(["--headless", "--clean", "--cmd", "let g:loaded_matchit = 1", "-S"])
            .arg(fixture("play.vim"));
        nvim.env("HOME", temp.path()).env("VIM_SCRIPTS", &asked).env("VIM_ANSWERS", &answers);
        nvim.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        running.push((nvim.spawn().ok()?, answers));
    }
    let mut all = String::new();
    for (mut nvim, answers) in running {
        assert!(nvim.wait().unwrap().success());
        all.push_str(&String::from_utf8_lossy(&std::fs::read(&answers).unwrap()));
    }
    Some(all)
}

#[tokio::test]
async fn vim_scripts_match_recorded_neovim() {
    let scripts = std::fs::read_to_string(fixture("scripts.txt")).unwrap();
    let answers = std::fs::read_to_string(fixture("answers.txt")).unwrap();
    assert_eq!(scripts.lines().count(), answers.lines().count());
    assert!(scripts.lines().count() >= 200);
    let mut ide = ide().await;
    let mut wrong = Vec::new();
    for (script, answer) in scripts.lines().zip(answers.lines()) {
        let ours = run_script(&mut ide, script);
        if ours != answer {
            wrong.push(format!("{script}\n  nvim {answer}\n  ours {ours}"));
        }
    }
    let total = scripts.lines().count();
    assert!(wrong.is_empty(), "{} of {total} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn vim_record_matches_installed_neovim() {
    let Some(answers) = neovim(&std::fs::read_to_string(fixture("scripts.txt")).unwrap()) else {
        eprintln!("skipped: there is no nvim 0.7.2 here; the recorded answers are still compared");
        return;
    };
    if std::env::var_os("BOWLINE_RECORD").is_some() {
        std::fs::write(fixture("answers.txt"), &answers).unwrap();
    }
    let recorded = std::fs::read_to_string(fixture("answers.txt")).unwrap();
    assert_eq!(answers, recorded, "BOWLINE_RECORD=1 records anew");
}
