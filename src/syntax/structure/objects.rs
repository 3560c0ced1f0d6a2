//! Text objects: functions, classes, parameters, comments, tests; around a position, and before and after it.
//! Must not know selections.
//!
//! Reads only as much text as is fast enough for a key press.

use std::ops::Range;
use std::time::{Duration, Instant};

use tree_sitter::Node;

use crate::syntax::query::cursor::TextChunks;
use crate::syntax::tree::Syntax;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Time limit of a search.
const BUDGET: Duration = Duration::from_millis(20);
/// Bytes that are searched before or after a position: first few, then more.
const REACHES: [usize; 3] = [8 << 10, 64 << 10, 256 << 10];

/// A kind of text object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxObject {
    /// A function with its signature.
    Function,
    /// A class, structure or the like.
    Class,
    /// A parameter or an argument.
    Parameter,
    /// A comment.
    Comment,
    /// A test.
    Test,
}

impl SyntaxObject {
    /// Returns the object with Helix's letter.
    pub fn from_letter(sign: char) -> Option<Self> {
        match sign {
            'f' => Some(Self::Function),
            't' => Some(Self::Class),
            'a' => Some(Self::Parameter),
            'c' => Some(Self::Comment),
            'T' => Some(Self::Test),
            _ => None,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::Parameter => "parameter",
            Self::Comment => "comment",
            Self::Test => "test",
        }
    }
}

/// Maximum bytes of the attributes that mark a test.
const MARKS_MAX: usize = 1 << 10;

/// A text object that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundObject {
    around: Range<usize>,
    inside: Option<Range<usize>>,
}

impl Syntax {
    /// Returns the smallest object of a kind that contains this range and is larger; consecutive comment
    /// lines are one object, and a parameter includes its comma.
    pub fn object_around(
        &self,
        text: &Text,
        range: &Range<Byte>,
        object: SyntaxObject,
    ) -> Option<Range<Byte>> {
        let all = |thing: &FoundObject| Byte(thing.around.start)..Byte(thing.around.end);
        let thing = self.smallest(text, range, object, all)?;
        let whole = match object {
            SyntaxObject::Parameter => with_comma(text, &thing.around),
            SyntaxObject::Comment => self.comments(text, thing.around),
            _ => thing.around,
        };
        Some(Byte(whole.start)..Byte(whole.end))
    }

    /// Returns the inside of the smallest object of a kind: the body without its brackets; an object without
    /// a body as a whole.
    pub fn object_inside(
        &self,
        text: &Text,
        range: &Range<Byte>,
        object: SyntaxObject,
    ) -> Option<Range<Byte>> {
        let held =
            |thing: &FoundObject| trim_body(text, thing.inside.as_ref().unwrap_or(&thing.around), object);
        Some(held(&self.smallest(text, range, object, held)?))
    }

    /// [`Self::around`] or [`Self::inside`].
    pub fn object(
        &self,
        text: &Text,
        range: &Range<Byte>,
        object: SyntaxObject,
        outer: bool,
    ) -> Option<Range<Byte>> {
        if outer { self.object_around(text, range, object) } else { self.object_inside(text, range, object) }
    }

    /// Returns the nearest object of a kind that starts after a position, or before it.
    pub fn next_object(
        &self,
        text: &Text,
        at: Byte,
        object: SyntaxObject,
        forward: bool,
    ) -> Option<Range<Byte>> {
        REACHES.iter().find_map(|reach| {
            let range =
                if forward { at.0..(at.0 + reach).min(text.end().0) } else { at.back(*reach).0..at.0 };
            let things = self.objects_in(text, &range, object).into_iter().map(|thing| thing.around);
            let found = if forward {
                things.filter(|thing| thing.start > at.0 && thing.start < range.end).min_by_key(|t| t.start)
            } else {
                things
                    .filter(|thing| thing.start < at.0 && thing.start >= range.start)
                    .max_by_key(|t| t.start)
            };
            found.map(|found| Byte(found.start)..Byte(found.end))
        })
    }

    /// Returns the smallest object around a range whose `part` differs from it.
    fn smallest(
        &self,
        text: &Text,
        range: &Range<Byte>,
        object: SyntaxObject,
        part: impl Fn(&FoundObject) -> Range<Byte>,
    ) -> Option<FoundObject> {
        let target = range.start.0..range.end.0;
        let holds = |thing: &FoundObject| {
            thing.around.start <= target.start && target.end <= thing.around.end && part(thing) != *range
        };
        self.objects_in(text, &target, object)
            .into_iter()
            .filter(holds)
            .min_by_key(|thing| thing.around.len())
    }

