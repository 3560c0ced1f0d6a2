//! Local names: all references of a name within its scope, and which names are parameters. Must not know the
//! caller.
//!
//! A name is resolved by its text, from the innermost scope outwards. Ambiguous names are refused, since a
//! rename of half of the references is worse than none.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::syntax::query::cursor::TextChunks;
use crate::syntax::query::locals_query::{Locals, Role};
use crate::syntax::tree::Syntax;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Time limit for searching a scope.
const BUDGET: Duration = Duration::from_secs(2);
/// Bytes of a name.
const NAME_MAX: usize = 200;
/// Maximum bytes of a string that is searched.
const TEXT_MAX: usize = 4 << 10;
/// Maximum bytes of a scope whose parameters are highlighted.
const PAINTED_MAX: usize = 64 << 10;

/// Why the references of a name are not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LocalsError {
    /// The language has no query for local names.
    #[error("which names belong together is not known in this language")]
    Language,
    /// There is no name here.
    #[error("there is no name at the cursor")]
    Nothing,
    /// It is not defined in the surrounding scopes.
    #[error("this name is not that of a parameter or a local variable")]
    NotLocal,
    /// It is ambiguous.
    #[error("this name means something else here, too: its places cannot be told apart")]
    Unsure,
    /// The surrounding scope is too long.
    #[error("what is around this name is too long to be looked through")]
    TooLong,
}

/// A name in the text.
#[derive(Debug, Clone)]
struct Name {
    range: Range<usize>,
    role: Role,
    /// The definition is visible from this offset on.
    visible_from: usize,
    /// Whether it shadows earlier definitions in the same scope.
    is_redefinition: bool,
}

/// The names in a part of a text.
struct Table {
    /// By start, outer ones first.
    scopes: Vec<Range<usize>>,
    names: Vec<Name>,
    texts: Vec<Range<usize>>,
    is_complete: bool,
}

/// What a name refers to: a scope, and a definition in it.
type Binding = (usize, usize);

impl Syntax {
    /// Returns all references of the local name at a position, in order.
    pub fn local_references(&self, text: &Text, at: Byte) -> Result<Vec<Range<Byte>>, LocalsError> {
        let locals = self.compiled.locals.as_ref().ok_or(LocalsError::Language)?;
        let around = self.outermost(locals, text, at.0).ok_or(LocalsError::NotLocal)?;
        let table = self.table(locals, text, &around, Instant::now() + BUDGET);
        if !table.is_complete {
            return Err(LocalsError::TooLong);
        }
        let here = |name: &&Name| name.range.start <= at.0 && at.0 <= name.range.end;
        // Between two adjacent names the second is meant.
        let name = table.names.iter().rfind(here).ok_or(LocalsError::Nothing)?;
        let word = read(text, &name.range).ok_or(LocalsError::Nothing)?;
        let same = |name: &&Name| read(text, &name.range).as_deref() == Some(&word);
        let same: Vec<&Name> = table.names.iter().filter(same).collect();
        let index = Index::new(&table.scopes, &same);
        let binding = index.binding(name).ok_or(LocalsError::NotLocal)?;
        let mut out = Vec::new();
        for other in same.iter().filter(|other| index.binding(other) == Some(binding)) {
            if other.role == Role::Unsure {
                return Err(LocalsError::Unsure);
            }
            out.push(Byte(other.range.start)..Byte(other.range.end));
        }
        let scope = &table.scopes[binding.0];
        let inside = |range: &&Range<usize>| scope.start <= range.start && range.end <= scope.end;
        if table.texts.iter().filter(inside).any(|range| names_in_braces(text, range, &word)) {
            return Err(LocalsError::Unsure);
        }
        Ok(out)
    }

