//! Formatting rules of a project for its files, from the `.editorconfig` files in the folders above a file.
//!
//! Must not know how they are applied. Blocking, but bounded: one small file per folder.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use ec4rs::property::{
    Charset, EndOfLine, FinalNewline, IndentSize, IndentStyle, MaxLineLen, TabWidth, TrimTrailingWs,
};
use ec4rs::{ConfigParser, Properties, Section};

/// Name of the files.
pub const NAME: &str = ".editorconfig";
/// Maximum bytes; longer files are ignored.
const BYTES_MAX: u64 = 1 << 20;
/// Maximum columns of a tab stop.
const WIDTH_MAX: usize = 16;

/// The rules for one file; a `None` field means no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// Whether indentation uses tabs.
    pub use_tabs: Option<bool>,
    /// Columns per indentation level, from 1.
    pub indent: Option<usize>,
    /// Columns between tab stops, from 1.
    pub tab_width: Option<usize>,
    /// The line ending.
    pub line_ending: Option<LineEndingRule>,
    /// The encoding.
    pub charset: Option<FileEncoding>,
    /// Whether trailing white space is removed when the file is saved.
    pub trim_trailing: Option<bool>,
    /// Whether a final line ending is added or removed when the file is saved.
    pub final_newline: Option<bool>,
    /// The column at which lines are wrapped, from 1.
    pub line_length: Option<usize>,
}

/// Line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndingRule {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

/// Encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEncoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// Latin-1.
    Latin1,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
}

/// The rules and their problems.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoadedRules {
    /// The rules.
    pub rules: Rules,
    /// Why files were ignored, for the user.
    pub problems: Vec<String>,
}

/// Returns the rules for a file, which need not exist; its path is absolute.
pub fn load(file: &Path) -> LoadedRules {
    let (mut configs, mut problems) = (Vec::new(), Vec::new());
    for folder in file.ancestors().skip(1) {
        match sections(&folder.join(NAME)) {
            Ok(None) => {}
            Ok(Some((is_root, sections))) => {
                configs.push((folder, sections));
                if is_root {
                    break;
                }
            }
            Err(problem) => problems.push(format!("{problem}; the file is ignored")),
        }
    }
    let mut properties = Properties::new();
    // Files nearer to the target take precedence.
    for (folder, sections) in configs.iter().rev() {
        let inside = file.strip_prefix(folder).unwrap_or(file);
        for section in sections.iter().filter(|section| section.applies_to(inside)) {
            for (key, value) in section.props() {
                properties.insert_raw_for_key(key, value.clone());
            }
        }
    }
    properties.use_fallbacks();
    LoadedRules { rules: rules(&properties), problems }
}

/// Parses a whole file; returns its sections and whether it is the topmost one; `None` when there is no file.
fn sections(path: &Path) -> Result<Option<(bool, Vec<Section>)>, String> {
    let Ok(facts) = fs::metadata(path) else { return Ok(None) };
    if !facts.is_file() || facts.len() > BYTES_MAX {
        return Err(format!("{}: no file of rules", path.display()));
    }
    let failed = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
    let text: Vec<String> = text.split('\n').map(fix_negated_classes).collect();
    let mut config = ConfigParser::new_buffered(Cursor::new(text.join("\n"))).map_err(|e| failed(&e))?;
    let sections: Result<Vec<Section>, _> = config.by_ref().collect();
    let sections = sections.map_err(|error| format!("{}:{}: {error}", path.display(), config.line_no()))?;
    Ok(Some((config.is_root, sections)))
}

/// A character that occurs in no path.
const UNUSED_CHAR: char = '\u{10ffff}';

/// Rewrites negated classes with a single character: the library would parse `[!x]` as `x`.
fn fix_negated_classes(line: &str) -> String {
    if !line.trim_start().starts_with('[') {
        return line.to_string();
    }
    let chars: Vec<char> = line.chars().collect();
    let mut whole = String::with_capacity(line.len());
    for (at, c) in chars.iter().enumerate() {
        whole.push(*c);
        let before = |back: usize| at.checked_sub(back).map(|at| chars[at]);
        let is_single = chars.get(at + 1) == Some(&']')
            && (before(1) == Some('!') && before(2) == Some('[') && *c != '\\'
                || before(1) == Some('\\') && before(2) == Some('!') && before(3) == Some('['));
        if is_single {
            whole.push(UNUSED_CHAR);
        }
    }
    whole
}

