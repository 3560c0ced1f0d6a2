//! Highlight scopes, named as in Helix and Neovim themes, and the mapping from captures of many grammars'
//! queries. Must not know colors.

/// A scope in one byte: its index in [`SCOPES`] plus one; 0 is none.
pub type Paint = u8;

/// All scopes. A theme may define only a prefix of one.
pub const SCOPES: &[&str] = &[
    "attribute",
    "comment",
    "comment.block",
    "comment.block.documentation",
    "comment.line",
    "comment.line.documentation",
    "constant",
    "constant.builtin",
    "constant.builtin.boolean",
    "constant.character",
    "constant.character.escape",
    "constant.numeric",
    "constant.numeric.float",
    "constant.numeric.integer",
    "constructor",
    "diff.delta",
    "diff.minus",
    "diff.plus",
    "function",
    "function.builtin",
    "function.macro",
    "function.method",
    "function.special",
    "keyword",
    "keyword.control",
    "keyword.control.conditional",
    "keyword.control.exception",
    "keyword.control.import",
    "keyword.control.repeat",
    "keyword.control.return",
    "keyword.directive",
    "keyword.function",
    "keyword.operator",
    "keyword.storage",
    "keyword.storage.modifier",
    "keyword.storage.type",
    "label",
    "markup.bold",
    "markup.heading",
    "markup.heading.1",
    "markup.heading.2",
    "markup.heading.3",
    "markup.heading.4",
    "markup.heading.5",
    "markup.heading.6",
    "markup.italic",
    "markup.link.text",
    "markup.link.url",
    "markup.list",
    "markup.quote",
    "markup.raw",
    "namespace",
    "operator",
    "punctuation",
    "punctuation.bracket",
    "punctuation.delimiter",
    "punctuation.special",
    "rainbow.1",
    "rainbow.2",
    "rainbow.3",
    "rainbow.4",
    "rainbow.5",
    "rainbow.6",
    "special",
    "string",
    "string.escape",
    "string.regexp",
    "string.special",
    "string.special.symbol",
    "string.special.url",
    "tag",
    "tag.error",
    "type",
    "type.builtin",
    "type.enum.variant",
    "type.parameter",
    "variable",
    "variable.builtin",
    "variable.other.member",
    "variable.parameter",
];

/// Captures of bundled queries with other names.
const ALIASES: &[(&str, &str)] = &[
    ("boolean", "constant.builtin.boolean"),
    ("character", "constant.character"),
    ("character.special", "constant.character.escape"),
    ("charset", "keyword.directive"),
    ("comment.documentation", "comment.block.documentation"),
    ("conditional", "keyword.control.conditional"),
    ("constant.macro", "constant"),
    ("delimiter", "punctuation.delimiter"),
    ("escape", "string.escape"),
    ("exception", "keyword.control.exception"),
    ("field", "variable.other.member"),
    ("float", "constant.numeric.float"),
    ("import", "keyword.control.import"),
    ("include", "keyword.control.import"),
    ("keyframes", "keyword.directive"),
    ("keyword.conditional", "keyword.control.conditional"),
    ("keyword.coroutine", "keyword.control"),
    ("keyword.exception", "keyword.control.exception"),
    ("keyword.import", "keyword.control.import"),
    ("keyword.modifier", "keyword.storage.modifier"),
    ("keyword.repeat", "keyword.control.repeat"),
    ("keyword.return", "keyword.control.return"),
    ("keyword.type", "keyword.storage.type"),
    ("media", "keyword.directive"),
    ("method", "function.method"),
    ("module", "namespace"),
    ("number", "constant.numeric"),
    ("number.float", "constant.numeric.float"),
    ("parameter", "variable.parameter"),
    ("preproc", "keyword.directive"),
    ("property", "variable.other.member"),
    ("property.definition", "variable.other.member"),
    ("repeat", "keyword.control.repeat"),
    ("storageclass", "keyword.storage"),
    ("string.regex", "string.regexp"),
    ("string.special.key", "variable.other.member"),
    ("string.special.regex", "string.regexp"),
    ("supports", "keyword.directive"),
    ("tag.attribute", "attribute"),
    ("text.emphasis", "markup.italic"),
    ("text.literal", "markup.raw"),
    ("text.reference", "markup.link.text"),
    ("text.strong", "markup.bold"),
    ("text.title", "markup.heading"),
    ("text.uri", "markup.link.url"),
    ("type.definition", "type"),
    ("type.qualifier", "keyword.storage.modifier"),
    ("variable.member", "variable.other.member"),
];

