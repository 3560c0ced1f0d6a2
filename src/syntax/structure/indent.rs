//! Indentation of a line from the tree: the line that it is relative to, and whether it is one level deeper.
//! Must not know columns: the reference line has its own white space, so that a file keeps its style.
//!
//! Reads only the nodes on the path from the root to two positions, and those of a few lines above: fast
//! enough for a key press.

use tree_sitter::Node;

use crate::syntax::query::cursor::TextChunks;
use crate::syntax::query::indent_query::{Role, Roles};
use crate::syntax::query::rules::PathNode;
use crate::syntax::tree::Syntax;
use crate::text::movement::motion;
use crate::text::movement::paragraph;
use crate::text::operations::indent::{IndentLevels, Level};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Maximum depth of nodes; deeper code has no known indentation.
const DEPTH_MAX: usize = 1_000;
/// Maximum number of lines above that are read.
const LINES_MAX: usize = 100;
/// Blanks that are passed in a line.
const BLANKS_MAX: usize = 4 << 10;
/// Maximum chain of continued lines.
const CONTINUATIONS_MAX: usize = 20;

/// The nodes on the path to a position, with their roles.
struct Path<'tree> {
    nodes: Vec<(Node<'tree>, Roles)>,
}

impl Path<'_> {
    fn has(&self, role: Role) -> impl Iterator<Item = Node<'_>> {
        self.nodes.iter().filter(move |(_, roles)| roles[role as usize]).map(|(node, _)| *node)
    }
}

/// A line that opens something which contains the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Opening {
    line: Line,
    /// The end of the innermost construct that starts in it.
    end: usize,
}

/// What contains a line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Inside {
    /// Outermost first, each below the previous one.
    openings: Vec<Opening>,
    /// The construct that its first token closes.
    closes: Option<Opening>,
}

/// An existing line, or one that a line break would start.
#[derive(Debug, Clone, Copy)]
struct LinePosition {
    /// The end of the text before it.
    before: Byte,
    /// Its first character, if known.
    first: Option<Byte>,
    /// Text after this offset follows it.
    at: Byte,
}

impl IndentLevels for Syntax {
    fn for_line_break(&self, text: &Text, start: Byte, end: Byte) -> Option<Level> {
        let rest = text.line_end(text.line_of(end));
        let first = skip_blanks(text, end, rest);
        // Below a blank line the user continues at its indentation.
        if first.is_none() && motion::indent_end(text, text.line_of(start)) >= start {
            return None;
        }
        let spot = LinePosition { before: start, first, at: first.unwrap_or(end) };
        self.level(text, spot, text.line_of(start))
    }

    fn for_middle_line(&self, text: &Text, at: Byte) -> Option<Level> {
        self.level(text, LinePosition { before: at, first: None, at }, text.line_of(at))
    }

    fn for_line(&self, text: &Text, line: Line) -> Option<Level> {
        let first = motion::indent_end(text, line);
        let spot = position_of(text, line);
        let path = self.path_to(text, first)?;
        let margin = path.has(Role::Margin).any(|node| node.start_byte() == first.0);
        let literal = path.has(Role::Literal).any(|node| node.start_byte() < first.0);
        if margin || literal || line == Line(0) {
            return None;
        }
        self.level(text, spot, Line(line.0 - 1))
    }
}

impl Syntax {
    /// Whether its language has an indentation query.
    pub fn has_indents(&self) -> bool {
        self.compiled.indents.is_some()
    }

    /// Returns the level of a spot; lines from `above` upwards are candidates for its reference.
    fn level(&self, text: &Text, spot: LinePosition, above: Line) -> Option<Level> {
        let inside = self.enclosing(text, spot)?;
        if let Some(closes) = inside.closes {
            return Some(Level {
                line: self.anchor_line(text, closes.line, spot.at, &inside.openings)?,
                deeper: false,
            });
        }
        let beside = self.line_above(text, above);
        if let Some((beside, theirs)) = &beside {
            if theirs.last() == inside.openings.last() {
                return Some(Level { line: *beside, deeper: false });
            }
            // It continues after a construct that has ended.
            let ended = theirs.get(inside.openings.len()).filter(|_| begins_with(theirs, &inside.openings));
            if let Some(ended) = ended {
                return Some(Level {
                    line: self.anchor_line(text, ended.line, spot.at, &inside.openings)?,
                    deeper: false,
                });
            }
        }
        match inside.openings.last() {
            Some(opening) => Some(Level {
                line: self.anchor_line(text, opening.line, spot.at, &inside.openings)?,
                deeper: true,
            }),
            None => None,
        }
    }

    /// Returns the nearest suitable reference line from this one upwards, with what contains it.
    fn line_above(&self, text: &Text, from: Line) -> Option<(Line, Vec<Opening>)> {
        let mut line = from;
        for _ in 0..LINES_MAX {
            let first = motion::indent_end(text, line);
            if !paragraph::is_blank(text, line) {
                let path = self.path_to(text, first)?;
                let literal = path.has(Role::Literal).find(|node| node.start_byte() < first.0);
                let margin = path.has(Role::Margin).any(|node| node.start_byte() == first.0);
                match literal {
                    Some(node) => {
                        line = Line(node.start_position().row);
                        continue;
                    }
                    None if !margin => {
                        let inside = self.enclosing(text, position_of(text, line))?;
                        return Some((line, inside.openings));
                    }
                    None => {}
                }
            }
            line = Line(line.0.checked_sub(1)?);
        }
        None
    }