    /// Returns the references of parameters in a range, including their definitions.
    pub(in crate::syntax) fn parameters(
        &self,
        text: &Text,
        range: &Range<usize>,
        deadline: Instant,
    ) -> Vec<Range<usize>> {
        let Some(locals) = &self.compiled.locals else { return Vec::new() };
        let start = self.outermost(locals, text, range.start).map_or(range.start, |around| around.start);
        if range.end.saturating_sub(start) > PAINTED_MAX + range.len() {
            return Vec::new();
        }
        let table = self.table(locals, text, &(start..range.end), deadline);
        let mut by_word: HashMap<String, Vec<&Name>> = HashMap::new();
        let mut words: HashMap<String, bool> = HashMap::new();
        for name in &table.names {
            let Some(word) = read(text, &name.range) else { continue };
            *words.entry(word.clone()).or_default() |= name.role == Role::Parameter;
            by_word.entry(word).or_default().push(name);
        }
        let mut out = Vec::new();
        for (word, names) in by_word.iter().filter(|(word, _)| words[*word]) {
            debug_assert!(!word.is_empty());
            let index = Index::new(&table.scopes, names);
            let seen =
                names.iter().filter(|name| name.range.end > range.start && name.range.start < range.end);
            out.extend(seen.filter(|name| index.is_parameter(name)).map(|name| name.range.clone()));
        }
        out
    }

    /// Returns the outermost scope around a position that is not the whole text.
    fn outermost(&self, locals: &Locals, text: &Text, at: usize) -> Option<Range<usize>> {
        let mut found = None;
        let range = at..at + 1;
        locals.rules.for_each_match(
            self.tree.root_node(),
            TextChunks(text),
            &range,
            Instant::now() + BUDGET,
            |one| {
                for (capture, node) in one.captures {
                    let is_scope = locals.roles[usize::from(*capture)] == Some(Role::Scope);
                    let range = node.byte_range();
                    let outer = found.as_ref().is_none_or(|known: &Range<usize>| known.len() < range.len());
                    if is_scope && outer && range.start <= at && at <= range.end {
                        found = Some(range);
                    }
                }
            },
        );
        found
    }

    fn table(&self, locals: &Locals, text: &Text, range: &Range<usize>, deadline: Instant) -> Table {
        let mut names: BTreeMap<(usize, usize), Name> = BTreeMap::new();
        let (mut scopes, mut texts) = (Vec::new(), Vec::new());
        locals.rules.for_each_match(self.tree.root_node(), TextChunks(text), range, deadline, |one| {
            let role = |capture: u16| locals.roles[usize::from(capture)];
            let holder =
                one.captures.iter().find(|(c, _)| matches!(role(*c), Some(Role::From | Role::Redefinition)));
            for (capture, node) in one.captures {
                let range = node.byte_range();
                match role(*capture) {
                    Some(Role::Scope) => scopes.push(range),
                    Some(Role::Text) => texts.push(range),
                    None | Some(Role::From | Role::Redefinition) => {}
                    Some(Role::Token)
                        if range.start > 0 && text.byte_at(Byte(range.start - 1)) == Some(b'.') =>
                    {
                        let name = Name { role: Role::None, visible_from: 0, is_redefinition: false, range };
                        names.insert((name.range.start, name.range.end), name);
                    }
                    Some(role) => {
                        let from = holder.map_or(0, |(_, node)| node.end_byte());
                        let anew = holder
                            .is_some_and(|(c, _)| locals.roles[usize::from(*c)] == Some(Role::Redefinition));
                        let name = Name { range, role, visible_from: from, is_redefinition: anew };
                        let known =
                            names.entry((name.range.start, name.range.end)).or_insert_with(|| name.clone());
                        if known.role < name.role {
                            *known = name;
                        }
                    }
                }
            }
        });
        scopes.sort_by_key(|scope| (scope.start, std::cmp::Reverse(scope.end)));
        let names = names.into_values().filter(|name| name.role != Role::None).collect();
        Table { scopes, names, texts, is_complete: Instant::now() <= deadline }
    }
}

/// Names of a text, by the scopes that define them.
struct Index<'a> {
    scopes: &'a [Range<usize>],
    /// Definitions by scope, in order.
    defined: HashMap<usize, Vec<&'a Name>>,
}

