//! Grammars and queries made ready for use: once, at the first need, by whichever thread needs
//! them. Compiling takes from one to two hundred milliseconds: never on the loop.

use std::sync::OnceLock;

use tree_sitter::{Query, QueryError};

use super::scopes::{self, Paint};
use super::table::{LANGUAGES, Language};

/// A language ready for use.
#[derive(Debug)]
pub struct Compiled {
    /// The grammar.
    pub grammar: tree_sitter::Language,
    /// The query for scopes.
    pub highlights: Query,
    /// What each of its captures paints.
    pub paints: Vec<Option<Paint>>,
    /// The patterns from this one on are our own and win.
    pub own_from: usize,
    /// The query for texts in other languages.
    pub injections: Option<Injections>,
    /// The query for functions, classes, parameters and comments.
    pub textobjects: Option<Query>,
    /// The query for what can be folded.
    pub folds: Option<Query>,
}

/// A query for texts in other languages.
#[derive(Debug)]
pub struct Injections {
    /// The query.
    pub query: Query,
    /// Its capture of the text.
    pub content: u32,
    /// Its capture of the language's name.
    pub language: Option<u32>,
}

static SLOTS: [OnceLock<Option<Compiled>>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];

/// The language ready for use; `None` when its queries do not fit its grammar, which a test
/// rules out.
pub fn compiled(language: &'static Language) -> Option<&'static Compiled> {
    let at = LANGUAGES.iter().position(|row| row.name == language.name)?;
    let made = SLOTS[at].get_or_init(|| {
        compile(language)
            .inspect_err(|error| tracing::error!("the queries of {} are wrong: {error}", language.name))
            .ok()
    });
    made.as_ref()
}

/// Makes a language ready.
pub fn compile(language: &Language) -> Result<Compiled, QueryError> {
    let grammar = tree_sitter::Language::new(language.grammar);
    let shipped = language.highlights.join("\n");
    let highlights = Query::new(&grammar, &format!("{shipped}\n{}", language.own))?;
    let own_from = (0..highlights.pattern_count())
        .find(|pattern| highlights.start_byte_for_pattern(*pattern) > shipped.len())
        .unwrap_or(highlights.pattern_count());
    let paints = highlights.capture_names().iter().map(|name| scopes::paint(name)).collect();
    let optional = |text: &str| if text.is_empty() { Ok(None) } else { Query::new(&grammar, text).map(Some) };
    let injections = optional(&language.injections.join("\n"))?.and_then(|query| {
        let content = query.capture_index_for_name("injection.content")?;
        let language = query.capture_index_for_name("injection.language");
        Some(Injections { query, content, language })
    });
    Ok(Compiled {
        highlights,
        paints,
        own_from,
        injections,
        textobjects: optional(language.textobjects)?,
        folds: optional(language.folds)?,
        grammar,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in LANGUAGES {
            let made = compile(language).unwrap_or_else(|error| panic!("{}: {error}", language.name));
            assert!(made.paints.iter().any(Option::is_some), "{} paints nothing", language.name);
            assert!(made.own_from < made.highlights.pattern_count() || language.own.is_empty());
            assert_eq!(made.injections.is_some(), !language.injections.is_empty(), "{}", language.name);
        }
    }

    #[test]
    fn a_language_is_made_once() {
        let json = super::super::detect::by_name("json").unwrap();
        assert!(std::ptr::eq(compiled(json).unwrap(), compiled(json).unwrap()));
    }
}
