//! Scopes of `TextMate` grammars, by which themes of VS Code color code, and their counterparts.
//!
//! Must not know the format of theme files.

use ratatui::style::{Color, Modifier, Style};

/// Scopes of ours, each with the `TextMate` scope of such a token. Of several rows of a scope the first counts that a theme
/// has a rule for.
pub const SCOPES: &[(&str, &str)] = &[
    ("attribute", "entity.other.attribute-name"),
    ("attribute", "meta.decorator"),
    ("comment", "comment.line"),
    ("comment", "comment.block"),
    ("comment.block.documentation", "comment.block.documentation"),
    ("comment.line.documentation", "comment.line.documentation"),
    ("comment.line.documentation", "comment.block.documentation"),
    ("constant", "variable.other.constant"),
    ("constant", "constant.other"),
    ("constant.builtin", "constant.language"),
    ("constant.builtin.boolean", "constant.language.boolean"),
    ("constant.character", "constant.character"),
    ("constant.character.escape", "constant.character.escape"),
    ("constant.numeric", "constant.numeric"),
    ("constant.numeric.float", "constant.numeric.float"),
    ("constant.numeric.integer", "constant.numeric.integer"),
    ("constructor", "entity.name.function.constructor"),
    ("constructor", "entity.name.type.class"),
    ("diff.delta", "markup.changed"),
    ("diff.minus", "markup.deleted"),
    ("diff.plus", "markup.inserted"),
    ("function", "entity.name.function"),
    ("function", "support.function"),
    ("function.builtin", "support.function"),
    ("function.macro", "entity.name.function.macro"),
    ("function.macro", "entity.name.function.preprocessor"),
    ("function.method", "entity.name.function.member"),
    ("function.special", "entity.name.function.preprocessor"),
    ("keyword", "keyword.other"),
    ("keyword", "keyword.control"),
    ("keyword", "storage.type"),
    ("keyword.control", "keyword.control"),
    ("keyword.control.conditional", "keyword.control.conditional"),
    ("keyword.control.exception", "keyword.control.trycatch"),
    ("keyword.control.import", "keyword.control.import"),
    ("keyword.control.repeat", "keyword.control.loop"),
    ("keyword.control.return", "keyword.control.flow"),
    ("keyword.directive", "keyword.control.directive"),
    ("keyword.directive", "meta.preprocessor"),
    ("keyword.function", "storage.type.function"),
    ("keyword.operator", "keyword.operator.logical"),
    ("keyword.storage", "storage"),
    ("keyword.storage.modifier", "storage.modifier"),
    ("keyword.storage.type", "storage.type"),
    ("label", "entity.name.label"),
    ("markup.bold", "markup.bold"),
    ("markup.heading", "markup.heading"),
    ("markup.heading", "entity.name.section"),
    ("markup.italic", "markup.italic"),
    ("markup.link.text", "string.other.link.title"),
    ("markup.link.text", "markup.underline.link"),
    ("markup.link.url", "markup.underline.link"),
    ("markup.list", "punctuation.definition.list.begin.markdown"),
    ("markup.list", "beginning.punctuation.definition.list"),
    ("markup.list", "markup.list"),
    ("markup.quote", "markup.quote"),
    ("markup.raw", "markup.inline.raw"),
    ("markup.raw", "markup.fenced_code"),
    ("markup.raw", "markup.raw"),
    ("namespace", "entity.name.namespace"),
    ("namespace", "entity.name.type.namespace"),
    ("namespace", "entity.name.type.module"),
    ("operator", "keyword.operator.arithmetic"),
    ("punctuation", "punctuation.separator"),
    ("punctuation", "punctuation.definition"),
    ("punctuation", "meta.brace"),
    ("punctuation.bracket", "meta.brace.round"),
    ("punctuation.bracket", "punctuation.section"),
    ("punctuation.delimiter", "punctuation.separator.delimiter"),
    ("punctuation.special", "punctuation.definition.template-expression"),
    ("punctuation.special", "punctuation.section.embedded"),
    ("special", "support.other"),
    ("string", "string.quoted.double"),
    ("string", "string.template"),
    ("string.escape", "constant.character.escape"),
    ("string.regexp", "string.regexp"),
    ("string.special", "string.other"),
    ("tag", "entity.name.tag"),
    ("tag.error", "invalid.illegal"),
    ("type", "entity.name.type.class"),
    ("type", "entity.name.class"),
    ("type", "support.class"),
    ("type", "support.type"),
    ("type.builtin", "support.type.primitive"),
    ("type.builtin", "storage.type.primitive"),
    ("type.enum.variant", "variable.other.enummember"),
    ("type.parameter", "entity.name.type.parameter"),
    ("variable", "variable.other.readwrite"),
    ("variable.builtin", "variable.language"),
    ("variable.other.member", "variable.other.property"),
    ("variable.other.member", "variable.other.object.property"),
    ("variable.other.member", "support.variable.property"),
    ("variable.other.member", "support.type.property-name"),
    ("variable.parameter", "variable.parameter"),
];