impl<'a> Index<'a> {
    fn new(scopes: &'a [Range<usize>], names: &[&'a Name]) -> Self {
        let mut index = Self { scopes, defined: HashMap::new() };
        for name in names.iter().filter(|name| matches!(name.role, Role::Definition | Role::Parameter)) {
            let scope = index.scopes_around(name).next();
            if let Some(scope) = scope {
                index.defined.entry(scope).or_default().push(name);
            }
        }
        index
    }

    /// The scopes around a name, innermost first.
    fn scopes_around(&self, name: &Name) -> impl Iterator<Item = usize> {
        let before = self.scopes.partition_point(|scope| scope.start <= name.range.start);
        let (scopes, end) = (self.scopes, name.range.end);
        (0..before).rev().filter(move |at| scopes[*at].end >= end)
    }

    fn definition(&self, name: &Name) -> Option<(usize, &'a Name)> {
        self.scopes_around(name).find_map(|scope| {
            let known = |one: &&&Name| one.visible_from <= name.range.start || one.range == name.range;
            let last = self.defined.get(&scope)?.iter().rev().find(known)?;
            Some((scope, *last))
        })
    }

    fn binding(&self, name: &Name) -> Option<Binding> {
        let (scope, definition) = self.definition(name)?;
        Some((scope, if definition.is_redefinition { definition.range.start } else { 0 }))
    }

    fn is_parameter(&self, name: &Name) -> bool {
        self.definition(name).is_some_and(|(_, definition)| definition.role == Role::Parameter)
    }
}

fn read(text: &Text, range: &Range<usize>) -> Option<String> {
    let fits = !range.is_empty() && range.len() <= NAME_MAX;
    fits.then(|| text.slice(Byte(range.start)..Byte(range.end)).into_owned())
}

