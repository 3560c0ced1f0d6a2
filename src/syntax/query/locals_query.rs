//! Captures of queries for local names. Must not know trees.
//!
//! The queries have these captures:
//!
//! - `@local.scope`: a scope; names defined in it, but not in inner scopes, are visible in it.
//! - `@local.definition`, `@local.parameter`: a name that is defined.
//! - `@local.from`, beside one: visible from its end on; `@local.anew`: the same, and no other definition in
//!   the scope means this one.
//! - `@local.reference`: a name that may refer to a definition; `@local.token`: unless it follows a dot.
//! - `@local.none`: a name of something else.
//! - `@local.unsure`: a name that also refers to something else.
//! - `@local.text`: a string that may contain names in braces.

use crate::syntax::query::rules::Rules;

/// A compiled query for local names.
#[derive(Debug)]
pub(in crate::syntax) struct Locals {
    pub rules: Rules,
    /// The role of each of its captures.
    pub roles: Vec<Option<Role>>,
}

/// Role of a node. If a node has several, the later one applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::syntax) enum Role {
    Scope,
    From,
    Redefinition,
    Text,
    Reference,
    Token,
    Definition,
    Parameter,
    None,
    Unsure,
}

impl Locals {
    /// Creates it from a query's patterns; `None` when there are none.
    pub(in crate::syntax) fn new(rules: Rules) -> Option<Self> {
        let say = |name: &String| match name.as_str() {
            "local.scope" => Some(Role::Scope),
            "local.from" => Some(Role::From),
            "local.anew" => Some(Role::Redefinition),
            "local.text" => Some(Role::Text),
            "local.reference" => Some(Role::Reference),
            "local.token" => Some(Role::Token),
            "local.definition" => Some(Role::Definition),
            "local.parameter" => Some(Role::Parameter),
            "local.none" => Some(Role::None),
            "local.unsure" => Some(Role::Unsure),
            _ => None,
        };
        let made: Vec<_> = rules.names.iter().map(say).collect();
        (!made.is_empty()).then_some(Self { rules, roles: made })
    }

    /// Whether nothing in it is slow to compile, and every capture is known.
    #[cfg(test)]
    pub(in crate::syntax) fn is_sound(&self) -> bool {
        self.rules.has_only_chains() && self.roles.iter().all(Option::is_some)
    }
}
