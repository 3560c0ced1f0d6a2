//! What a query says about the indentation of lines. Must not know trees or texts.
//!
//! The queries have these captures, after those of Helix where they mean the same:
//!
//! - `@indent`: lines in it, after the one in which it begins, are one step further in. However
//!   many begin in one line, they are one step.
//! - `@indent.chain`: the same for what something is called or asked of: what the calls hold is
//!   in it, too.
//! - `@outdent`: a line that begins with it is as far in as the line where the innermost
//!   `@indent` around it begins.
//! - `@extend`: a new line behind its end is still in it.
//! - `@extend.prevent-once`: not behind this, for the innermost of them.
//! - `@literal`: lines that begin in it mean what they are and stay.
//! - `@margin`: a line that begins with it stays, and no other line follows it.

use crate::syntax::query::rules::Rules;

/// A query for indentation ready for use.
#[derive(Debug)]
pub(in crate::syntax) struct Indents {
    pub rules: Rules,
    /// What each of its captures says.
    pub roles: Vec<Option<Role>>,
}

/// What a node is for the indentation of lines.
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
    /// Of a query's patterns; `None` when there are none.
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

    /// Whether a key has the time for it, and every capture means something.
    #[cfg(test)]
    pub(in crate::syntax) fn is_sound(&self) -> bool {
        self.rules.has_only_chains() && self.roles.iter().all(Option::is_some)
    }
}
