//! Comment signs by file name: data, in one table.
//!
//! Must not know files; a name is just a text.

/// The signs of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentTokens {
    /// The sign of a line comment.
    pub line: Option<&'static str>,
    /// The signs of a block comment.
    pub block: Option<(&'static str, &'static str)>,
    /// Whether a line that ends with a colon opens an indented block.
    pub colon_opens_block: bool,
}

/// File name extensions and whole names, and their signs.
struct Row(&'static str, CommentTokens);

const C: CommentTokens =
    CommentTokens { line: Some("//"), block: Some(("/*", "*/")), colon_opens_block: false };
const CSS: CommentTokens = CommentTokens { line: None, ..C };
const XML: CommentTokens =
    CommentTokens { line: None, block: Some(("<!--", "-->")), colon_opens_block: false };
const HASH: CommentTokens = CommentTokens { line: Some("#"), block: None, colon_opens_block: false };
const PYTHON: CommentTokens = CommentTokens { colon_opens_block: true, ..HASH };
const DASHES: CommentTokens = CommentTokens { line: Some("--"), block: None, colon_opens_block: false };

/// Names are separated by spaces; one with a capital letter, or for a file name without a dot, is a whole
/// name.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("rs c h cc cpp cxx hh hpp hxx ino m mm", C),
    Row("java kt kts scala sc groovy gradle", C),
    Row("js mjs cjs jsx ts mts cts tsx", C),
    Row("cs go swift dart zig v sv svh proto d", C),
    Row("jsonc json5 scss sass less styl", C),
    Row("glsl vert frag hlsl wgsl cu cuh sol typ", C),
    Row("php", C),
    Row("fs fsx fsi", CommentTokens { block: Some(("(*", "*)")), ..C }),
    Row("css", CSS),
    Row("html htm xhtml xml svg xsl xsd vue svelte md markdown plist", XML),
    Row("py pyi pyw bzl star Snakefile SConstruct", PYTHON),
    Row("nim gd", PYTHON),
    Row("yaml yml", PYTHON),
    Row("sh bash zsh fish ksh bashrc zshrc profile", HASH),
    Row("rb rake gemspec Gemfile Rakefile Vagrantfile", CommentTokens { block: Some(("=begin", "=end")), ..HASH }),
    Row("pl pm t r R jl ex exs cr tcl awk sed nix elv", HASH),
    Row("toml conf cfg properties env gitignore dockerignore gitattributes editorconfig", HASH),
    Row("mk Makefile makefile GNUmakefile cmake CMakeLists.txt Dockerfile Containerfile just justfile Justfile", HASH),
    Row("tf tfvars hcl", CommentTokens { block: Some(("/*", "*/")), ..HASH }),
    Row("ps1 psm1", CommentTokens { block: Some(("<#", "#>")), ..HASH }),
    Row("graphql gql meson.build ninja", HASH),
    Row("sql ddl", CommentTokens { block: Some(("/*", "*/")), ..DASHES }),
    Row("lua", CommentTokens { block: Some(("--[[", "]]")), ..DASHES }),
    Row("hs elm purs", CommentTokens { block: Some(("{-", "-}")), ..DASHES }),
    Row("adb ads vhd vhdl", DASHES),
    Row("ml mli", CommentTokens { line: None, block: Some(("(*", "*)")), colon_opens_block: false }),
    Row("pas pp lpr", CommentTokens { block: Some(("{", "}")), ..C }),
    Row("lisp cl el scm rkt clj cljs cljc edn fnl", CommentTokens { line: Some(";;"), block: None, colon_opens_block: false }),
    Row("asm s S ini reg", CommentTokens { line: Some(";"), block: None, colon_opens_block: false }),
    Row("tex sty cls bib erl hrl", CommentTokens { line: Some("%"), block: None, colon_opens_block: false }),
    Row("pro matlab", CommentTokens { line: Some("%"), block: None, colon_opens_block: false }),
    Row("vim vimrc", CommentTokens { line: Some("\""), block: None, colon_opens_block: false }),
    Row("f90 f95 f03", CommentTokens { line: Some("!"), block: None, colon_opens_block: false }),
    Row("bat cmd", CommentTokens { line: Some("REM"), block: None, colon_opens_block: false }),
    Row("vb vbs bas", CommentTokens { line: Some("'"), block: None, colon_opens_block: false }),
];

/// Returns the signs for a file name; `None` when its type is unknown or has no comments.
pub fn for_file(name: &str) -> Option<CommentTokens> {
    let named =
        |key: &str| ROWS.iter().find(|row| row.0.split(' ').any(|known| known == key)).map(|row| row.1);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let lower = extension.map(str::to_ascii_lowercase);
    named(name).or_else(|| named(extension?)).or_else(|| named(lower.as_deref()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn comment_signs_by_name_and_extension() {
        assert_eq!(for_file("main.rs"), Some(C));
        assert_eq!(for_file("Makefile"), Some(HASH));
        assert_eq!(for_file(".bashrc"), Some(HASH));
        assert_eq!(for_file("CMakeLists.txt"), Some(HASH));
        assert_eq!(for_file("X.PY").map(|signs| signs.colon_opens_block), Some(true));
        assert_eq!(for_file("index.html").map(|signs| signs.line), Some(None));
        assert_eq!((for_file("notes.txt"), for_file("data.json"), for_file("")), (None, None, None));
    }

    #[test]
    fn comment_signs_table_has_no_duplicates() {
        let mut seen = BTreeSet::new();
        for name in ROWS.iter().flat_map(|row| row.0.split(' ')) {
            assert!(seen.insert(name), "{name}");
        }
        assert!(seen.len() > 100);
        assert!(ROWS.iter().all(|row| row.1.line.is_some() || row.1.block.is_some()));
    }
}