    /// Returns the objects that touch a range.
    fn objects_in(&self, text: &Text, range: &Range<usize>, object: SyntaxObject) -> Vec<FoundObject> {
        let Some(rules) = self.compiled.textobjects() else { return Vec::new() };
        let name = object.name();
        let capture = |part: &str| rules.capture(&format!("{name}.{part}"));
        let (around, inside, before) = (capture("around"), capture("inside"), capture("before"));
        let range = self.search_range(text, range, object);
        let mut out: Vec<FoundObject> = Vec::new();
        let deadline = Instant::now() + BUDGET;
        rules.for_each_match(self.tree.root_node(), TextChunks(text), &range, deadline, |found| {
            let of = |wanted: Option<u16>| {
                let found = found.captures.iter().find(|(capture, _)| Some(*capture) == wanted);
                found.map(|(_, node)| *node)
            };
            if let Some(mark) = of(before) {
                // The attribute belongs to the next item, skipping other attributes.
                let mut next = mark.next_named_sibling();
                while let Some(node) = next.filter(|node| node.kind() == mark.kind() || node.is_extra()) {
                    next = node.next_named_sibling();
                }
                let end = next.map_or(mark.end_byte(), |node| node.end_byte());
                let body = next.and_then(body_of);
                out.push(FoundObject {
                    around: mark.start_byte()..end,
                    inside: body.map(|body| body.byte_range()),
                });
                return;
            }
            let Some(node) = of(around).or(of(inside)) else { return };
            let body = body_of(node);
            // A class without a body is only named.
            if object != SyntaxObject::Class || body.is_some() {
                out.push(FoundObject {
                    around: node.byte_range(),
                    inside: body.map(|body| body.byte_range()),
                });
            }
        });
        if object == SyntaxObject::Test {
            self.add_bodies(text, &range, &mut out);
        }
        out
    }

    /// Returns the range to search for objects that touch a range: the attributes of a test precede the
    /// function that touches it.
    fn search_range(&self, text: &Text, range: &Range<usize>, object: SyntaxObject) -> Range<usize> {
        let mut start = range.start.saturating_sub(1);
        if object == SyntaxObject::Test {
            let functions = self.objects_in(text, range, SyntaxObject::Function);
            start = functions.iter().map(|thing| thing.around.start).fold(start, usize::min);
            start = start.saturating_sub(MARKS_MAX);
        }
        start..range.end.max(range.start + 1)
    }

    /// Gives tests the body of their function.
    fn add_bodies(&self, text: &Text, range: &Range<usize>, tests: &mut [FoundObject]) {
        let functions = self.objects_in(text, range, SyntaxObject::Function);
        for test in tests.iter_mut().filter(|test| test.inside.is_none()) {
            let within = |thing: &&FoundObject| {
                test.around.start <= thing.around.start && thing.around.end <= test.around.end
            };
            let function = functions.iter().filter(within).max_by_key(|thing| thing.around.len());
            test.inside = function.and_then(|function| function.inside.clone());
        }
    }

    /// Returns a comment joined with those in the adjacent lines.
    fn comments(&self, text: &Text, one: Range<usize>) -> Range<usize> {
        let reach = one.start.saturating_sub(REACHES[0])..(one.end + REACHES[0]).min(text.end().0);
        let mut all: Vec<_> =
            self.objects_in(text, &reach, SyntaxObject::Comment).into_iter().map(|t| t.around).collect();
        all.sort_by_key(|comment| comment.start);
        let joined = |from: usize, to: usize| {
            let between = text.slice(Byte(from.min(to))..Byte(to));
            between.chars().all(char::is_whitespace) && between.matches('\n').count() <= 1
        };
        let mut whole = one;
        for comment in all.iter().filter(|comment| comment.start >= whole.end).cloned().collect::<Vec<_>>() {
            if !joined(whole.end, comment.start) {
                break;
            }
            whole.end = comment.end;
        }
        for comment in
            all.iter().rev().filter(|comment| comment.end <= whole.start).cloned().collect::<Vec<_>>()
        {
            if !joined(comment.end, whole.start) {
                break;
            }
            whole.start = comment.start;
        }
        whole
    }
}

