//! Selection of the available tools of a set: flags, and the user's choice.
//!
//! Must not know sets. Tools are referred to by name or by kind, so that a choice keeps its meaning when the
//! conversation continues with another family's tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::RwLock;

use super::intent::Kind;
use super::registry::Registry;
use super::tool::Tool;

/// Tool flags of the session's start; words may contain `*`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFlags {
    /// Only these; with only `+name` and `-name`, the default with these changes.
    pub only: Option<Vec<String>>,
    /// None of these; takes precedence.
    pub without: Vec<String>,
    /// No built-in tools.
    pub no_builtin: bool,
    /// No tools at all.
    pub none: bool,
}

/// A choice of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSelection {
    flags: ToolFlags,
    user: Option<UserSelection>,
}

/// The user's choice while a set was active: its tools by name, those of other sets by their equivalents
/// there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UserSelection {
    set: String,
    names: BTreeSet<String>,
    on: BTreeSet<ToolKey>,
    off: BTreeSet<ToolKey>,
}

/// How a tool is identified in sets other than its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ToolKey {
    /// Its kind.
    Kind(Kind),
    /// Its name, if its kind is unspecific.
    Name(String),
}

impl ToolKey {
    fn of(tool: &dyn Tool, name: &str) -> Self {
        match tool.kind() {
            Kind::Other => Self::Name(name.to_string()),
            kind => Self::Kind(kind),
        }
    }

    /// Returns the kinds of which a choice implies one for this kind.
    fn related(&self) -> Vec<Self> {
        match self {
            Self::Kind(kind) => related(*kind).iter().copied().map(Self::Kind).collect(),
            Self::Name(_) => vec![self.clone()],
        }
    }
}

/// A choice shared by all agents of a session. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SharedToolSelection(Arc<RwLock<(u64, ToolSelection)>>);

impl From<ToolSelection> for SharedToolSelection {
    fn from(choice: ToolSelection) -> Self {
        Self(Arc::new(RwLock::new((0, choice))))
    }
}

impl SharedToolSelection {
    /// Returns the number of changes so far.
    pub fn changes(&self) -> u64 {
        self.0.read().0
    }

    /// Returns the names of the tools of `all` that are available now. `set` is its name.
    pub fn available(&self, set: &str, all: &Registry) -> BTreeSet<String> {
        self.0.read().1.available(set, all)
    }

    /// Sets the user's choice to exactly these tools of `all`, the set named `set`.
    pub fn select(&self, set: &str, all: &Registry, requested: &[String]) {
        let mut now = self.0.write();
        now.1.select(set, all, requested);
        now.0 += 1;
    }
}

/// Words that match no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool named {}", .0.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))]
pub struct UnknownTools(pub Vec<String>);

impl ToolSelection {
    /// Parses flags; fails if a word matches no tool of `all` or of any family.
    pub fn new(flags: ToolFlags, all: &Registry) -> Result<Self, UnknownTools> {
        let words = flags.only.iter().flatten().chain(&flags.without);
        let known = |word: &&String| {
            let word = bare(word);
            let own = !all.by_alias(word).is_empty() || word.contains('*');
            own || !all.names_in_any_set(|tool| names_tool(word, tool)).is_empty()
        };
        let unknown: Vec<String> = words.filter(|word| !known(word)).map(|w| bare(w).to_string()).collect();
        if unknown.is_empty() { Ok(Self { flags, user: None }) } else { Err(UnknownTools(unknown)) }
    }

    /// Returns the names of the tools of `all` that are available. `set` is its name.
    pub fn available(&self, set: &str, all: &Registry) -> BTreeSet<String> {
        let by_flags = self.by_flags(all);
        let Some(picked) = &self.user else { return by_flags };
        let offers = |tool: &dyn Tool, name: &str| {
            if picked.set == set && picked.names.contains(name) {
                return true;
            }
            if picked.set == set {
                return false;
            }
            let related = ToolKey::of(tool, name).related();
            let is_listed = |sorts: &BTreeSet<ToolKey>| related.iter().any(|sort| sorts.contains(sort));
            is_listed(&picked.on) || by_flags.contains(name) && !is_listed(&picked.off)
        };
        names(all, offers)
    }

