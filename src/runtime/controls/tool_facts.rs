//! What the definition of a tool costs, and whether its calls run: for lists in which the user chooses tools.
//!
//! Must not know a call: which rule applies to one depends on its command or path, too.

use super::handle::Handle;
use crate::agent::prompt::tool_tokens;
use crate::tools::permissions::rules::Ruling;
use crate::tools::{Mode, Tool, ToolClass};

/// Facts about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolFacts {
    /// Estimated tokens of its definition, in every request.
    pub tokens: u64,
    /// `allow`, `ask` or `deny`: what usually happens to its calls.
    pub permission: &'static str,
}

impl Handle {
    /// Returns the facts about a tool in an approval mode.
    #[doc(hidden)]
    pub fn tool_facts(&self, tool: &dyn Tool, mode: Mode) -> ToolFacts {
        let spec = tool.spec();
        let ruling = self.rules.get().for_tool(&[&spec.name, tool.kind().name()]);
        ToolFacts {
            tokens: tool_tokens(&spec) as u64,
            permission: permission(usual(mode, tool.class()), ruling, mode),
        }
    }
}

/// Returns what happens to a usual call of a class without rules: one inside the workspace, of a command that
/// is not known to be read-only.
fn usual(mode: Mode, class: ToolClass) -> Ruling {
    match (mode, class) {
        (Mode::Full, _) | (_, ToolClass::Reads) | (Mode::OnRequest | Mode::AutoEdit, ToolClass::Edits) => {
            Ruling::Allow
        }
        (Mode::AutoEdit, ToolClass::Runs) => Ruling::Deny,
        (Mode::Untrusted | Mode::OnRequest, _) => Ruling::Ask,
    }
}

/// Applies the rule for all calls of a tool, as [`crate::tools::permissions::policy::overrule`] does for one.
fn permission(usual: Ruling, rule: Option<Ruling>, mode: Mode) -> &'static str {
    let ruling = match (rule, mode) {
        (Some(Ruling::Ask), Mode::Full) | (None, _) => usual,
        (Some(Ruling::Ask), Mode::AutoEdit) => Ruling::Deny,
        (Some(ruling), _) => ruling,
    };
    match ruling {
        Ruling::Allow => "allow",
        Ruling::Ask => "ask",
        Ruling::Deny => "deny",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_permission_follows_mode_and_rules() {
        use ToolClass::{Edits, Reads, Runs};
        let of = |mode, class, rule| permission(usual(mode, class), rule, mode);
        assert_eq!(Mode::ALL.map(|mode| of(mode, Reads, None)), ["allow"; 4]);
        assert_eq!(Mode::ALL.map(|mode| of(mode, Edits, None)), ["ask", "allow", "allow", "allow"]);
        assert_eq!(Mode::ALL.map(|mode| of(mode, Runs, None)), ["ask", "ask", "deny", "allow"]);
        let with = |rule| Mode::ALL.map(|mode| of(mode, Edits, Some(rule)));
        assert_eq!(with(Ruling::Deny), ["deny"; 4]);
        assert_eq!(with(Ruling::Ask), ["ask", "ask", "deny", "allow"]);
        assert_eq!(with(Ruling::Allow), ["allow"; 4]);
    }
}