/// Returns the body of an object, as most grammars name it.
fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    let field = |name| node.child_by_field_name(name);
    let of_type = || node.named_child(0)?.child_by_field_name("type");
    field("body")
        .or_else(|| field("value"))
        .or_else(|| of_type().filter(|_| node.kind() == "type_declaration"))
}

/// Returns a body without its brackets and adjacent blanks; comments and parameters are unchanged.
fn trim_body(text: &Text, body: &Range<usize>, object: SyntaxObject) -> Range<Byte> {
    let (mut start, mut end) = (Byte(body.start), Byte(body.end));
    if matches!(object, SyntaxObject::Parameter | SyntaxObject::Comment) || end - start < 2 {
        return start..end;
    }
    let pair = (text.byte_at(start), text.byte_at(end.back(1)));
    if matches!(pair, (Some(b'{'), Some(b'}'))) {
        (start, end) = (start + 1, end.back(1));
        while start < end && text.byte_at(start).is_some_and(|byte| byte.is_ascii_whitespace()) {
            start += 1;
        }
        while start < end && text.byte_at(end.back(1)).is_some_and(|byte| byte.is_ascii_whitespace()) {
            end = end.back(1);
        }
    }
    start..end
}

/// Returns a parameter with the following comma and blanks; the last one with the comma before it.
fn with_comma(text: &Text, one: &Range<usize>) -> Range<usize> {
    let byte = |at: usize| text.byte_at(Byte(at));
    let blank = |at: usize| byte(at).is_some_and(|byte| byte.is_ascii_whitespace());
    let mut end = one.end;
    while blank(end) {
        end += 1;
    }
    if byte(end) == Some(b',') {
        end += 1;
        while blank(end) {
            end += 1;
        }
        return one.start..end;
    }
    let mut start = one.start;
    while start > 0 && blank(start - 1) {
        start -= 1;
    }
    if start > 0 && byte(start - 1) == Some(b',') { start - 1..one.end } else { one.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::languages::detect::by_name;
    use crate::text::marked;

    fn parse(name: &str, code: &str) -> (Syntax, Text, Range<Byte>) {
        let (text, selection) = marked::parse(code);
        let syntax = Syntax::parse(by_name(name).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        (syntax, text, selection.primary().span())
    }

    #[test]
    fn text_objects_around_and_inside_function() {
        let snippets = [
            ("rust", "struct S { a: u8 }\n// c\nfn f(x: u8) { g(|1); }\n", "fn f(x: u8) { g(1); }", "g(1);"),
            ("python", "def f(x):\n    return g(|1)\n", "def f(x):\n    return g(1)", "return g(1)"),
            (
                "javascript",
                "function f(x) { return g(|1); }\n",
                "function f(x) { return g(1); }",
                "return g(1);",
            ),
            (
                "tsx",
                "function f(x: A) { return g(|1); }\n",
                "function f(x: A) { return g(1); }",
                "return g(1);",
            ),
            ("go", "package a\nfunc f(x int) { g(|1) }\n", "func f(x int) { g(1) }", "g(1)"),
            ("c", "int f(int x) { return g(|1); }\n", "int f(int x) { return g(1); }", "return g(1);"),
            ("cpp", "int f(int x) { return g(|1); }\n", "int f(int x) { return g(1); }", "return g(1);"),
            ("ruby", "def f(x)\n  g(|1)\nend\n", "def f(x)\n  g(1)\nend", "g(1)"),
            (
                "php",
                "<?php\nfunction f($x) { return g(|1); }\n",
                "function f($x) { return g(1); }",
                "return g(1);",
            ),
            ("lua", "function f(x)\n  g(|1)\nend\n", "function f(x)\n  g(1)\nend", "g(1)"),
            ("scala", "def f(x: Int) = { g(|1) }\n", "def f(x: Int) = { g(1) }", "g(1)"),
            ("swift", "func f(x: Int) { g(|1) }\n", "func f(x: Int) { g(1) }", "g(1)"),
        ];
        for (name, code, function, inside) in snippets {
            let (syntax, text, range) = parse(name, code);
            let show = |range: Option<Range<Byte>>| range.map(|r| text.slice(r).into_owned());
            let around = |object| show(syntax.object_around(&text, &range, object));
            assert_eq!(around(SyntaxObject::Function).as_deref(), Some(function), "{name}");
            assert_eq!(
                show(syntax.object_inside(&text, &range, SyntaxObject::Function)).as_deref(),
                Some(inside),
                "{name}"
            );
            assert_eq!(around(SyntaxObject::Parameter).as_deref(), Some("1"), "{name}");
            assert_eq!(around(SyntaxObject::Class), None, "{name}");
            assert_eq!(around(SyntaxObject::Comment), None, "{name}");
        }
    }

    #[test]
    fn text_objects_class_contains_methods() {
        for (name, code, inside) in [
            ("java", "class A { int f(int x) { return |1; } }", "int f(int x) { return 1; }"),
            ("csharp", "class A { int F(int x) { return |1; } }", "int F(int x) { return 1; }"),
            ("typescript", "class A { f(x: B) { return |1; } }", "f(x: B) { return 1; }"),
            ("python", "class Ä:\n  def f(self): return |1\n", "def f(self): return 1"),
        ] {
            let (syntax, text, range) = parse(name, code);
            let found =
                syntax.object_inside(&text, &range, SyntaxObject::Class).map(|r| text.slice(r).into_owned());
            assert_eq!(found.as_deref(), Some(inside), "{name}");
        }
    }

    #[test]
    fn text_objects_parameter_comma_and_comment_block() {
        let around = |code: &str, object| {
            let (syntax, text, range) = parse("rust", code);
            syntax.object_around(&text, &range, object).map(|r| text.slice(r).into_owned())
        };
        assert_eq!(around("fn f(|é: u8, b: u8) {}", SyntaxObject::Parameter).as_deref(), Some("é: u8, "));
        assert_eq!(around("fn f(a: u8, |b: u8) {}", SyntaxObject::Parameter).as_deref(), Some(", b: u8"));
        assert_eq!(around("fn f(|b: u8) {}", SyntaxObject::Parameter).as_deref(), Some("b: u8"));
        let code = "// a\n\n// b\n  // |é\n// d\nfn f() {}\n// e\n";
        assert_eq!(around(code, SyntaxObject::Comment).as_deref(), Some("// b\n  // é\n// d"));
    }

    #[test]
    fn text_objects_tests_differ_from_functions() {
        let snippets = [
            (
                "rust",
                "fn a() {}\n#[test]\n#[ignore]\n// é\nfn b() { |c() }\n",
                "#[test]\n#[ignore]\n// é\nfn b() { c() }",
                "c()",
            ),
            ("go", "func TestA(t *T) { |b() }\n", "func TestA(t *T) { b() }", "b()"),
            ("python", "def test_a():\n  |b()\n", "def test_a():\n  b()", "b()"),
            ("javascript", "it('é', () => { |b() })\n", "it('é', () => { b() })", "b()"),
            ("java", "class A { @Test void a() { |b(); } }\n", "@Test void a() { b(); }", "b();"),
        ];
        for (name, code, around, inside) in snippets {
            let (syntax, text, range) = parse(name, code);
            let show = |range: Option<Range<Byte>>| range.map(|r| text.slice(r).into_owned());
            assert_eq!(
                show(syntax.object_around(&text, &range, SyntaxObject::Test)).as_deref(),
                Some(around),
                "{name}"
            );
            assert_eq!(
                show(syntax.object_inside(&text, &range, SyntaxObject::Test)).as_deref(),
                Some(inside),
                "{name}"
            );
        }
        let (syntax, text, range) = parse("python", "def f():\n  |b()\n");
        assert_eq!(syntax.object_around(&text, &range, SyntaxObject::Test), None);
    }

    #[test]
    fn text_objects_next_and_previous_function() {
        let mut code = "fn é() {}\n".to_string();
        code.push_str(&"let x = 1;\n".repeat(2_000));
        code.push_str("fn b() { |1 }\nfn c() {}\n");
        let (syntax, text, range) = parse("rust", &code);
        let next = |at, forward| syntax.next_object(&text, at, SyntaxObject::Function, forward);
        let show = |range: Option<Range<Byte>>| range.map(|r| text.slice(r).into_owned());
        assert_eq!(show(next(range.start, true)).as_deref(), Some("fn c() {}"));
        let here = next(range.start, false).unwrap();
        assert_eq!(text.slice(here.clone()), "fn b() { 1 }");
        assert_eq!(show(next(here.start, false)).as_deref(), Some("fn é() {}"));
        assert_eq!(next(Byte(0), false), None);
        assert_eq!(next(text.end(), true), None);
    }
}
