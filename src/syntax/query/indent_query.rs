//! Captures of indentation queries. Must not know trees or texts.
//!
//! The queries have these captures, named as in Helix if they mean the same:
//!
//! - `@indent`: lines in it, after the one in which it starts, are one level deeper. Several that start in
//!   one line count as one level.
//! - `@indent.chain`: the same for a method chain's receiver: it also contains the arguments of the calls.
//! - `@outdent`: a line that starts with it has the indentation of the line where the innermost surrounding
//!   `@indent` starts.
//! - `@extend`: a new line after its end still belongs to it.
//! - `@extend.prevent-once`: not after this, for the innermost of them.
//! - `@literal`: lines that start in it have significant white space and are not changed.
//! - `@margin`: a line that starts with it is not changed, and no other line is relative to it.

use crate::syntax::query::rules::Rules;

/// A compiled indentation query.
#[derive(Debug)]
pub(in crate::syntax) struct Indents {
    pub rules: Rules,
    /// The role of each of its captures.
    pub roles: Vec<Option<Role>>,
}

/// Role of a node in indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) enum Role {
    Indent,
    Chain,
    Outdent,
    Extend,
    Prevent,
    Literal,
    Margin,
}

/// Whether a node has each role.
pub(in crate::syntax) type Roles = [bool; 7];

impl Indents {
    /// Creates it from a query's patterns; `None` when there are none.
    pub(in crate::syntax) fn new(rules: Rules) -> Option<Self> {
        let say = |name: &String| match name.as_str() {
            "indent" => Some(Role::Indent),
            "indent.chain" => Some(Role::Chain),
            "outdent" => Some(Role::Outdent),
            "extend" => Some(Role::Extend),
            "extend.prevent-once" => Some(Role::Prevent),
            "literal" => Some(Role::Literal),
            "margin" => Some(Role::Margin),
            _ => None,
        };
        let made: Vec<_> = rules.names.iter().map(say).collect();
        (!made.is_empty()).then_some(Self { rules, roles: made })
    }

    /// Whether it is fast enough for a key press, and every capture is known.
    #[cfg(test)]
    pub(in crate::syntax) fn is_sound(&self) -> bool {
        self.rules.has_only_chains() && self.roles.iter().all(Option::is_some)
    }
}