/// Returns the paint of a capture; `None` for captures with another purpose. The capture `none` removes
/// paint.
pub fn paint(capture: &str) -> Option<Paint> {
    if capture == "none" {
        return Some(0);
    }
    let mut name = capture;
    loop {
        let known = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, scope)| *scope);
        if let Some(at) = SCOPES.iter().position(|scope| *scope == known) {
            return Paint::try_from(at + 1).ok();
        }
        name = name.rsplit_once('.')?.0;
    }
}

/// Keywords with the same meaning in most languages, whose queries have only a generic keyword capture.
const KEYWORD_SCOPES: &[(&str, &[&str])] = &[
    (
        "keyword.control.conditional",
        &[
            "if", "else", "elif", "elsif", "elseif", "unless", "then", "fi", "match", "switch", "case",
            "esac", "when",
        ],
    ),
    (
        "keyword.control.repeat",
        &["for", "foreach", "while", "until", "loop", "do", "done", "break", "continue"],
    ),
    ("keyword.control.return", &["return", "yield", "await"]),
    (
        "keyword.control.exception",
        &["try", "catch", "except", "finally", "throw", "throws", "raise", "rescue", "ensure"],
    ),
    (
        "keyword.control.import",
        &["import", "from", "use", "using", "include", "require", "package", "#include", "mod", "extern"],
    ),
    ("keyword.directive", &["#define", "#if", "#ifdef", "#ifndef", "#endif", "#else", "#elif"]),
    ("keyword.function", &["fn", "func", "def", "function", "lambda", "fun"]),
    (
        "keyword.storage.type",
        &["struct", "class", "enum", "interface", "trait", "union", "type", "impl", "namespace", "typedef"],
    ),
    ("keyword.storage", &["let", "const", "var", "val", "local", "global"]),
    (
        "keyword.storage.modifier",
        &[
            "static",
            "public",
            "private",
            "protected",
            "pub",
            "final",
            "abstract",
            "virtual",
            "override",
            "async",
            "unsafe",
            "dyn",
            "move",
            "ref",
            "readonly",
            "inline",
            "volatile",
            "export",
            "default",
        ],
    ),
];

/// Returns a more specific scope for a keyword or type.
pub fn refine(paint: Paint, node: &str) -> Paint {
    let finer = match name(paint) {
        Some("keyword") => {
            KEYWORD_SCOPES.iter().find(|(_, words)| words.contains(&node)).map(|(scope, _)| *scope)
        }
        Some("type") if node == "primitive_type" => Some("type.builtin"),
        _ => None,
    };
    finer.and_then(self::paint).unwrap_or(paint)
}

/// The name of a paint.
pub fn name(paint: Paint) -> Option<&'static str> {
    SCOPES.get(usize::from(paint).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_follow_capture_names() {
        let scope = |capture: &str| paint(capture).and_then(name);
        assert_eq!(scope("keyword.control.repeat"), Some("keyword.control.repeat"));
        assert_eq!(scope("number"), Some("constant.numeric"));
        assert_eq!(scope("function.method.builtin"), Some("function.method"));
        assert_eq!(scope("keyword.conditional.ternary"), Some("keyword.control.conditional"));
        assert_eq!(scope("spell"), None);
        assert_eq!(paint("none"), Some(0));
        assert_eq!(name(0), None);
    }

    #[test]
    fn scopes_tables_are_sorted_and_consistent() {
        assert!(SCOPES.is_sorted() && ALIASES.is_sorted());
        assert!(SCOPES.len() < usize::from(Paint::MAX));
        for (alias, scope) in ALIASES {
            assert!(SCOPES.contains(scope), "{scope}");
            assert!(!SCOPES.contains(alias), "{alias} is a scope itself");
        }
        for (scope, _) in KEYWORD_SCOPES {
            assert!(SCOPES.contains(scope), "{scope}");
        }
    }
}