/// Whether a string contains a name in braces, as in string interpolation.
fn names_in_braces(text: &Text, range: &Range<usize>, word: &str) -> bool {
    let end = text.char_floor(Byte(range.end.min(range.start + TEXT_MAX)));
    let content = text.slice(Byte(range.start)..end);
    content
        .match_indices(&format!("{{{word}"))
        .any(|(at, found)| content[at + found.len()..].starts_with(['}', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::languages::detect::by_name;
    use crate::text::marked;
    use crate::text::selection::{Range as Selected, Selection};

    fn parse(language: &str, code: &str) -> (Syntax, Text, Byte) {
        let (text, selection) = marked::parse(code);
        let syntax = Syntax::parse(by_name(language).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        (syntax, text, selection.primary().head)
    }

    #[track_caller]
    fn check(language: &str, before: &str, after: &str) {
        let (syntax, text, at) = parse(language, before);
        let found = syntax.local_references(&text, at);
        let found =
            found.unwrap_or_else(|error| panic!("{language} {before:?}: {error}\n{}", syntax.to_sexp()));
        let ranges = found.into_iter().map(|range| Selected::new(range.start, range.end)).collect();
        assert_eq!(marked::show(&text, &Selection::new(ranges, 0)), after, "{language}");
    }

    #[track_caller]
    fn refused(language: &str, code: &str, refusal: LocalsError) {
        let (syntax, text, at) = parse(language, code);
        assert_eq!(syntax.local_references(&text, at), Err(refusal), "{language} {code:?}");
    }

    #[test]
    fn locals_rename_in_rust_and_python() {
        check(
            "rust",
            "fn f(é: u8) { g(|é); h.é(é) } fn k(é: u8) {}",
            "fn f(«é»: u8) { g(«é»); h.é(«é») } fn k(é: u8) {}",
        );
        check(
            "rust",
            "fn f() { let x = 1; let x = |x + 1; x }",
            "fn f() { let «x» = 1; let x = «x» + 1; x }",
        );
        check(
            "rust",
            "fn f(x: u8) { let x = x; { let x = 2; k(x) } m(|x) }",
            "fn f(x: u8) { let «x» = x; { let x = 2; k(x) } m(«x») }",
        );
        check(
            "rust",
            "fn f(a: u8) { v.map(|_| 1); if let Some(a) = b { c(a) } d!(«a», q.a) }"
                .replace("«a»", "|a")
                .replace("|_|", "")
                .as_str(),
            "fn f(«a»: u8) { v.map( 1); if let Some(a) = b { c(a) } d!(«a», q.a) }",
        );
        check(
            "python",
            "def f(a, b=1):\n  c = |a\n  g(a=a.a)\n  return [a for a in b]\n",
            "def f(«a», b=1):\n  c = «a»\n  g(a=«a».a)\n  return [a for a in b]\n",
        );
        check(
            "python",
            "def f():\n  for i in x:\n    |i += 1\n  return i\n",
            "def f():\n  for «i» in x:\n    «i» += 1\n  return «i»\n",
        );
    }

    #[test]
    fn locals_rename_in_brace_languages() {
        check(
            "javascript",
            "const f = (a) => { const b = |a; return { a: a, b() { return a.a } } }",
            "const f = («a») => { const b = «a»; return { a: «a», b() { return «a».a } } }",
        );
        check(
            "typescript",
            "function f(a: number) { let b = 1; for (const b of x) { k(b) } m(|b) }",
            "function f(a: number) { let «b» = 1; for (const b of x) { k(b) } m(«b») }",
        );
        check("tsx", "const A = (x: B) => <p c={|x}>{x}</p>", "const A = («x»: B) => <p c={«x»}>{«x»}</p>");
        check(
            "go",
            "func f(a int) {\n\tb, err := g(a)\n\tc, err := h(|err)\n\tk(b, c, err)\n}\n",
            "func f(a int) {\n\tb, «err» := g(a)\n\tc, «err» := h(«err»)\n\tk(b, c, «err»)\n}\n",
        );
        check(
            "c",
            "int f(int *p) { int x = *p; { int x = 2; g(x); } return |x; }",
            "int f(int *p) { int «x» = *p; { int x = 2; g(x); } return «x»; }",
        );
        check(
            "cpp",
            "int f(const A &a) { for (auto &b : a) { g(b, |a.b); } }",
            "int f(const A &«a») { for (auto &b : «a») { g(b, «a».b); } }",
        );
        check(
            "java",
            "class A { int f(int a) { int b = |a; this.a = a; return a(b); } }",
            "class A { int f(int «a») { int b = «a»; this.a = «a»; return a(b); } }",
        );
        check(
            "lua",
            "local function f(a)\n  local b = |a\n  t.a = a\n  return b\nend\n",
            "local function f(«a»)\n  local b = «a»\n  t.a = «a»\n  return b\nend\n",
        );
    }

    #[test]
    fn locals_ambiguous_rename_is_refused() {
        refused("rust", "const |X: u8 = 1;", LocalsError::NotLocal);
        refused("rust", "fn |f() { g() }", LocalsError::Nothing);
        refused("rust", "fn f() { |g() }", LocalsError::NotLocal);
        refused("rust", "fn f(a: u8) -> S { S { b: |a, a } }", LocalsError::Unsure);
        refused("rust", "fn f(a: u8) { print!(\"{a:?}\", |a) }", LocalsError::Unsure);
        refused("python", "def f():\n  global a\n  |a = 1\n", LocalsError::Unsure);
        refused("javascript", "function f() { if (x) { var |a = 1 } return a }", LocalsError::NotLocal);
        refused("javascript", "function f(|a) { return { a } }", LocalsError::Unsure);
        refused("json", "{\"a\": |1}", LocalsError::Language);
        refused("rust", "fn f(a: u8) { 1 | }", LocalsError::Nothing);
    }

    #[test]
    fn locals_parameters_in_visible_range() {
        let code = "fn f(é: u8) {\n  let b = é;\n  g(é, b)\n}\nfn g(b: u8) { b }\n";
        let (syntax, text, _) = parse("rust", code);
        let deadline = Instant::now() + BUDGET;
        let line = |n| text.line_start(crate::text::position::Line(n)).0;
        let mut found = syntax.parameters(&text, &(line(2)..line(5)), deadline);
        found.sort_by_key(|range| range.start);
        let words: Vec<_> = found
            .iter()
            .map(|range| (text.line_of(Byte(range.start)).0, read(&text, range).unwrap()))
            .collect();
        assert_eq!(words, [(2, "é".to_string()), (4, "b".into()), (4, "b".into())]);
    }
}