fn rules(properties: &Properties) -> Rules {
    let width = |width: usize| Some(width).filter(|width| (1..=WIDTH_MAX).contains(width));
    let tab_width = match properties.get::<TabWidth>() {
        Ok(TabWidth::Value(columns)) => width(columns),
        Err(_) => None,
    };
    Rules {
        use_tabs: properties.get::<IndentStyle>().ok().map(|style| style == IndentStyle::Tabs),
        indent: match properties.get::<IndentSize>() {
            Ok(IndentSize::Value(columns)) => width(columns),
            Ok(IndentSize::UseTabWidth) => tab_width,
            Err(_) => None,
        },
        tab_width,
        line_ending: match properties.get::<EndOfLine>() {
            Ok(EndOfLine::Lf) => Some(LineEndingRule::Lf),
            Ok(EndOfLine::CrLf) => Some(LineEndingRule::CrLf),
            // No other part of bowline supports a lone CR as line ending.
            Ok(EndOfLine::Cr) | Err(_) => None,
        },
        charset: properties.get::<Charset>().ok().map(|charset| match charset {
            Charset::Utf8 => FileEncoding::Utf8,
            Charset::Utf8Bom => FileEncoding::Utf8Bom,
            Charset::Latin1 => FileEncoding::Latin1,
            Charset::Utf16Le => FileEncoding::Utf16Le,
            Charset::Utf16Be => FileEncoding::Utf16Be,
        }),
        trim_trailing: match properties.get::<TrimTrailingWs>() {
            Ok(TrimTrailingWs::Value(trim)) => Some(trim),
            Err(_) => None,
        },
        final_newline: match properties.get::<FinalNewline>() {
            Ok(FinalNewline::Value(ended)) => Some(ended),
            Err(_) => None,
        },
        line_length: match properties.get::<MaxLineLen>() {
            Ok(MaxLineLen::Value(columns @ 1..)) => Some(columns),
            Ok(_) | Err(_) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn rules_of(folder: &TempDir, file: &str) -> Rules {
        let found = load(&folder.path().join(file));
        assert_eq!(found.problems, Vec::<String>::new());
        found.rules
    }

    #[test]
    fn editorconfig_every_property_is_read() {
        let all = "root = true\n[*]\nindent_style = tab\nindent_size = 3\ntab_width = 8\n\
                   end_of_line = crlf\ncharset = utf-8-bom\ntrim_trailing_whitespace = true\n\
                   insert_final_newline = false\nmax_line_length = 72\nother = x\n";
        let expected = Rules {
            use_tabs: Some(true),
            indent: Some(3),
            tab_width: Some(8),
            line_ending: Some(LineEndingRule::CrLf),
            charset: Some(FileEncoding::Utf8Bom),
            trim_trailing: Some(true),
            final_newline: Some(false),
            line_length: Some(72),
        };
        assert_eq!(rules_of(&folder(&[(NAME, all)]), "a.txt"), expected);
    }

    #[test]
    fn editorconfig_sizes_derive_and_invalid_are_ignored() {
        let file = |text: &str| folder(&[(NAME, &format!("root=true\n[*]\n{text}\n"))]);
        let widths = |text: &str| {
            let rules = rules_of(&file(text), "a");
            (rules.indent, rules.tab_width)
        };
        assert_eq!(widths("indent_size = 2"), (Some(2), Some(2)));
        assert_eq!(widths("indent_size = tab\ntab_width = 8"), (Some(8), Some(8)));
        assert_eq!(widths("tab_width = 8"), (Some(8), Some(8)));
        assert_eq!(widths("indent_size = 0"), (None, None));
        assert_eq!(widths("indent_size = 99999999999999999999"), (None, None));
        assert_eq!(widths("indent_size = unset"), (None, None));
        assert_eq!(rules_of(&file("end_of_line = cr\nmax_line_length = off"), "a"), Rules::default());
        assert_eq!(rules_of(&file("INDENT_STYLE = Space"), "a").use_tabs, Some(false));
    }

    #[test]
    fn editorconfig_patterns_match_standard() {
        let text = "root = true\n\
            [*]\nmax_line_length = 1\n[*.{rs,toml}]\nmax_line_length = 2\n[lib/**.js]\nmax_line_length = 3\n\
            [file{1..3}.txt]\nmax_line_length = 4\n[/top.md]\nmax_line_length = 5\n[[ab].c]\nmax_line_length = 6\n\
            [?.py]\nmax_line_length = 7\n[{Makefile,deep/*.mk}]\nmax_line_length = 8\n[[!x].h]\nmax_line_length = 9\n";
        let folder = folder(&[(NAME, text)]);
        for (file, length) in [
            ("a", 1),
            ("src/a.rs", 2),
            ("Cargo.toml", 2),
            ("lib/a/b.js", 3),
            ("other/lib.js", 1),
            ("x/file2.txt", 4),
            ("x/file4.txt", 1),
            ("top.md", 5),
            ("sub/top.md", 1),
            ("b.c", 6),
            ("c.c", 1),
            ("x.py", 7),
            ("ab.py", 1),
            ("Makefile", 8),
            ("deep/a.mk", 8),
            ("a.mk", 1),
            ("y.h", 9),
            ("x.h", 1),
        ] {
            assert_eq!(rules_of(&folder, file).line_length, Some(length), "{file}");
        }
    }

    #[test]
    fn editorconfig_nearest_file_wins_and_root_stops() {
        let folder = folder(&[
            (NAME, "root = true\n[*]\nindent_size = 8\ntab_width = 8\nmax_line_length = 1\n"),
            ("a/.editorconfig", "[*.rs]\nindent_size = 2\nmax_line_length = unset\n"),
            ("a/b/.editorconfig", "root = true\n[*]\ntrim_trailing_whitespace = true\n"),
        ]);
        let near = rules_of(&folder, "a/x.rs");
        assert_eq!((near.indent, near.tab_width, near.line_length), (Some(2), Some(8), None));
        assert_eq!(rules_of(&folder, "a/b/x.rs"), Rules { trim_trailing: Some(true), ..Rules::default() });
    }

    #[test]
    fn editorconfig_bad_file_is_reported_and_ignored() {
        for bad in
            ["root=true\n[*]\nindent_size = 2\nno pair\n", "nonsense\n[*]\nindent_size = 2\n", "[\n", "\u{0}"]
        {
            let folder =
                folder(&[(NAME, "root = true\n[*]\nmax_line_length = 1\n"), ("sub/.editorconfig", bad)]);
            let found = load(&folder.path().join("sub/a"));
            assert_eq!(found.rules, Rules { line_length: Some(1), ..Rules::default() }, "{bad:?}");
            assert_eq!(found.problems.len(), 1, "{bad:?}");
            assert!(found.problems[0].contains("sub/.editorconfig"), "{:?}", found.problems);
            assert!(found.problems[0].ends_with("ignored"), "{:?}", found.problems);
        }
        let folder = folder(&[(NAME, "root = true\n")]);
        fs::create_dir_all(folder.path().join("sub/.editorconfig")).unwrap();
        assert_eq!(load(&folder.path().join("sub/a")).problems.len(), 1);
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        /// Whatever stands in such a file, reading it ends well.
        #[test]
        fn editorconfig_any_bytes_are_safe(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), text in "(\\[[*?a\\[\\]{},.!0-9\\\\]{0,12}\\]\n[a-z_]{1,12} *= *[a-z0-9-]{0,5}\n){0,4}") {
            for content in [bytes, text.into_bytes()] {
                let folder = tempfile::tempdir().unwrap();
                fs::write(folder.path().join(NAME), content).unwrap();
                load(&folder.path().join("a1/b.rs"));
            }
        }
    }
}
