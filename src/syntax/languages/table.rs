//! Table of languages: detection, grammar, queries. Plain data; compiled only on use.

use tree_sitter_language::LanguageFn;

/// A language.
pub struct Language {
    /// Its name, in lower case.
    pub name: &'static str,
    /// File name extensions.
    pub extensions: &'static [&'static str],
    /// Whole file names, or prefixes before a dot.
    pub files: &'static [&'static str],
    /// Programs in the first line that run such a file.
    pub interpreters: &'static [&'static str],
    /// Aliases, as on a code fence or in a query.
    pub aliases: &'static [&'static str],
    /// The grammar.
    pub grammar: LanguageFn,
    /// The highlight queries of the grammar, in order.
    pub highlights: &'static [&'static str],
    /// Our own additions, which win.
    pub extra_highlights: &'static str,
    /// The injection queries.
    pub injections: &'static [&'static str],
    /// Whether the first or the last of several patterns for one node takes precedence.
    pub first_wins: bool,
    /// Functions, classes, parameters, comments and tests; chains only.
    pub textobjects: &'static str,
    /// The folding query.
    pub folds: &'static str,
    /// The indentation query; chains only, see `pattern`.
    pub indents: &'static str,
    /// The query for local names; chains only.
    pub locals: &'static str,
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Language({})", self.name)
    }
}

