//! Random Vim scripts: a text and keys, written as `play.vim` reads them.
//!
//! Left out is what `docs/vim.md` calls different on purpose (`=`, `gq`, `gc`, `:s///c`, the clipboard),
//! what Neovim lacks (tree-sitter objects) and what depends on the height of the window.

use proptest::prelude::RngExt;
use proptest::test_runner::{TestRng, TestRunner};

use super::seeds;
use super::vim_lines::LINES;

/// Every script begins with these keys: one Neovim plays many scripts and remembers the selection, the
/// character, the substitution and change of the script before.
const FIRST: &str = "v<Esc>fz:s/zz/y/e<CR>i<Esc>";

/// A text and the keys that are pressed on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Line feeds and tabs are written `\n` and `\t`.
    pub text: String,
    /// Whole commands, keys as Vim writes them.
    pub commands: Vec<String>,
}

impl Script {
    /// The line of the script as `play.vim` reads it.
    pub fn line(&self) -> String {
        format!("{}\t{FIRST}{}", self.text, self.commands.concat())
    }

    /// The same with fewer commands: one less each.
    pub fn shorter(&self) -> Vec<Self> {
        let without = |n: usize| {
            let mut script = self.clone();
            script.commands.remove(n);
            script
        };
        (0..self.commands.len()).rev().map(without).collect()
    }
}

/// So many scripts of the seed that holds for this run.
pub fn scripts(count: usize) -> Vec<Script> {
    let mut runner = TestRunner::new(seeds::cases(1));
    (0..count).map(|_| ScriptGenerator::new(runner.new_rng()).script()).collect()
}

/// Makes one script.
struct ScriptGenerator {
    rng: TestRng,
    /// Whether keys were recorded, so that they can be replayed.
    recorded: bool,
    /// Whether the mark was set.
    marked: bool,
    /// Whether `.` would make a change of a selection again that is another one in Neovim: a put, typing before it, a count.
    other_dot: bool,
    /// Whether the text is likely to be longer than one line still.
    long: bool,
}

impl ScriptGenerator {
    fn new(rng: TestRng) -> Self {
        Self { rng, recorded: false, marked: false, other_dot: false, long: false }
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.random_range(0..end)
    }

    fn one_chance_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn script(mut self) -> Script {
        let kind = self.below(LINES.len());
        let lines = if self.one_chance_in(30) { 0 } else { 1 + self.below(8) };
        self.long = lines > 3;
        let mut text = String::new();
        for _ in 0..lines {
            let kind = if self.one_chance_in(6) { self.below(LINES.len()) } else { kind };
            text.push_str(self.pick(LINES[kind]));
            text.push('\n');
        }
        if self.one_chance_in(8) {
            text.pop();
        }
        let text = text.replace('\n', "\\n").replace('\t', "\\t");
        let text = if text.is_empty() { "\\n".to_string() } else { text };
        let commands = (0..2 + self.below(7)).map(|_| self.command()).collect();
        Script { text, commands }
    }

    /// One whole command of Normal mode.
    fn command(&mut self) -> String {
        let kind = self.below(100);
        // A motion, typing or a put takes no lines away.
        let keeps = matches!(kind, 0..20 | 48..60 | 72..79);
        let keys = self.command_of(kind);
        self.long &= keeps;
        keys
    }

    fn command_of(&mut self, kind: usize) -> String {
        match kind {
            0..20 => self.moving(),
            20..40 => self.operation(),
            40..48 => self.single(),
            48..60 => self.insertion(),
            60..72 => self.visual_selection(),
            72..79 => self.paste_command(),
            79..83 => self.undo_redo(),
            83..87 => self.repeat_command(),
            87..90 => self.recording(),
            90..92 => self.marking(),
            92..99 => self.line_command(),
            _ => format!("{}{}", self.count(), self.pick(&["<C-a>", "<C-x>"])),
        }
    }

    fn count(&mut self) -> String {
        if self.one_chance_in(5) { (2 + self.below(3)).to_string() } else { String::new() }
    }

