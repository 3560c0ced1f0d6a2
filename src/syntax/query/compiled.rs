//! Compiled grammars and queries: compiled once, on first use, by the thread that needs them. Takes some
//! milliseconds, for some languages many: never do it on the event loop.

use std::sync::OnceLock;

use tree_sitter::{Query, QueryError};

use crate::syntax::highlighting::scopes;
use crate::syntax::highlighting::scopes::Paint;
use crate::syntax::languages::table::{LANGUAGES, Language};
use crate::syntax::query::indent_query::Indents;
use crate::syntax::query::lexer;
use crate::syntax::query::locals_query::Locals;
use crate::syntax::query::rules::Rules;

/// A compiled language.
#[derive(Debug)]
pub struct Compiled {
    /// The grammar.
    pub grammar: tree_sitter::Language,
    /// The queries for highlights and injections, for a single traversal of a tree.
    pub(in crate::syntax) rules: Rules,
    /// The paint of each of its captures.
    pub paints: Vec<Option<Paint>>,
    /// Index of the first pattern that is our own and takes precedence.
    pub own_from: usize,
    /// Index of the first injection pattern.
    pub injections_from: usize,
    /// The capture of such a text.
    pub(in crate::syntax) content: Option<u16>,
    /// The capture with the name of an injected language.
    pub(in crate::syntax) language_capture: Option<u16>,
    /// The query for local names.
    pub(in crate::syntax) locals: Option<Locals>,
    /// The query for indentation.
    pub(in crate::syntax) indents: Option<Indents>,
    language: &'static Language,
    textobjects: OnceLock<Option<Rules>>,
    folds: OnceLock<Option<Query>>,
}

impl Compiled {
    /// The query for functions, classes, parameters, comments and tests.
    pub(in crate::syntax) fn textobjects(&self) -> Option<&Rules> {
        let text = self.language.textobjects;
        let make = || (!text.is_empty()).then(|| Rules::new(&self.grammar, text))?.ok();
        self.textobjects.get_or_init(make).as_ref()
    }

    /// Returns the query for folding.
    pub fn folds(&self) -> Option<&Query> {
        self.lazy_query(&self.folds, self.language.folds)
    }

    fn lazy_query<'a>(&self, slot: &'a OnceLock<Option<Query>>, text: &str) -> Option<&'a Query> {
        let make = || {
            let made = (!text.is_empty()).then(|| Query::new(&self.grammar, text))?;
            let wrong = |error: &QueryError| tracing::error!("a query of {}: {error}", self.language.name);
            made.inspect_err(wrong).ok()
        };
        slot.get_or_init(make).as_ref()
    }
}

static SLOTS: [OnceLock<Option<Compiled>>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];

/// Returns the compiled language; `None` when its queries do not fit its grammar, which a test rules out.
pub fn compiled(language: &'static Language) -> Option<&'static Compiled> {
    let at = LANGUAGES.iter().position(|row| row.name == language.name)?;
    let made = SLOTS[at].get_or_init(|| {
        compile(language)
            .inspect_err(|error| tracing::error!("the queries of {} are wrong: {error}", language.name))
            .ok()
    });
    made.as_ref()
}

/// Compiles a language.
pub fn compile(language: &'static Language) -> Result<Compiled, QueryError> {
    let grammar = tree_sitter::Language::new(language.grammar);
    let (shipped, inner) = (language.highlights.join("\n"), language.injections.join("\n"));
    let rules = Rules::new(&grammar, &format!("{shipped}\n{}\n{inner}", language.extra_highlights))?;
    let indents = Rules::new(&grammar, language.indents)?;
    let locals = Rules::new(&grammar, language.locals)?;
    let own_from = lexer::forms(&shipped).len();
    Ok(Compiled {
        grammar,
        paints: rules.names.iter().map(|name| scopes::paint(name)).collect(),
        own_from,
        injections_from: own_from + lexer::forms(language.extra_highlights).len(),
        content: rules.capture("injection.content"),
        language_capture: rules.capture("injection.language"),
        rules,
        indents: Indents::new(indents),
        locals: Locals::new(locals),
        language,
        textobjects: OnceLock::new(),
        folds: OnceLock::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_every_query_compiles() {
        for language in LANGUAGES {
            let made = compile(language).unwrap_or_else(|error| panic!("{}: {error}", language.name));
            assert!(made.paints.iter().any(Option::is_some), "{} paints nothing", language.name);
            assert_eq!(made.textobjects().is_some(), !language.textobjects.is_empty(), "{}", language.name);
            assert!(made.textobjects().is_none_or(Rules::has_only_chains), "things of {}", language.name);
            assert_eq!(made.folds().is_some(), !language.folds.is_empty(), "{}", language.name);
            assert_eq!(made.indents.is_some(), !language.indents.is_empty(), "{}", language.name);
            assert!(made.indents.as_ref().is_none_or(Indents::is_sound), "indents of {}", language.name);
            assert_eq!(made.locals.is_some(), !language.locals.is_empty(), "{}", language.name);
            assert!(made.locals.as_ref().is_none_or(Locals::is_sound), "locals of {}", language.name);
            assert_eq!(made.content.is_some(), !language.injections.is_empty(), "{}", language.name);
        }
    }

    #[test]
    fn syntax_language_is_compiled_once() {
        let json = crate::syntax::languages::detect::by_name("json").unwrap();
        assert!(std::ptr::eq(compiled(json).unwrap(), compiled(json).unwrap()));
    }
}