const fn row(name: &'static str, grammar: LanguageFn, highlights: &'static [&'static str]) -> Language {
    Language {
        name,
        extensions: &[],
        files: &[],
        interpreters: &[],
        aliases: &[],
        grammar,
        highlights,
        extra_highlights: "",
        injections: &[],
        first_wins: false,
        textobjects: "",
        folds: "",
        indents: "",
        locals: "",
    }
}

macro_rules! own {
    ($($path:literal),+) => {
        concat!($(include_str!(concat!("../../../assets/queries/", $path, ".scm"))),+)
    };
}

const JS: &str = tree_sitter_javascript::HIGHLIGHT_QUERY;
const JSX: &str = tree_sitter_javascript::JSX_HIGHLIGHT_QUERY;
const TS: &str = tree_sitter_typescript::HIGHLIGHTS_QUERY;
const JS_INJECTIONS: &str = tree_sitter_javascript::INJECTIONS_QUERY;

/// All languages.
pub static LANGUAGES: &[Language] = &[
    Language {
        extensions: &["sh", "bash", "zsh", "ksh", "bats", "ebuild"],
        files: &[".bashrc", ".profile", ".bash_profile", ".zshrc", "PKGBUILD"],
        interpreters: &["sh", "bash", "zsh", "dash", "ksh"],
        aliases: &["shell", "console", "shellscript", "zsh"],
        textobjects: own!("bash/textobjects"),
        indents: own!("bash/indents"),
        ..row("bash", tree_sitter_bash::LANGUAGE, &[tree_sitter_bash::HIGHLIGHT_QUERY])
    },
    Language {
        extensions: &["c", "h"],
        textobjects: own!("c/textobjects"),
        folds: own!("c/folds"),
        indents: own!("c/indents"),
        locals: own!("c/locals"),
        ..row("c", tree_sitter_c::LANGUAGE, &[tree_sitter_c::HIGHLIGHT_QUERY])
    },
    Language {
        extensions: &["cs", "csx"],
        aliases: &["c-sharp", "cs", "c#"],
        textobjects: own!("csharp/textobjects"),
        indents: own!("csharp/indents"),
        ..row("csharp", tree_sitter_c_sharp::LANGUAGE, &[tree_sitter_c_sharp::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "ino", "cu"],
        aliases: &["c++", "cxx"],
        textobjects: own!("cpp/textobjects"),
        indents: own!("cpp/indents"),
        locals: own!("cpp/locals"),
        ..row(
            "cpp",
            tree_sitter_cpp::LANGUAGE,
            &[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY],
        )
    },
    Language {
        extensions: &["css"],
        indents: own!("css/indents"),
        ..row("css", tree_sitter_css::LANGUAGE, &[tree_sitter_css::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["diff", "patch", "rej"],
        files: &["COMMIT_EDITMSG", "MERGE_MSG"],
        aliases: &["patch", "udiff", "gitcommit"],
        extra_highlights: own!("diff/highlights"),
        ..row("diff", tree_sitter_diff::LANGUAGE, &[])
    },
    Language {
        extensions: &["dockerfile", "containerfile"],
        files: &["Dockerfile", "Containerfile"],
        aliases: &["containerfile", "docker"],
        injections: &[tree_sitter_containerfile::INJECTIONS_QUERY],
        ..row(
            "dockerfile",
            tree_sitter_containerfile::LANGUAGE,
            &[tree_sitter_containerfile::HIGHLIGHTS_QUERY],
        )
    },
    Language {
        extensions: &["go"],
        aliases: &["golang"],
        textobjects: own!("go/textobjects"),
        folds: own!("go/folds"),
        indents: own!("go/indents"),
        locals: own!("go/locals"),
        ..row("go", tree_sitter_go::LANGUAGE, &[tree_sitter_go::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["hs", "hs-boot"],
        interpreters: &["runhaskell", "runghc"],
        aliases: &["hs"],
        extra_highlights: own!("haskell/highlights"),
        ..row("haskell", tree_sitter_haskell::LANGUAGE, &[tree_sitter_haskell::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["html", "htm", "xhtml", "vue", "svelte"],
        injections: &[tree_sitter_html::INJECTIONS_QUERY],
        indents: own!("html/indents"),
        ..row("html", tree_sitter_html::LANGUAGE, &[tree_sitter_html::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["java"],
        textobjects: own!("java/textobjects"),
        indents: own!("java/indents"),
        locals: own!("java/locals"),
        ..row("java", tree_sitter_java::LANGUAGE, &[tree_sitter_java::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["js", "jsx", "mjs", "cjs"],
        interpreters: &["node", "deno", "bun"],
        aliases: &["js", "jsx", "node", "ecmascript"],
        injections: &[JS_INJECTIONS],
        textobjects: own!("javascript/textobjects"),
        folds: own!("javascript/folds"),
        indents: own!("javascript/indents", "jsx/indents"),
        locals: own!("javascript/locals"),
        ..row("javascript", tree_sitter_javascript::LANGUAGE, &[JS, JSX])
    },
    Language {
        extensions: &["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest"],
        files: &[".prettierrc", ".eslintrc", "flake.lock"],
        aliases: &["jsonc", "json5"],
        extra_highlights: own!("json/highlights"),
        indents: own!("json/indents"),
        ..row("json", tree_sitter_json::LANGUAGE, &[tree_sitter_json::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["lua"],
        interpreters: &["lua", "luajit"],
        injections: &[tree_sitter_lua::INJECTIONS_QUERY],
        textobjects: own!("lua/textobjects"),
        indents: own!("lua/indents"),
        locals: own!("lua/locals"),
        ..row("lua", tree_sitter_lua::LANGUAGE, &[tree_sitter_lua::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["mk", "mak", "make"],
        extra_highlights: own!("make/highlights"),
        files: &["Makefile", "makefile", "GNUmakefile"],
        aliases: &["makefile"],
        ..row("make", tree_sitter_make::LANGUAGE, &[tree_sitter_make::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["md", "markdown", "mdx"],
        files: &["README", "CHANGELOG"],
        aliases: &["md"],
        injections: &[tree_sitter_md::INJECTION_QUERY_BLOCK],
        extra_highlights: own!("markdown/highlights"),
        ..row("markdown", tree_sitter_md::LANGUAGE, &[tree_sitter_md::HIGHLIGHT_QUERY_BLOCK])
    },
    Language {
        injections: &[tree_sitter_md::INJECTION_QUERY_INLINE],
        ..row("markdown_inline", tree_sitter_md::INLINE_LANGUAGE, &[tree_sitter_md::HIGHLIGHT_QUERY_INLINE])
    },
    Language {
        extensions: &["ml"],
        interpreters: &["ocaml"],
        aliases: &["ml"],
        ..row("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML, &[tree_sitter_ocaml::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["php", "phtml"],
        interpreters: &["php"],
        injections: &[tree_sitter_php::INJECTIONS_QUERY, own!("php/injections")],
        textobjects: own!("php/textobjects"),
        indents: own!("php/indents"),
        ..row("php", tree_sitter_php::LANGUAGE_PHP, &[tree_sitter_php::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["py", "pyi", "pyw"],
        files: &["SConstruct", "SConscript"],
        interpreters: &["python", "python2", "python3"],
        aliases: &["py", "python3"],
        textobjects: own!("python/textobjects"),
        folds: own!("python/folds"),
        indents: own!("python/indents"),
        locals: own!("python/locals"),
        ..row("python", tree_sitter_python::LANGUAGE, &[tree_sitter_python::HIGHLIGHTS_QUERY])
    },
    Language {
        aliases: &["regexp"],
        ..row("regex", tree_sitter_regex::LANGUAGE, &[tree_sitter_regex::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["rb", "rake", "gemspec", "ru"],
        files: &["Rakefile", "Gemfile", "Vagrantfile", "Guardfile"],
        interpreters: &["ruby"],
        aliases: &["rb"],
        textobjects: own!("ruby/textobjects"),
        indents: own!("ruby/indents"),
        ..row("ruby", tree_sitter_ruby::LANGUAGE, &[tree_sitter_ruby::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["rs"],
        interpreters: &["rust-script"],
        aliases: &["rs"],
        injections: &[tree_sitter_rust::INJECTIONS_QUERY],
        textobjects: own!("rust/textobjects"),
        folds: own!("rust/folds"),
        indents: own!("rust/indents"),
        locals: own!("rust/locals"),
        ..row("rust", tree_sitter_rust::LANGUAGE, &[own!("rust/highlights")])
    },
    Language {
        extensions: &["scala", "sc", "sbt"],
        textobjects: own!("scala/textobjects"),
        indents: own!("scala/indents"),
        ..row("scala", tree_sitter_scala::LANGUAGE, &[tree_sitter_scala::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["sql", "psql", "ddl"],
        aliases: &["mysql", "postgresql", "sqlite"],
        indents: own!("sql/indents"),
        ..row("sql", tree_sitter_sequel::LANGUAGE, &[tree_sitter_sequel::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["swift"],
        textobjects: own!("swift/textobjects"),
        indents: own!("swift/indents"),
        ..row("swift", tree_sitter_swift::LANGUAGE, &[tree_sitter_swift::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["toml"],
        files: &["Cargo.lock", "poetry.lock", "uv.lock"],
        extra_highlights: own!("toml/highlights"),
        indents: own!("toml/indents"),
        ..row("toml", tree_sitter_toml_ng::LANGUAGE, &[tree_sitter_toml_ng::HIGHLIGHTS_QUERY])
    },
    Language {
        extensions: &["tsx"],
        injections: &[JS_INJECTIONS],
        textobjects: own!("javascript/textobjects", "typescript/textobjects"),
        folds: own!("javascript/folds"),
        indents: own!("javascript/indents", "jsx/indents", "typescript/indents"),
        locals: own!("typescript/locals"),
        ..row("tsx", tree_sitter_typescript::LANGUAGE_TSX, &[JS, JSX, TS])
    },
    Language {
        extensions: &["ts", "mts", "cts"],
        aliases: &["ts"],
        injections: &[JS_INJECTIONS],
        textobjects: own!("javascript/textobjects", "typescript/textobjects"),
        folds: own!("javascript/folds"),
        indents: own!("javascript/indents", "typescript/indents"),
        locals: own!("typescript/locals"),
        ..row("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, &[JS, TS])
    },
    Language {
        extensions: &["xml", "svg", "xsd", "xsl", "xslt", "plist", "csproj", "rss"],
        aliases: &["svg"],
        indents: own!("xml/indents"),
        ..row("xml", tree_sitter_xml::LANGUAGE_XML, &[tree_sitter_xml::XML_HIGHLIGHT_QUERY])
    },
    Language {
        extensions: &["yaml", "yml"],
        files: &[".clang-format", ".clang-tidy"],
        aliases: &["yml"],
        extra_highlights: own!("yaml/highlights"),
        ..row("yaml", tree_sitter_yaml::LANGUAGE, &[tree_sitter_yaml::HIGHLIGHTS_QUERY])
    },
];