    fn register(&mut self) -> &'static str {
        if self.one_chance_in(6) { self.pick(&["\"a", "\"b", "\"A", "\"_", "\"-"]) } else { "" }
    }

    /// A motion with its count.
    fn moving(&mut self) -> String {
        let plain = [
            "h", "l", "j", "k", "w", "b", "e", "ge", "W", "B", "E", "gE", "$", "^", "g_", "G", "gg", "}",
            "{", ")", "(", "%", "|", "+", "-", "_", "<Space>", "<BS>", "w", "j", "e", "l",
        ];
        match self.below(20) {
            0 => "0".to_string(),
            1..4 => {
                let (count, sign, c) = (self.count(), self.pick(&["f", "F", "t", "T"]), self.letter());
                format!("{count}{sign}{c}")
            }
            4 => format!("{}{}", self.count(), self.pick(&[";", ","])),
            5 => self.search(),
            6 => format!("{}{}", self.count(), self.pick(&["n", "N"])),
            7 => self.pick(&["*", "#", "g*", "g#"]).to_string(),
            _ => {
                let motion = self.pick(&plain);
                // In a text of one line Neovim 0.7.2 goes to its end by `{`, later ones do not.
                let motion = if motion == "{" && !self.long { "}" } else { motion };
                // A percentage of lines is another motion: `{count}%`.
                let count = if motion == "%" { String::new() } else { self.count() };
                format!("{count}{motion}")
            }
        }
    }

    fn letter(&mut self) -> &'static str {
        self.pick(&["a", "e", "o", "t", " ", ",", "(", ")", "x", "1"])
    }

    fn search(&mut self) -> String {
        format!("{}{}{}<CR>", self.count(), self.pick(&["/", "/", "?"]), self.pattern())
    }

    fn pattern(&mut self) -> &'static str {
        self.pick(&[
            "o",
            "the",
            "a",
            "e\\>",
            "\\<t",
            "[aeiou]",
            "^$",
            "\\s\\+",
            "x",
            "(",
            "a.",
            "\\d\\+",
            "é",
            "n$",
            "^ *",
            "\\(o\\|e\\)",
            "words\\?",
            "\\w\\+",
        ])
    }

    fn object(&mut self) -> String {
        let what = ["w", "W", "s", "p", "(", "[", "{", "<lt>", "\"", "'", "t", "b", "B", "w", "p"];
        format!("{}{}", self.pick(&["i", "a"]), self.pick(&what))
    }

    /// An operator with its motion or object, and what is typed where it types.
    fn operation(&mut self) -> String {
        let operators = ["d", "d", "d", "y", "y", "c", "c", ">", "<lt>", "gu", "gU", "g~"];
        let op = self.pick(&operators);
        let mut keys = format!("{}{}{op}", self.register(), self.count());
        match self.below(20) {
            0..4 => {
                keys.push_str(&self.count());
                // A doubled operator of two keys is written with its last one.
                keys.push_str(op.strip_prefix('g').unwrap_or(op));
            }
            4..10 => keys.push_str(&self.object()),
            10 if !op.starts_with('g') => {
                keys.push_str(self.pick(&["v", "V"]));
                keys.push_str(&self.moving());
            }
            // Letters that a motion to where it began takes none of: Neovim changes one, or a line of them.
            _ if op.starts_with('g') => keys.push_str(self.pick(&[
                "w", "e", "W", "E", "b", "ge", "$", "g_", "}", ")", "j", "k", "G", "gg", "fa", "t,", "Fo",
                "l", "2w", "3l", "+", "-", "_",
            ])),
            _ => keys.push_str(&self.moving()),
        }
        if op == "c" {
            // Where the motion fails these are commands.
            keys.push_str(self.word());
            keys.push_str("<Esc>");
        } else {
            // An operator without its motion would take the next command for it.
            keys.push_str("<Esc>");
        }
        keys
    }

    /// Commands of a key or two.
    fn single(&mut self) -> String {
        // `Y` is mapped in Neovim, and a mapped key behind one that failed is lost in a script.
        let keys = ["x", "X", "D", "J", "gJ", "~", "r", "s", "S", "C", "y$", "R", "x", "J", "~"];
        let (register, count, key) = (self.register(), self.count(), self.pick(&keys));
        match key {
            "r" => format!("{count}r{}<Esc>", self.pick(&["z", "é", " ", "<CR>"])),
            "s" | "S" | "C" => {
                format!("{register}{count}{key}{}<Esc>", self.typed())
            }
            "R" => {
                let back = if self.one_chance_in(3) { "<BS><BS>" } else { "" };
                format!("{count}R{}{back}<Esc>", self.pick(&["xy", "Q", "a b", "long words over"]))
            }
            "x" | "X" | "D" | "y$" => format!("{register}{count}{key}"),
            _ => format!("{count}{key}"),
        }
    }

    fn insertion(&mut self) -> String {
        let begin = ["i", "a", "I", "A", "o", "O", "gI", "o", "O", "i", "a", "A", "gi"];
        format!("{}{}{}<Esc>", self.count(), self.pick(&begin), self.typed())
    }

    fn word(&mut self) -> &'static str {
        // A `-` behind a letter is no sign of a number here.
        self.pick(&["new", "a b", "x", "é", "  ", "foo,", ")", "one two ", "W", " -1", "", "t. T"])
    }

    /// What is typed in Insert mode.
    fn typed(&mut self) -> String {
        let mut keys = String::new();
        for _ in 0..=self.below(3) {
            let special = [
                "<C-w>", "<C-u>", "<BS>", "<C-h>", "<C-t>", "<C-d>", "<CR>", "<Del>", "<Left>", "<Right>",
                // Other registers may hold lines, whose indentation grows in Neovim.
                "<Home>", "<End>", "<C-r>/", "<C-o>w", "<C-o>x", "<C-o>D", "<Tab>",
            ];
            keys.push_str(if self.one_chance_in(4) { self.pick(&special) } else { self.word() });
        }
        keys
    }

    /// A selection and what is done with it.
    fn visual_selection(&mut self) -> String {
        let begin = self.pick(&["v", "v", "V", "<C-v>"]);
        let mut keys = begin.to_string();
        if self.one_chance_in(8) {
            keys.push_str(self.pick(&["j", "l", "w", "$"]));
            keys.push_str(self.pick(&["<Esc>gv", "<Esc>0gv"]));
        }
        for _ in 0..=self.below(3) {
            keys.push_str(&match self.below(10) {
                0 => self.pick(&["o", "O"]).to_string(),
                1..4 if begin == "v" => self.object(),
                1..5 => self.pick(&["j", "l", "w", "$", "e", "2l", "2j", "G"]).to_string(),
                _ => self.moving(),
            });
        }
        let ends = [
            "d", "y", "c", "x", "X", "D", "Y", "s", "S", "C", "R", "u", "U", "~", "J", "gJ", ">", "<lt>",
            "p", "P", "r", "I", "A", "d", "y", "c", "g~", "gu", "gU", "<C-a>", "<C-x>", "g<C-a>", "<Esc>",
            "<Esc>",
        ];
        let end = self.pick(&ends);
        // Where `A` types behind characters and lines depends on the rectangles before in Neovim.
        let end = if end == "A" && begin != "<C-v>" { "I" } else { end };
        let register = if "dycxXDYsSCRpP".contains(end) { self.register() } else { "" };
        // The black hole has no text to put.
        let register = if "pP".contains(end) && register == "\"_" { "" } else { register };
        self.other_dot |=
            "pP".contains(end) || end == "I" && begin != "<C-v>" || end.ends_with("-a>") || end == "<C-x>";
        keys.push_str(register);
        keys.push_str(end);
        if end == "r" {
            keys.push_str(self.pick(&["z", "é", " "]));
        }
        if "csSCRIA".contains(end) {
            keys.push_str(&self.typed());
        }
        keys.push_str("<Esc>");
        keys
    }

    fn paste_command(&mut self) -> String {
        let register =
            if self.one_chance_in(3) { self.pick(&["\"a", "\"b", "\"0", "\"1", "\"-", "\"2"]) } else { "" };
        format!("{register}{}{}", self.count(), self.pick(&["p", "P", "p", "P", "gp", "gP"]))
    }

    /// Changes, steps back, and steps forward. Neovim counts a command that changes nothing (`~` on a sign, a `p` that
    /// fails) as a step, here there is none: no more is undone than was certainly changed right before.
    fn undo_redo(&mut self) -> String {
        let changes = 1 + self.below(3);
        let mut keys = String::new();
        for _ in 0..changes {
            let change = match self.below(8) {
                0 => "dd".to_string(),
                1 => "yyp".to_string(),
                2 => "yyP".to_string(),
                3 => format!("cc{}<Esc>", self.pick(&["new", "one two ", "x"])),
                4 => format!("{}{}<Esc>", self.pick(&["o", "O"]), self.pick(&["new", "a b", "é"])),
                5 => ":t.<CR>".to_string(),
                _ => format!(
                    "{}{}{}<Esc>",
                    self.count(),
                    self.pick(&["i", "a", "I", "A"]),
                    self.pick(&["new", "x"])
                ),
            };
            keys.push_str(&change);
            if self.one_chance_in(3) {
                keys.push_str(&self.moving());
            }
        }
        let times = |n: usize| if n > 1 { n.to_string() } else { String::new() };
        let back = 1 + self.below(changes);
        keys.push_str(&format!("{}u", times(back)));
        if self.one_chance_in(2) {
            let forward = 1 + self.below(back);
            keys.push_str(&format!("{}<C-r>", times(forward)));
        }
        keys
    }

    /// What makes something that was done before again.
    fn repeat_command(&mut self) -> String {
        if self.one_chance_in(3) {
            return self.pick(&["&", ":&&<CR>", "g&"]).to_string();
        }
        if self.recorded && self.one_chance_in(4) {
            return format!("{}@@", self.count());
        }
        if self.other_dot {
            return self.moving();
        }
        format!("{}.", self.count())
    }

    fn recording(&mut self) -> String {
        let mut keys = "qq".to_string();
        for _ in 0..=self.below(3) {
            let command = match self.below(4) {
                0 => self.moving(),
                1 => self.operation(),
                2 => self.single(),
                _ => self.insertion(),
            };
            keys.push_str(&command);
        }
        self.recorded = true;
        format!("{keys}q{}@q", self.count())
    }

    fn marking(&mut self) -> String {
        if self.marked && self.one_chance_in(2) {
            // Within its line a mark moves with edits on purpose.
            let op = self.pick(&["", "d", "y", "c"]);
            return format!("{op}'m<Esc>");
        }
        self.marked = true;
        format!("mm{}", self.moving())
    }

    fn range(&mut self) -> &'static str {
        self.pick(&["", "", "%", "%", "2", "$", ".,$", "1,3", ".,+1", "-", "1;+1"])
    }

    fn substitution(&mut self) -> String {
        let new = [
            "X",
            "<&>",
            "",
            "\\U&",
            "\\u&",
            "\\L&x",
            "\\u\\0\\E!",
            "\\l&",
            "[\\0]",
            "\\r",
            "\\1-",
            "a\\tb",
            "~",
            "\\&",
            "\\U&\\E&",
        ];
        let new = self.pick(&new).replace('<', "<lt>");
        format!("s/{}/{new}/{}", self.pattern(), self.pick(&["", "g", "g", "gi", "e"]))
    }

    /// A command line.
    fn line_command(&mut self) -> String {
        let target = self.pick(&["0", "$", ".", "1", "+1", "-2"]);
        let line = match self.below(16) {
            0..5 => format!("{}{}", self.range(), self.substitution()),
            5 => format!("{}m{target}", self.range()),
            6 => format!("{}t{target}", self.range()),
            7 => format!("{}{}", self.range(), self.pick(&["d", "d a", "y", "y b", "j", "j!", "d 2"])),
            8 => format!(
                "{}{}",
                self.range(),
                self.pick(&[">", "<lt>", ">>", "pu", "pu!", "pu a", "normal x", "normal Az"])
            ),
            9 => format!("%{}", self.pick(&["sort", "sort!", "sort n", "sort u"])),
            10..14 => self.global(),
            14 => format!("{}normal {}", self.range(), self.pick(&["x", "A;", "Iy", "dw", "~", "J", "cwz"])),
            _ => self.pick(&["3", "$", "1", "+", "-"]).to_string(),
        };
        format!(":{line}<CR>")
    }

    fn global(&mut self) -> String {
        let command = match self.below(9) {
            0..3 => "d".to_string(),
            3 => "m0".to_string(),
            4 => self.pick(&["m$", "t.", "t0", "t$", "j", ">", "<lt>", "pu"]).to_string(),
            5..7 => self.substitution(),
            _ => format!("normal {}", self.pick(&["x", "A;", "Iy", "dw", "~", "dd", "J"])),
        };
        let sign = self.pick(&["g", "g", "v", "g!"]);
        format!("{sign}/{}/{command}", self.pattern())
    }
}
