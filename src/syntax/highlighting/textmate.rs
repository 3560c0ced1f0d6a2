//! Maps `TextMate` scopes to theme scopes. Plain data.

use crate::syntax::highlighting::scopes;
use crate::syntax::highlighting::scopes::Paint;

/// Scope prefixes, in order; the longest match applies. An empty name has no color of its own: the enclosing
/// scope applies.
const NAMES: &[(&str, &str)] = &[
    ("comment", "comment"),
    ("comment.block", "comment.block"),
    ("comment.block.documentation", "comment.block.documentation"),
    ("comment.line", "comment.line"),
    ("comment.line.documentation", "comment.line.documentation"),
    ("constant", "constant"),
    ("constant.character", "constant.character"),
    ("constant.character.escape", "constant.character.escape"),
    ("constant.language", "constant.builtin"),
    ("constant.language.boolean", "constant.builtin.boolean"),
    ("constant.numeric", "constant.numeric"),
    ("constant.numeric.float", "constant.numeric.float"),
    ("constant.numeric.integer", "constant.numeric.integer"),
    ("constant.other.reference.link", "markup.link.text"),
    ("constant.other.symbol", "string.special.symbol"),
    ("entity.name", "type"),
    ("entity.name.constant", "constant"),
    ("entity.name.function", "function"),
    ("entity.name.label", "label"),
    ("entity.name.module", "namespace"),
    ("entity.name.namespace", "namespace"),
    ("entity.name.package", "namespace"),
    ("entity.name.section", "markup.heading"),
    ("entity.name.tag", "tag"),
    ("entity.name.variable", "variable"),
    ("entity.other.attribute-name", "attribute"),
    ("entity.other.inherited-class", "type"),
    ("keyword", "keyword"),
    ("keyword.control", "keyword.control"),
    ("keyword.control.conditional", "keyword.control.conditional"),
    ("keyword.control.directive", "keyword.directive"),
    ("keyword.control.exception", "keyword.control.exception"),
    ("keyword.control.import", "keyword.control.import"),
    ("keyword.control.loop", "keyword.control.repeat"),
    ("keyword.control.return", "keyword.control.return"),
    ("keyword.declaration", "keyword.storage.type"),
    ("keyword.import", "keyword.control.import"),
    ("keyword.operator", "operator"),
    ("keyword.operator.word", "keyword.operator"),
    ("markup.bold", "markup.bold"),
    ("markup.changed", "diff.delta"),
    ("markup.deleted", "diff.minus"),
    ("markup.heading", "markup.heading"),
    ("markup.inserted", "diff.plus"),
    ("markup.italic", "markup.italic"),
    ("markup.list", "markup.list"),
    ("markup.other", ""),
    ("markup.quote", "markup.quote"),
    ("markup.raw", "markup.raw"),
    ("markup.underline.link", "markup.link.url"),
    ("meta.annotation", "attribute"),
    ("meta.preprocessor", "keyword.directive"),
    ("punctuation", "punctuation"),
    ("punctuation.accessor", "punctuation.delimiter"),
    ("punctuation.definition", ""),
    ("punctuation.definition.tag", "punctuation.bracket"),
    ("punctuation.section", "punctuation.bracket"),
    ("punctuation.separator", "punctuation.delimiter"),
    ("punctuation.terminator", "punctuation.delimiter"),
    ("storage", "keyword.storage"),
    ("storage.modifier", "keyword.storage.modifier"),
    ("storage.type", "keyword.storage.type"),
    ("storage.type.function", "keyword.function"),
    ("string", "string"),
    ("string.other.link", "markup.link.text"),
    ("string.regexp", "string.regexp"),
    ("support", "function.builtin"),
    ("support.class", "type.builtin"),
    ("support.constant", "constant.builtin"),
    ("support.function", "function.builtin"),
    ("support.macro", "function.macro"),
    ("support.type", "type.builtin"),
    ("support.variable", "variable.builtin"),
    ("variable", "variable"),
    ("variable.annotation", "attribute"),
    ("variable.function", "function"),
    ("variable.language", "variable.builtin"),
    ("variable.other.constant", "constant"),
    ("variable.other.member", "variable.other.member"),
    ("variable.parameter", "variable.parameter"),
];

/// Returns the paint of a scope; `None` if the enclosing scope applies.
pub(in crate::syntax) fn paint(scope: &str) -> Option<Paint> {
    let mut name = scope;
    loop {
        if let Ok(at) = NAMES.binary_search_by_key(&name, |(known, _)| known) {
            return scopes::paint(NAMES[at].1);
        }
        name = name.rsplit_once('.')?.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textmate_scopes_map_to_theme_scopes() {
        let name = |scope: &str| paint(scope).and_then(scopes::name);
        assert_eq!(name("comment.line.number-sign.perl"), Some("comment.line"));
        assert_eq!(name("keyword.control.perl"), Some("keyword.control"));
        assert_eq!(name("punctuation.definition.string.begin.perl"), None);
        assert_eq!(name("meta.function.perl"), None);
        assert_eq!(name("source.perl"), None);
        assert_eq!(name("string"), Some("string"));
    }

    #[test]
    fn textmate_scope_table_is_sorted_and_valid() {
        assert!(NAMES.is_sorted());
        for (known, scope) in NAMES {
            assert!(scope.is_empty() || scopes::SCOPES.contains(scope), "{known}: {scope}");
        }
    }
}
