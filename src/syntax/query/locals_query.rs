//! What a query says about names that are known in a part of a text only. Must not know trees.
//!
//! The queries have these captures:
//!
//! - `@local.scope`: in it the names are known that are defined in it, in no scope further in.
//! - `@local.definition`, `@local.parameter`: a name that is defined.
//! - `@local.from`, beside one: known from behind this on; `@local.anew`: the same, and no other
//!   definition in the scope means this one.
//! - `@local.reference`: a name that may be a defined one; `@local.token`: where it is none behind a
//!   dot.
//! - `@local.none`: a name of something else.
//! - `@local.unsure`: a name that is also that of something else.
//! - `@local.text`: a string that may have names in braces.

use crate::syntax::query::rules::Rules;

/// A query for names ready for use.
#[derive(Debug)]
pub(in crate::syntax) struct Locals {
    pub rules: Rules,
    /// What each of its captures says.
    pub roles: Vec<Option<Role>>,
}

/// What a node is. What comes later wins where a node is several.
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
    /// Of a query's patterns; `None` when there are none.
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

    /// Whether there is nothing in it that takes long to compile, and every capture means
    /// something.
    #[cfg(test)]
    pub(in crate::syntax) fn is_sound(&self) -> bool {
        self.rules.has_only_chains() && self.roles.iter().all(Option::is_some)
    }
}
