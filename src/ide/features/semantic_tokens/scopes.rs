//! Which scope of a theme a kind of name with its modifiers has. The names are those of the protocol, and those that common
//! servers (rust-analyzer, clangd, TypeScript) have besides. Pure.

use crate::lsp::answers::semantic_tokens::{Legend, Token};
use crate::syntax::Span;
use crate::text::position::Byte;

/// Kinds and their scopes. One that is not here keeps the colors of the syntax.
const KINDS: &[(&str, &str)] = &[
    ("namespace", "namespace"),
    ("module", "namespace"),
    ("toolModule", "namespace"),
    ("type", "type"),
    ("class", "type"),
    ("enum", "type"),
    ("interface", "type"),
    ("struct", "type"),
    ("union", "type"),
    ("concept", "type"),
    ("typeAlias", "type"),
    ("builtinType", "type.builtin"),
    ("selfTypeKeyword", "type.builtin"),
    ("typeParameter", "type.parameter"),
    ("parameter", "variable.parameter"),
    ("variable", "variable"),
    ("selfKeyword", "variable.builtin"),
    ("selfParameter", "variable.builtin"),
    ("clsParameter", "variable.builtin"),
    ("property", "variable.other.member"),
    ("event", "variable.other.member"),
    ("enumMember", "type.enum.variant"),
    ("function", "function"),
    ("method", "function.method"),
    ("member", "function.method"),
    ("macro", "function.macro"),
    ("procMacro", "function.macro"),
    ("keyword", "keyword"),
    ("modifier", "keyword.storage.modifier"),
    ("comment", "comment"),
    ("string", "string"),
    ("character", "constant.character"),
    ("escapeSequence", "constant.character.escape"),
    ("formatSpecifier", "string.special"),
    ("number", "constant.numeric"),
    ("boolean", "constant.builtin.boolean"),
    ("builtinConstant", "constant.builtin"),
    ("const", "constant"),
    ("constParameter", "constant"),
    ("static", "constant"),
    ("regexp", "string.regexp"),
    ("operator", "operator"),
    ("decorator", "attribute"),
    ("attribute", "attribute"),
    ("builtinAttribute", "attribute"),
    ("derive", "attribute"),
    ("deriveHelper", "attribute"),
    ("label", "label"),
    ("lifetime", "label"),
];

/// Scopes that change if one of the modifiers is set; the first row that fits counts.
const MODIFIED: &[(&str, &str, &str)] = &[
    ("comment", "documentation", "comment.block.documentation"),
    ("keyword", "controlFlow", "keyword.control"),
    ("variable", "defaultLibrary", "variable.builtin"),
    ("variable", "readonly", "constant"),
    ("variable", "constant", "constant"),
    ("function", "defaultLibrary", "function.builtin"),
    ("type", "defaultLibrary", "type.builtin"),
];

/// The scopes of the kinds of a legend.
pub struct Scopes {
    /// By number of the kind; `None` for one that is not known.
    kinds: Vec<Option<Kind>>,
}

/// The scope of a kind.
struct Kind {
    scope: &'static str,
    /// Scopes that bits of modifiers make of it.
    modified: Vec<(u32, &'static str)>,
}

impl Scopes {
    /// Looks the names of a legend up.
    pub fn new(legend: &Legend) -> Self {
        let bit = |name: &str| {
            let place = legend.modifiers.iter().position(|known| known == name)?;
            u32::try_from(place).ok().and_then(|place| 1_u32.checked_shl(place))
        };
        let kind = |name: &String| {
            let (_, scope) = KINDS.iter().find(|(known, _)| known == name)?;
            let modified = MODIFIED.iter().filter(|(of, ..)| of == scope);
            let modified = modified.filter_map(|(_, name, scope)| Some((bit(name)?, *scope))).collect();
            Some(Kind { scope, modified })
        };
        Self { kinds: legend.kinds.iter().map(kind).collect() }
    }

    /// Returns the spans of tokens whose kinds are known.
    pub fn spans(&self, tokens: Vec<Token>) -> Vec<Span> {
        let span = |token: Token| {
            let kind = self.kinds.get(token.kind as usize)?.as_ref()?;
            let changed = kind.modified.iter().find(|(bit, _)| token.modifiers & bit != 0);
            let scope = changed.map_or(kind.scope, |(_, scope)| *scope);
            Some(Span { range: Byte(token.range.start)..Byte(token.range.end), scope })
        };
        tokens.into_iter().filter_map(span).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::highlighting::scopes::SCOPES;

    fn legend(kinds: &[&str], modifiers: &[&str]) -> Legend {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        Legend { kinds: owned(kinds), modifiers: owned(modifiers) }
    }

    #[test]
    fn semantic_token_scopes_are_those_of_themes_and_cover_the_protocol() {
        let all = KINDS.iter().map(|(_, scope)| scope).chain(MODIFIED.iter().map(|(.., scope)| scope));
        for scope in all {
            assert!(SCOPES.contains(scope), "{scope}");
        }
        let client = crate::lsp::capabilities::of_client();
        let kinds = client["textDocument"]["semanticTokens"]["tokenTypes"].as_array().unwrap().clone();
        assert_eq!(kinds.len(), 24);
        for kind in kinds {
            assert!(KINDS.iter().any(|(known, _)| kind == *known), "{kind}");
        }
    }

    #[test]
    fn semantic_token_modifiers_change_the_scope_and_unknown_kinds_have_none() {
        let scopes =
            Scopes::new(&legend(&["variable", "class", "bracket"], &["x", "readonly", "defaultLibrary"]));
        let token = |kind, modifiers| Token { range: 0..1, kind, modifiers };
        let tokens = vec![
            token(0, 0),
            token(0, 0b10),
            token(0, 0b111),
            token(1, 0b110),
            token(1, 1),
            token(2, 0),
            token(9, 0),
        ];
        let found: Vec<_> = scopes.spans(tokens).into_iter().map(|span| span.scope).collect();
        assert_eq!(found, ["variable", "constant", "variable.builtin", "type.builtin", "type"]);
        let many: Vec<String> = (0..40).map(|n| n.to_string()).chain(["readonly".to_string()]).collect();
        let scopes = Scopes::new(&Legend { kinds: vec!["variable".to_string()], modifiers: many });
        assert_eq!(scopes.spans(vec![token(0, u32::MAX)])[0].scope, "variable", "there are 32 bits");
    }
}