/// Scopes of ours, each with the type of such a semantic token. They count where no rule for `TextMate` scopes does.
pub const SEMANTIC: &[(&str, &str)] = &[
    ("attribute", "decorator"),
    ("comment", "comment"),
    ("constant.numeric", "number"),
    ("function", "function"),
    ("function.macro", "macro"),
    ("function.method", "method"),
    ("keyword", "keyword"),
    ("label", "label"),
    ("namespace", "namespace"),
    ("operator", "operator"),
    ("string", "string"),
    ("string.regexp", "regexp"),
    ("type", "class"),
    ("type", "type"),
    ("type", "struct"),
    ("type.enum.variant", "enumMember"),
    ("type.parameter", "typeParameter"),
    ("variable", "variable"),
    ("variable.other.member", "property"),
    ("variable.parameter", "parameter"),
];

/// Scopes of the agent's prose that look as those of Markdown code do.
pub const PROSE: &[(&str, &str)] = &[
    ("markdown.heading", "markup.heading"),
    ("markdown.code", "markup.raw"),
    ("markdown.quote", "markup.quote"),
    ("markdown.link", "markup.link.text"),
    ("markdown.url", "markup.link.url"),
    ("markdown.bullet", "markup.list"),
];

/// A rule of a theme for tokens with some scopes.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// One scope, the beginnings of which match, or what is needed around it and then it.
    pub selector: String,
    /// The color, if the rule has one.
    pub color: Option<Color>,
    /// The attributes, if the rule has them; none is other than not said.
    pub attributes: Option<Modifier>,
}

impl Rule {
    /// Whether it is for all tokens with a scope. One that depends on the scopes around is for one language, mostly.
    fn matches(&self, scope: &str) -> bool {
        let rest = scope.strip_prefix(self.selector.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Whether there is a counterpart of its selector.
    pub fn is_mapped(&self) -> bool {
        SCOPES.iter().any(|(_, scope)| self.matches(scope))
    }
}

/// Returns the style of a token with a scope: color and attributes each by the rule with the longest selector, and of
/// several such by the last one. `None` if no rule is for it.
pub fn style(rules: &[Rule], scope: &str) -> Option<Style> {
    let best = |has: &dyn Fn(&Rule) -> bool| {
        let found = rules.iter().filter(|rule| !rule.selector.is_empty() && rule.matches(scope) && has(rule));
        found.max_by_key(|rule| rule.selector.len())
    };
    let color = best(&|rule| rule.color.is_some()).and_then(|rule| rule.color);
    let attributes = best(&|rule| rule.attributes.is_some()).and_then(|rule| rule.attributes);
    if color.is_none() && attributes.is_none_or(|set| set.is_empty()) {
        return None;
    }
    Some(Style { fg: color, add_modifier: attributes.unwrap_or_default(), ..Style::new() })
}

/// Returns the attributes that `fontStyle` names.
pub fn attributes(text: &str) -> Modifier {
    let words = text.split_whitespace().map(|word| match word {
        "bold" => Modifier::BOLD,
        "italic" => Modifier::ITALIC,
        "underline" => Modifier::UNDERLINED,
        "strikethrough" => Modifier::CROSSED_OUT,
        _ => Modifier::empty(),
    });
    words.fold(Modifier::empty(), |all, one| all | one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(selector: &str, color: u8, attributes: Option<Modifier>) -> Rule {
        let color = (color > 0).then_some(Color::Indexed(color));
        Rule { selector: selector.to_string(), color, attributes }
    }

    #[test]
    fn import_textmate_longest_selector_counts() {
        let rules = [
            rule("keyword.control", 2, None),
            rule("keyword", 1, Some(Modifier::BOLD)),
            rule("keyword.control.flow", 0, Some(Modifier::empty())),
            rule("source.js keyword.control.flow", 9, None),
            rule("key", 9, None),
            rule("keyword", 3, None),
        ];
        let found = |scope: &str| style(&rules, scope);
        assert_eq!(found("keyword.other"), Some(Style::new().fg(Color::Indexed(3)).bold()), "the last one");
        assert_eq!(found("keyword.control"), Some(Style::new().fg(Color::Indexed(2)).bold()));
        assert_eq!(found("keyword.control.flow"), Some(Style::new().fg(Color::Indexed(2))));
        assert_eq!(found("keywords"), None);
        assert!(rules[0].is_mapped() && !rules[3].is_mapped() && !rules[4].is_mapped());
    }

    #[test]
    fn import_textmate_tables_name_scopes_of_the_default_theme() {
        let theme = crate::tui::theme::Theme::builtin();
        for (scope, _) in SCOPES.iter().chain(SEMANTIC).chain(PROSE) {
            let mut outer = *scope;
            while !theme.contains(outer) {
                outer = outer.rsplit_once('.').unwrap_or_else(|| panic!("{scope}")).0;
            }
        }
        let rows = SCOPES.iter().collect::<std::collections::BTreeSet<_>>();
        assert!(rows.len() == SCOPES.len() && SCOPES.is_sorted_by_key(|(scope, _)| *scope));
        assert_eq!(attributes("italic bold  x"), Modifier::ITALIC | Modifier::BOLD);
    }
}
