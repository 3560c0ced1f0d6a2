//! Languages without a tree-sitter grammar here: detection, and their names in the set of `TextMate`
//! definitions. Plain data; the set is loaded on first use, in a task. Must not read files.

use std::sync::OnceLock;

use syntect::parsing::{SyntaxReference, SyntaxSet};

use crate::syntax::languages::detect;

/// A language that is parsed line by line.
#[derive(PartialEq, Eq)]
pub struct LineLanguage {
    /// Its name, in lower case.
    pub name: &'static str,
    /// File name extensions.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub files: &'static [&'static str],
    /// Programs in the first line that run such a file.
    pub interpreters: &'static [&'static str],
    /// Aliases, as on a code fence.
    pub aliases: &'static [&'static str],
    /// Its name in the set of definitions.
    definition: &'static str,
}

impl std::fmt::Debug for LineLanguage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lined({})", self.name)
    }
}

const fn row(
    name: &'static str,
    definition: &'static str,
    extensions: &'static [&'static str],
) -> LineLanguage {
    LineLanguage { name, extensions, files: &[], interpreters: &[], aliases: &[], definition }
}

/// All of these languages.
pub static LINE_LANGUAGES: &[LineLanguage] = &[
    row("actionscript", "ActionScript", &["as"]),
    LineLanguage { interpreters: &["osascript"], ..row("applescript", "AppleScript", &[]) },
    row("asp", "HTML (ASP)", &["asa"]),
    LineLanguage { aliases: &["dosbatch"], ..row("batch", "Batch File", &["bat", "cmd"]) },
    row("bibtex", "BibTeX", &["bib"]),
    LineLanguage {
        interpreters: &["clojure", "bb"],
        aliases: &["clojurescript"],
        ..row("clojure", "Clojure", &["clj", "cljs", "cljc", "edn"])
    },
    LineLanguage { interpreters: &["rdmd"], aliases: &["dlang"], ..row("d", "D", &["di"]) },
    LineLanguage { aliases: &["graphviz"], ..row("dot", "Graphviz (DOT)", &["gv"]) },
    LineLanguage { aliases: &["eruby"], ..row("erb", "HTML (Rails)", &["rhtml"]) },
    LineLanguage {
        files: &["rebar.config", "Emakefile"],
        interpreters: &["escript"],
        ..row("erlang", "Erlang", &["erl", "hrl"])
    },
    LineLanguage {
        files: &["Jenkinsfile"],
        interpreters: &["groovy"],
        ..row("groovy", "Groovy", &["gvy", "gradle"])
    },
    row("haml", "Ruby Haml", &[]),
    row("jsp", "Java Server Page (JSP)", &[]),
    row("latex", "LaTeX", &["tex", "ltx"]),
    LineLanguage {
        interpreters: &["sbcl", "guile", "racket", "emacs"],
        aliases: &["common-lisp", "elisp", "emacs-lisp", "scheme"],
        ..row("lisp", "Lisp", &["cl", "el", "scm", "ss", "lsp"])
    },
    row("literate-haskell", "Literate Haskell", &["lhs"]),
    LineLanguage { interpreters: &["octave"], aliases: &["octave"], ..row("matlab", "MATLAB", &[]) },
    LineLanguage { aliases: &["objc", "objectivec", "obj-c"], ..row("objective-c", "Objective-C", &["m"]) },
    LineLanguage { aliases: &["objc++", "objectivec++"], ..row("objective-c++", "Objective-C++", &["mm"]) },
    row("ocamllex", "OCamllex", &["mll"]),
    row("ocamlyacc", "OCamlyacc", &["mly"]),
    LineLanguage {
        interpreters: &["instantfpc"],
        aliases: &["delphi"],
        ..row("pascal", "Pascal", &["pas", "dpr", "pp"])
    },
    LineLanguage { interpreters: &["perl"], ..row("perl", "Perl", &["pl", "pm", "pod"]) },
    row("plain-tex", "TeX", &["sty", "cls"]),
    row("properties", "Java Properties", &[]),
    LineLanguage { files: &[".Rprofile"], interpreters: &["Rscript"], ..row("r", "R", &["rprofile"]) },
    row("rd", "Rd (R Documentation)", &[]),
    row("restructuredtext", "reStructuredText", &["rst", "rest"]),
    LineLanguage { interpreters: &["tclsh", "wish"], ..row("tcl", "Tcl", &["tk"]) },
    row("textile", "Textile", &[]),
];

impl LineLanguage {
    fn has_extension(&self, extension: &str) -> bool {
        self.name == extension || self.extensions.contains(&extension)
    }

    /// Returns its definition. The first call loads the whole set, which takes some milliseconds.
    pub(in crate::syntax) fn definition(&self) -> Option<&'static SyntaxReference> {
        set().find_syntax_by_name(self.definition)
    }
}

/// Every definition.
pub(in crate::syntax) fn set() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// Returns the language of a file with this name (without folders) and first line.
pub fn of_file(name: &str, first_line: &str) -> Option<&'static LineLanguage> {
    let exact = LINE_LANGUAGES.iter().find(|row| row.files.contains(&name));
    let extension = || {
        let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
        LINE_LANGUAGES.iter().find(|row| row.has_extension(&extension))
    };
    let interpreter = || {
        let (program, bare) = detect::interpreter(first_line)?;
        LINE_LANGUAGES
            .iter()
            .find(|row| row.interpreters.contains(&program) || row.interpreters.contains(&bare))
    };
    exact.or_else(extension).or_else(interpreter)
}

/// Returns the language with this name, as it is written on a code fence.
pub fn by_name(name: &str) -> Option<&'static LineLanguage> {
    let name = name.trim().to_ascii_lowercase();
    let known = |row: &&LineLanguage| row.has_extension(&name) || row.aliases.contains(&name.as_str());
    LINE_LANGUAGES.iter().find(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::languages::table::LANGUAGES;

    #[test]
    fn textmate_language_by_name_extension_or_first_line() {
        let name = |file: &str, line: &str| of_file(file, line).map_or("-", |row| row.name);
        assert_eq!(name("a.PL", ""), "perl");
        assert_eq!(name("a.tex", ""), "latex");
        assert_eq!(name("Jenkinsfile", ""), "groovy");
        assert_eq!(name("run", "#!/usr/bin/env perl -w"), "perl");
        assert_eq!(name("run", "#!/usr/bin/perl5.36"), "perl");
        assert_eq!(name("größe.d", ""), "d");
        assert_eq!(name("notes.txt", "hello"), "-");
        assert_eq!(by_name(" ELisp ").map(|row| row.name), Some("lisp"));
        assert_eq!(by_name("").map(|row| row.name), None);
    }

    #[test]
    fn textmate_languages_have_definition_and_unique_names() {
        let mut seen = std::collections::BTreeSet::new();
        for row in LINE_LANGUAGES {
            assert!(row.definition().is_some(), "{} has no definition", row.name);
            for name in row.extensions.iter().chain(row.aliases).chain([&row.name]) {
                assert!(seen.insert(name), "{name} twice");
                assert!(detect::by_name(name).is_none(), "{name} has a grammar");
            }
        }
        assert!(LINE_LANGUAGES.iter().map(|row| row.name).is_sorted() && !LANGUAGES.is_empty());
    }
}