    /// Sets the user's choice to exactly these tools of `all`, the set named `set`.
    pub fn select(&mut self, set: &str, all: &Registry, requested: &[String]) {
        let (by_flags, before) = (self.by_flags(all), self.user.take());
        let requested = names(all, |_, name| requested.iter().any(|requested| requested == name));
        let (mut on, mut off) = before.map(|picked| (picked.on, picked.off)).unwrap_or_default();
        let sorts: BTreeSet<ToolKey> =
            all.names().zip(all.tools()).map(|(name, tool)| ToolKey::of(&**tool, name)).collect();
        for sort in sorts {
            let of_sort = names(all, |tool, name| ToolKey::of(tool, name) == sort);
            on.remove(&sort);
            off.remove(&sort);
            if of_sort.iter().any(|name| requested.contains(name) && !by_flags.contains(name)) {
                on.insert(sort);
            } else if of_sort.iter().any(|name| by_flags.contains(name))
                && !of_sort.iter().any(|name| requested.contains(name))
            {
                off.insert(sort);
            }
        }
        self.user = Some(UserSelection { set: set.to_string(), names: requested, on, off });
    }

    fn by_flags(&self, all: &Registry) -> BTreeSet<String> {
        let ToolFlags { only, without, no_builtin, none } = &self.flags;
        if *none {
            return BTreeSet::new();
        }
        let default = |all: &Registry| {
            let by_default: Vec<&str> = all.default_names().collect();
            names(all, |_, name| by_default.contains(&name) && !(*no_builtin && all.is_builtin(name)))
        };
        let mut available = match only {
            None => default(all),
            Some(words) if words.iter().all(|word| word.starts_with(['+', '-'])) => {
                let mut available = default(all);
                for word in words {
                    let named = all.by_alias(bare(word));
                    if word.starts_with('+') {
                        available.extend(named);
                    } else {
                        available.retain(|name| !named.contains(name));
                    }
                }
                available
            }
            Some(words) => words.iter().flat_map(|word| all.by_alias(word)).collect(),
        };
        for word in without {
            let named = all.by_alias(word);
            available.retain(|name| !named.contains(name));
        }
        available
    }
}

/// Whether a word is the tool's name or that of its kind.
fn names_tool(word: &str, tool: &dyn Tool) -> bool {
    tool.spec().name == word || tool.kind() != Kind::Other && tool.kind().name() == word
}

/// Without the sign of a change.
fn bare(word: &str) -> &str {
    word.strip_prefix(['+', '-']).unwrap_or(word)
}

fn names(all: &Registry, keep: impl Fn(&dyn Tool, &str) -> bool) -> BTreeSet<String> {
    let kept = all.names().zip(all.tools()).filter(|(name, tool)| keep(&***tool, name));
    kept.map(|(name, _)| name.to_string()).collect()
}

/// Returns kinds of which a choice implies one for this kind, if another set lacks it.
pub fn related(kind: Kind) -> &'static [Kind] {
    match kind {
        Kind::Read => &[Kind::Read],
        Kind::ReadMany => &[Kind::ReadMany, Kind::Read],
        Kind::ViewImage => &[Kind::ViewImage, Kind::Read],
        Kind::Write => &[Kind::Write, Kind::Patch],
        Kind::Edit => &[Kind::Edit, Kind::Patch],
        Kind::Patch => &[Kind::Patch, Kind::Edit, Kind::Write],
        Kind::Bash => &[Kind::Bash],
        Kind::Job => &[Kind::Job, Kind::Bash],
        Kind::Grep => &[Kind::Grep],
        Kind::Find => &[Kind::Find],
        Kind::Ls => &[Kind::Ls],
        Kind::AskUser => &[Kind::AskUser],
        Kind::Plan => &[Kind::Plan],
        Kind::Agent => &[Kind::Agent],
        Kind::LanguageServers => &[Kind::LanguageServers],
        Kind::Other => &[],
    }
}

#[cfg(test)]
mod tests;