    /// Returns the line that determines the indentation of a line that opens something around `at`: the line
    /// itself, or the one that it continues. `around` is what else contains `at`.
    fn anchor_line(&self, text: &Text, line: Line, at: Byte, around: &[Opening]) -> Option<Line> {
        let mut line = line;
        for _ in 0..CONTINUATIONS_MAX {
            let inside = self.enclosing(text, position_of(text, line))?;
            let ended = |last: &&Opening| last.end <= at.0 && last.line < line && !around.contains(last);
            match inside.openings.last().filter(ended) {
                Some(last) => line = last.line,
                None => return Some(line),
            }
        }
        Some(line)
    }

    /// Returns what contains a line; `None` if the code has errors, or belongs to an injection.
    fn enclosing(&self, text: &Text, spot: LinePosition) -> Option<Inside> {
        let mut inside = Inside::default();
        if let Some(before) = last_full(text, spot.before) {
            let path = self.path_to(text, before)?;
            let literal = path.has(Role::Literal).any(|node| node.end_byte() > spot.at.0);
            if literal {
                return None;
            }
            add_openings(text, &path, spot, &mut inside);
        }
        if let Some(first) = spot.first {
            let path = self.path_to(text, first)?;
            if path.has(Role::Outdent).any(|node| node.start_byte() == first.0) {
                inside.closes = inside.openings.pop();
            }
        }
        Some(inside)
    }

    /// Returns the nodes from the root to the one at a byte; `None` if the code has errors or is too deep.
    fn path_to(&self, text: &Text, at: Byte) -> Option<Path<'_>> {
        let indents = self.compiled.indents.as_ref()?;
        let mut cursor = self.tree.root_node().walk();
        let mut nodes: Vec<PathNode<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            if node.start_byte() > at.0 {
                break;
            }
            if node.is_error() || nodes.len() == DEPTH_MAX {
                return None;
            }
            nodes.push((node, node.kind_id(), cursor.field_id().map_or(0, std::num::NonZeroU16::get)));
            if cursor.goto_first_child_for_byte(at.0).is_none() {
                break;
            }
        }
        let mut path = Path { nodes: nodes.iter().map(|(node, ..)| (*node, Roles::default())).collect() };
        indents.rules.match_path(&nodes, TextChunks(text), |n, found| {
            for (capture, node) in found.captures {
                let Some(role) = indents.roles[usize::from(*capture)] else { continue };
                // A chain captures nodes further out, too.
                let from = nodes[..=n].iter().rposition(|(other, ..)| other.id() == node.id());
                if let Some(from) = from {
                    path.nodes[from].1[role as usize] = true;
                }
            }
        });
        Some(path)
    }
}

/// Adds constructs that start before `before` and continue after the spot.
fn add_openings(text: &Text, path: &Path<'_>, spot: LinePosition, inside: &mut Inside) {
    let ends = |n: usize| {
        let (node, roles) = path.nodes[n];
        let around = n.checked_sub(1).map(|above| path.nodes[above].0);
        let whole =
            around.filter(|around| roles[Role::Chain as usize] && around.start_byte() == node.start_byte());
        whole.unwrap_or(node).end_byte()
    };
    let holds = |n: usize| ends(n) > spot.at.0;
    let has = |n: usize, role: Role| path.nodes[n].1[role as usize];
    let extended = |n: usize| spot.first.is_none() && has(n, Role::Extend) && !holds(n);
    let all = 0..path.nodes.len();
    let stops = spot.first.is_none() && all.clone().any(|n| has(n, Role::Prevent) && !holds(n));
    let prevented = all.clone().rev().find(|n| stops && extended(*n));
    for n in all {
        let node = path.nodes[n].0;
        if !(holds(n) || extended(n) || n > 0 && is_unfinished(node)) {
            continue;
        }
        let line = Line(node.start_position().row);
        if has(n, Role::Outdent) && motion::indent_end(text, line).0 == node.start_byte() {
            inside.openings.pop();
        }
        if (has(n, Role::Indent) || has(n, Role::Chain)) && prevented != Some(n) {
            let end = ends(n);
            match inside.openings.last_mut() {
                Some(last) if last.line == line => last.end = last.end.min(end),
                _ => inside.openings.push(Opening { line, end }),
            }
        }
    }
}

/// Returns an existing line as a spot.
fn position_of(text: &Text, line: Line) -> LinePosition {
    let first = motion::indent_end(text, line);
    LinePosition { before: text.line_start(line), first: Some(first), at: first }
}

/// Whether the end of a node is missing, so that it continues after its content.
fn is_unfinished(node: Node<'_>) -> bool {
    if !node.has_error() {
        return false;
    }
    let mut cursor = node.walk();
    cursor.goto_last_child() && cursor.node().is_missing()
}

fn begins_with(long: &[Opening], short: &[Opening]) -> bool {
    long.len() > short.len() && long.iter().zip(short).all(|(a, b)| a.line == b.line)
}

/// The first byte of a range that is no blank.
fn skip_blanks(text: &Text, from: Byte, to: Byte) -> Option<Byte> {
    let mut at = from;
    while at < to && at - from < BLANKS_MAX {
        if !matches!(text.byte_at(at), Some(b' ' | b'\t')) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the last byte before a position that is not white space, within a limited number of lines.
fn last_full(text: &Text, before: Byte) -> Option<Byte> {
    let line = text.line_of(before);
    for above in (line.0.saturating_sub(LINES_MAX)..=line.0).rev().map(Line) {
        let end = text.line_end(above).min(before);
        let mut at = end;
        while at > text.line_start(above) && end - at < BLANKS_MAX {
            at = at.back(1);
            if !matches!(text.byte_at(at), Some(b' ' | b'\t' | b'\r')) {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
