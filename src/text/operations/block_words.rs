//! Keywords that delimit blocks, by file name: data for languages without brackets.
//!
//! Must not know files; a name is just a text.

/// A keyword that closes a block or one of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseWord {
    /// The keyword.
    word: &'static str,
    /// First words of the lines that it closes, separated by spaces; empty for all.
    of: &'static str,
}

/// The keywords of one language.
#[derive(Debug, PartialEq, Eq)]
pub struct BlockWords {
    /// First words of lines that open a block.
    first: &'static str,
    /// Last words of lines that open a block.
    last: &'static str,
    /// Words anywhere in lines that open a block.
    within: &'static str,
    /// Last words of lines that close again what they opened.
    ends: &'static str,
    /// The closing keywords.
    closes: &'static [CloseWord],
}

const fn close(word: &'static str, of: &'static str) -> CloseWord {
    CloseWord { word, of }
}

const NONE: BlockWords = BlockWords { first: "", last: "", within: "", ends: "", closes: &[] };

const CASES: BlockWords =
    BlockWords { closes: &[close("case", "case default"), close("default", "case default")], ..NONE };

const PYTHON: BlockWords = BlockWords {
    closes: &[
        close("elif", "if elif"),
        close("else", "if elif for while try except async"),
        close("except", "try except"),
        close("finally", "try except else"),
        close("case", "case"),
    ],
    ..NONE
};

const RUBY: BlockWords = BlockWords {
    first: "def class module if unless while until for case begin else elsif when in rescue ensure",
    last: "do begin then",
    within: "do",
    ends: "end }",
    closes: &[
        close("end", ""),
        close("else", "if unless elsif when in case rescue begin def"),
        close("elsif", "if elsif"),
        close("when", "when"),
        close("in", "in"),
        close("rescue", "begin def rescue do"),
        close("ensure", "begin def rescue else do"),
    ],
};

const LUA: BlockWords = BlockWords {
    first: "else repeat function",
    last: "then do repeat else",
    within: "function",
    ends: "end",
    closes: &[
        close("end", ""),
        close("else", "if elseif"),
        close("elseif", "if elseif"),
        close("until", "repeat"),
    ],
};

const SHELL: BlockWords = BlockWords {
    first: "else",
    last: "then do else in",
    within: "",
    ends: "fi done esac",
    closes: &[
        close("fi", "if elif else then"),
        close("else", "if elif then"),
        close("elif", "if elif then"),
        close("done", "for while until select do"),
        close("esac", "case"),
    ],
};

/// Returns the keywords for a file name extension, or for a whole name.
fn known(name: &str) -> Option<&'static BlockWords> {
    Some(match name {
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ino" | "cu" | "m" | "mm" | "js"
        | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "java" | "cs" | "go" | "php" | "dart" => {
            &CASES
        }
        "py" | "pyi" | "pyw" | "bzl" => &PYTHON,
        "rb" | "rake" | "gemspec" | "ru" | "Rakefile" | "Gemfile" | "Vagrantfile" | "Guardfile" => &RUBY,
        "lua" => &LUA,
        "sh" | "bash" | "zsh" | "ksh" | "bats" | "ebuild" | ".bashrc" | ".profile" | ".zshrc"
        | ".bash_profile" | "PKGBUILD" => &SHELL,
        _ => return None,
    })
}

/// Returns the keywords for a file name; empty if its type has none, or is unknown. Called for every typed
/// character.
pub fn for_file(name: &str) -> &'static BlockWords {
    let extension = || name.rsplit_once('.').and_then(|(_, extension)| known(extension));
    known(name).or_else(extension).unwrap_or(&NONE)
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word && !word.is_empty())
}

fn words(line: &str) -> impl DoubleEndedIterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '}'))).filter(|word| !word.is_empty())
}

/// Returns the first word of a line, if it starts with one.
fn first(line: &str) -> &str {
    let line = line.trim_start();
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
    &line[..end]
}

impl BlockWords {
    /// Whether a line opens a block that it does not close.
    pub fn open(&self, line: &str) -> bool {
        let last = words(line).next_back().unwrap_or_default();
        let begins = has(self.first, first(line)) || has(self.last, last);
        (begins || words(line).any(|word| has(self.within, word))) && !has(self.ends, last)
    }

    /// Whether any closing keyword ends with a character.
    pub fn ends_closing(&self, c: char) -> bool {
        self.closes.iter().any(|close| close.word.ends_with(c))
    }

    /// Returns what a keyword closes that is alone in its line.
    pub fn closing(&self, word: &str) -> Option<CloseWord> {
        self.closes.iter().find(|close| close.word == word).copied()
    }
}

impl CloseWord {
    /// Whether it closes what a line opens.
    pub fn closes(self, line: &str) -> bool {
        self.of.is_empty() || has(self.of, first(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_words_open_blocks() {
        let ruby = for_file("a.rb");
        for line in ["def é(x)", "  a.each do |x|", "x = foo do", "else", "when 1, 2"] {
            assert!(ruby.open(line), "{line}");
        }
        for line in ["def a; end", "a.each do |x| b end", "defer x", "x.if", "redo", "", "a = { b: 1 }"] {
            assert!(!ruby.open(line), "{line}");
        }
        let lua = for_file("x/a.lua");
        assert!(
            lua.open("local f = function(a, b)")
                && lua.open("if é then")
                && !lua.open("return function() end")
        );
        assert!(
            for_file("a.sh").open("for x in a; do")
                && for_file(".bashrc").open("case $x in")
                && !for_file("a.sh").open("done")
        );
        assert!(!for_file("a.rs").open("else") && !for_file("notes").open("def a"));
    }

    #[test]
    fn block_words_close_matching_openers() {
        let close = for_file("a.py").closing("else").unwrap();
        assert!(close.closes("if a:") && !close.closes("def a:") && !close.closes("iffy"));
        assert!(
            for_file("a.rb").closing("end").unwrap().closes("anything")
                && for_file("a.py").closing("end").is_none()
        );
    }
}
