//! Key maps: TOML tables by key context, from key sequences to command ids.

use std::collections::HashMap;
use std::sync::OnceLock;

use toml::de::DeValue;

use crate::base::partial_toml;

use crate::tui::input::{Key, KeyKind};

/// Context in which a key is pressed. A context falls back to the next one of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyContext {
    /// Everywhere.
    Global,
    /// Any text field.
    Text,
    /// The editor.
    Editor,
    /// The same while its text is a list of locations.
    Results,
    /// The editor while its file is an image.
    Image,
    /// The agent's prompt.
    Prompt,
    /// The agent's prompt while completions are shown.
    Completion,
    /// The conversation.
    Transcript,
    /// The waiting approval.
    Approval,
    /// A text typed into it: a reason, or the command to run instead.
    ApprovalText,
    /// The file tree.
    Files,
    /// A terminal: every other key goes to the program in it.
    Terminal,
    /// A picker.
    Picker,
    /// A one-line prompt: find, go to line.
    InputPrompt,
    /// The bar of find and replace.
    Find,
    /// A dialog whose answers are keys.
    Dialog,
    /// A diff view.
    Diff,
    /// The review of the agent's changes.
    Review,
    /// The tree of the session.
    SessionTree,
    /// The report of the context sent to the model.
    ContextView,
    /// The list of queued messages.
    Queue,
    /// The panel of the agent's settings.
    AgentSettings,
    /// An editor whose keys are commands (normal mode).
    Normal,
    /// The same while its text is a list of locations.
    NormalResults,
    /// An editor whose keys are commands, while a selection is made (visual mode).
    Visual,
    /// Normal mode while an operator waits for a motion.
    Operator,
    /// Motions, for the three before.
    Motion,
    /// An editor in which keys are typed, in a modal key map (insert mode).
    Insert,
    /// The same, overwriting text.
    Replace,
    /// An editor in which keys are typed into a snippet.
    Snippet,
    /// An editor in which keys are typed, while completions are shown at its caret.
    EditorCompletion,
}

impl KeyContext {
    /// Every context for which a key map may have a table.
    pub const ALL: [Self; 30] = [
        Self::Global,
        Self::Text,
        Self::Editor,
        Self::Results,
        Self::Image,
        Self::Prompt,
        Self::Completion,
        Self::Transcript,
        Self::Approval,
        Self::ApprovalText,
        Self::Files,
        Self::Terminal,
        Self::Picker,
        Self::InputPrompt,
        Self::Find,
        Self::Dialog,
        Self::Diff,
        Self::Review,
        Self::SessionTree,
        Self::ContextView,
        Self::Queue,
        Self::AgentSettings,
        Self::Normal,
        Self::Visual,
        Self::Operator,
        Self::Motion,
        Self::Insert,
        Self::Replace,
        Self::Snippet,
        Self::EditorCompletion,
    ];

    /// The table's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Text => "text",
            Self::Editor => "editor",
            Self::Results | Self::NormalResults => "results",
            Self::Image => "image",
            Self::Prompt => "prompt",
            Self::Completion => "completion",
            Self::Transcript => "transcript",
            Self::Approval => "approval",
            Self::ApprovalText => "approval-text",
            Self::Files => "files",
            Self::Terminal => "terminal",
            Self::Picker => "picker",
            Self::InputPrompt => "question",
            Self::Find => "find",
            Self::Dialog => "dialog",
            Self::Diff => "diff",
            Self::Review => "review",
            Self::SessionTree => "session-tree",
            Self::ContextView => "context",
            Self::Queue => "queue",
            Self::AgentSettings => "agent-settings",
            Self::Normal => "normal",
            Self::Visual => "visual",
            Self::Operator => "operator",
            Self::Motion => "motion",
            Self::Insert => "insert",
            Self::Replace => "replace",
            Self::Snippet => "snippet",
            Self::EditorCompletion => "editor-completion",
        }
    }

    /// Returns the context and its fallbacks for unknown keys, innermost first.
    pub fn chain(self) -> &'static [Self] {
        match self {
            Self::Global => &[Self::Global],
            Self::Text => &[Self::Text, Self::Global],
            Self::Editor => &[Self::Editor, Self::Text, Self::Global],
            Self::Results => &[Self::Results, Self::Editor, Self::Text, Self::Global],
            Self::NormalResults => {
                &[Self::Results, Self::Normal, Self::Motion, Self::Editor, Self::Text, Self::Global]
            }
            Self::Image => &[Self::Image, Self::Global],
            Self::Prompt => &[Self::Prompt, Self::Text, Self::Global],
            Self::Completion => &[Self::Completion, Self::Prompt, Self::Text, Self::Global],
            Self::Transcript => &[Self::Transcript, Self::Global],
            Self::Approval => &[Self::Approval, Self::Global],
            Self::ApprovalText => &[Self::ApprovalText, Self::Text, Self::Global],
            Self::Files => &[Self::Files, Self::Global],
            Self::Terminal => &[Self::Terminal],
            Self::Picker => &[Self::Picker, Self::Text, Self::Global],
            Self::InputPrompt => &[Self::InputPrompt, Self::Text, Self::Global],
            Self::Find => &[Self::Find, Self::InputPrompt, Self::Text, Self::Global],
            Self::Dialog => &[Self::Dialog, Self::Global],
            Self::Diff => &[Self::Diff, Self::Global],
            Self::Review => &[Self::Review, Self::Global],
            Self::SessionTree => &[Self::SessionTree, Self::Global],
            Self::ContextView => &[Self::ContextView, Self::Global],
            Self::Queue => &[Self::Queue, Self::Global],
            Self::AgentSettings => &[Self::AgentSettings, Self::Global],
            Self::Normal => &[Self::Normal, Self::Motion, Self::Editor, Self::Text, Self::Global],
            Self::Visual => {
                &[Self::Visual, Self::Motion, Self::Normal, Self::Editor, Self::Text, Self::Global]
            }
            Self::Operator => &[Self::Operator, Self::Motion],
            Self::Motion => &[Self::Motion],
            Self::Insert => &[Self::Insert, Self::Editor, Self::Text, Self::Global],
            Self::Replace => &[Self::Replace, Self::Insert, Self::Editor, Self::Text, Self::Global],
            Self::Snippet => &[Self::Snippet, Self::Insert, Self::Editor, Self::Text, Self::Global],
            Self::EditorCompletion => {
                &[Self::EditorCompletion, Self::Snippet, Self::Insert, Self::Editor, Self::Text, Self::Global]
            }
        }
    }
}

impl KeyContext {
    /// Returns the contexts some of whose rows may work in this one, innermost first: those of its chain, and in a
    /// terminal the sequences whose first key its own table has.
    pub fn related(self) -> impl Iterator<Item = Self> {
        let rest = (self == Self::Terminal).then_some(Self::Global);
        self.chain().iter().copied().chain(rest)
    }
}

/// Meaning of a key sequence so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// This command.
    Command(String),
    /// A prefix: the keys that continue it, with titles of what they or their continuations do.
    Pending(Vec<(String, String)>),
    /// No meaning.
    Unknown,
}

/// A line of a key map that cannot be used; the rest of the map can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeymapProblem {
    /// From 1.
    pub line: usize,
    /// The problem.
    pub message: String,
}

#[derive(Debug, Clone, Default)]
struct Node {
    command: Option<String>,
    /// Title of the group that the keys behind form.
    group: Option<String>,
    /// Next keys, in file order: the first key of a command is the displayed one. Stored apart from their
    /// targets, because every key press searches them.
    keys: Vec<Key>,
    next: Vec<Node>,
}

impl Node {
    /// Returns every sequence from here on, with its command.
    fn bindings(&self) -> Vec<(String, String)> {
        fn collect(node: &Node, prefix: &str, out: &mut Vec<(String, String)>) {
            if let Some(command) = &node.command {
                out.push((prefix.to_string(), command.clone()));
            }
            for (key, next) in node.children() {
                let path = if prefix.is_empty() { key.to_string() } else { format!("{prefix} {key}") };
                collect(next, &path, out);
            }
        }
        let mut out = Vec::new();
        collect(self, "", &mut out);
        out
    }

    fn child(&mut self, key: Key) -> &mut Self {
        let at = self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.next.push(Self::default());
            self.keys.len() - 1
        });
        &mut self.next[at]
    }

    /// Returns the number of commands here and behind.
    fn count(&self) -> usize {
        usize::from(self.command.is_some()) + self.next.iter().map(Self::count).sum::<usize>()
    }

    /// Removes what a sequence and its continuations do.
    fn remove(&mut self, sequence: &[Key]) {
        let [first, rest @ ..] = sequence else { return };
        let Some(at) = self.keys.iter().position(|key| key == first) else { return };
        self.next[at].remove(rest);
        if rest.is_empty() || (self.next[at].command.is_none() && self.next[at].keys.is_empty()) {
            self.keys.remove(at);
            self.next.remove(at);
        }
    }

    /// Returns the next keys and their nodes.
    fn children(&self) -> impl Iterator<Item = (&Key, &Self)> {
        self.keys.iter().zip(&self.next)
    }
}

/// The built-in key map, used when there is no other.
pub const DEFAULT: &str = include_str!("../../../../keymaps/default.toml");

/// The built-in key maps, by name.
pub const BUILTIN: [(&str, &str); 5] = [
    ("default", DEFAULT),
    ("vim", include_str!("../../../../keymaps/vim.toml")),
    ("helix", include_str!("../../../../keymaps/helix.toml")),
    ("emacs", include_str!("../../../../keymaps/emacs.toml")),
    ("vscode", include_str!("../../../../keymaps/vscode.toml")),
];

/// The command of a row that takes a key of the base map away.
pub const UNBOUND: &str = "none";

/// Begins the value of a row that gives the keys behind a prefix a title instead of a command, as in `"+window"`.
pub const GROUP: char = '+';

/// What stands for more keys without a title.
pub const MORE_KEYS: &str = "…";

/// What one context does with a key sequence, without those behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// Runs this command.
    Command(String),
    /// Waits for another key: the number of sequences that begin so.
    Prefix(usize),
}

/// The modes of a key map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModalStyle {
    /// None: keys are typed.
    #[default]
    None,
    /// The modes of Vim.
    Vim,
    /// The modes of Helix.
    Helix,
}

/// A key map.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    /// Roots by context, up to the last context with keys.
    contexts: Vec<Node>,
    modal_style: ModalStyle,
    /// The sequences by context and command, in their order. Every frame asks for some.
    sequences: OnceLock<Vec<Sequences>>,
}

/// The key sequences of each command in a context.
type Sequences = HashMap<String, Vec<String>>;

impl Keymap {
    /// Parses a key map. `resolve` returns the id of the command named by a row, if there is one. Unusable
    /// rows are skipped and reported, as are lines that are not TOML.
    pub fn parse(text: &str, resolve: impl Fn(&str) -> Option<String>) -> (Self, Vec<KeymapProblem>) {
        Self::read(text, &resolve)
    }

    fn read(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> (Self, Vec<KeymapProblem>) {
        let (mut map, mut problems) = (Self::default(), Vec::new());
        let mut refuse = |at: usize, message: String| {
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            problems.push(KeymapProblem { line, message });
        };
        let mut repaired = String::new();
        let (tables, mistakes) = partial_toml::parse(text, &mut repaired);
        for mistake in mistakes {
            if text[mistake.at..].trim_start().starts_with("base") {
                // The rows change some map: without any, only they would be left.
                map = Self::read(DEFAULT, resolve).0;
            }
            refuse(mistake.at, mistake.message);
        }
        if let Some(base) = tables.get("base") {
            let name = base.get_ref().as_str().unwrap_or_default();
            match BUILTIN.iter().find(|(known, _)| *known == name) {
                Some((_, text)) => map = Self::read(text, resolve).0,
                None => refuse(base.span().start, format!("no built-in key map `{name}` as the base")),
            }
        }
        for (table, rows) in tables {
            match (table.get_ref().as_ref(), rows.get_ref().as_str()) {
                ("base", _) => continue,
                ("modes", Some("vim")) => {
                    map.modal_style = ModalStyle::Vim;
                    continue;
                }
                ("modes", Some("helix")) => {
                    map.modal_style = ModalStyle::Helix;
                    continue;
                }
                _ => {}
            }
            let Some(place) = KeyContext::ALL.into_iter().find(|place| place.name() == table.get_ref())
            else {
                refuse(table.span().start, format!("no such key context: `{}`", table.get_ref()));
                continue;
            };
            let DeValue::Table(rows) = rows.into_inner() else {
                refuse(table.span().start, format!("`{}` is not a table", table.get_ref()));
                continue;
            };
            let mut rows: Vec<_> = rows.into_iter().collect();
            rows.sort_by_key(|(keys, _)| keys.span().start);
            for (keys, command) in rows {
                match read_row(keys.get_ref(), command.get_ref(), resolve) {
                    Ok((sequence, RowValue::Command(command))) => map.bind(place, &sequence, command),
                    Ok((sequence, RowValue::Group(title))) => map.name_group(place, &sequence, title),
                    Ok((sequence, RowValue::Unbound)) => map.unbind(place, &sequence),
                    Err((in_value, message)) => {
                        let span = if in_value { command.span() } else { keys.span() };
                        refuse(span.start, message);
                    }
                }
            }
        }
        (map, problems)
    }

    /// Parses a key map. Returns the default one when nothing in it is usable, so that the user always has
    /// keys.
    pub fn or_default(text: &str, resolve: impl Fn(&str) -> Option<String>) -> (Self, Vec<KeymapProblem>) {
        let (map, mut problems) = Self::parse(text, &resolve);
        if !map.contexts.is_empty() {
            return (map, problems);
        }
        if let Some(problem) = problems.last_mut() {
            problem.message.push_str("; the default keys are used");
        }
        (Self::parse(DEFAULT, resolve).0, problems)
    }

    /// Returns the modes of the map.
    pub fn modal_style(&self) -> ModalStyle {
        self.modal_style
    }

    /// Adds keys for a command.
    pub fn add(&mut self, place: KeyContext, sequence: &[Key], command: String) {
        self.bind(place, sequence, command);
    }

    fn bind(&mut self, place: KeyContext, sequence: &[Key], command: String) {
        let node = self.prefix(place, sequence);
        *node = Node { command: Some(command), ..Node::default() };
    }

    fn name_group(&mut self, place: KeyContext, sequence: &[Key], title: String) {
        let node = self.prefix(place, sequence);
        (node.command, node.group) = (None, Some(title));
    }

    /// Returns the node of a sequence, made if need be. What the base map had at its prefixes goes.
    fn prefix(&mut self, place: KeyContext, sequence: &[Key]) -> &mut Node {
        self.sequences = OnceLock::new();
        let at = place as usize;
        if self.contexts.len() <= at {
            self.contexts.resize_with(at + 1, Node::default);
        }
        sequence.iter().fold(&mut self.contexts[at], |node, key| {
            node.command = None;
            node.child(*key)
        })
    }

    fn unbind(&mut self, place: KeyContext, sequence: &[Key]) {
        self.sequences = OnceLock::new();
        if let Some(root) = self.contexts.get_mut(place as usize) {
            root.remove(sequence);
        }
    }

    /// Returns what the table of one context does with a sequence.
    pub fn binding(&self, place: KeyContext, keys: &[Key]) -> Option<Binding> {
        let node = descend(self.root(place)?, keys)?;
        match &node.command {
            Some(command) => Some(Binding::Command(command.clone())),
            None if node.next.is_empty() => None,
            None => Some(Binding::Prefix(node.count())),
        }
    }

    fn root(&self, place: KeyContext) -> Option<&Node> {
        self.contexts.get(place as usize)
    }

    /// Looks up a key sequence in a context. The innermost context that knows the sequence decides.
    pub fn lookup(&self, place: KeyContext, keys: &[Key]) -> Lookup {
        let mut pending: Vec<(String, String)> = Vec::new();
        for place in self.contexts_of(place, keys) {
            let Some(node) = self.root(place).and_then(|root| descend(root, keys)) else { continue };
            match &node.command {
                Some(command) if node.next.is_empty() && pending.is_empty() => {
                    return Lookup::Command(command.clone());
                }
                // Outer contexts add continuations; the innermost has priority.
                _ => add_continuations(&mut pending, node),
            }
        }
        if pending.is_empty() { Lookup::Unknown } else { Lookup::Pending(pending) }
    }

    /// Returns the contexts that decide about a sequence, innermost first. A terminal is asked for the first key
    /// alone, but what its table begins goes on as everywhere.
    fn contexts_of<'a>(
        &'a self,
        place: KeyContext,
        keys: &'a [Key],
    ) -> impl Iterator<Item = KeyContext> + 'a {
        let begins = move || {
            self.root(place).zip(keys.get(..1)).is_some_and(|(root, key)| descend(root, key).is_some())
        };
        place.related().filter(move |context| place != KeyContext::Terminal || *context == place || begins())
    }

    /// Returns the first key sequence for a command in a context or its fallbacks, unless a context before
    /// has another command on it.
    pub fn keys_for(&self, place: KeyContext, command: &str) -> Option<String> {
        let works = |keys: &str| {
            let sequence: Result<Vec<Key>, _> = keys.split_whitespace().map(str::parse).collect();
            sequence.is_ok_and(|keys| self.lookup(place, &keys) == Lookup::Command(command.to_string()))
        };
        let sequences = self.sequences.get_or_init(|| self.sequences());
        place.related().find_map(|context| {
            let bound = sequences.get(context as usize)?.get(command)?;
            bound.iter().find(|keys| works(keys)).cloned()
        })
    }

    fn sequences(&self) -> Vec<Sequences> {
        let of_context = |root: &Node| {
            let mut sequences = Sequences::new();
            for (keys, command) in root.bindings() {
                sequences.entry(command).or_default().push(keys);
            }
            sequences
        };
        self.contexts.iter().map(of_context).collect()
    }

    /// Returns every key sequence in the table of one context, with its command.
    pub fn bindings(&self, place: KeyContext) -> Vec<(String, String)> {
        self.root(place).map(Node::bindings).unwrap_or_default()
    }
}

/// What a row does with its keys.
enum RowValue {
    Command(String),
    /// Titles the keys behind.
    Group(String),
    Unbound,
}

/// Returns keys and value of a row. The error says whether the value is the unusable part, and why.
fn read_row(
    keys: &str,
    command: &DeValue<'_>,
    resolve: impl Fn(&str) -> Option<String>,
) -> Result<(Vec<Key>, RowValue), (bool, String)> {
    let sequence: Result<Vec<Key>, _> = keys.split_whitespace().map(str::parse).collect();
    let sequence = sequence.map_err(|_| (false, format!("`{keys}` is not a key")))?;
    if sequence.is_empty() {
        return Err((false, "an empty key".to_string()));
    }
    match command.as_str() {
        Some(UNBOUND) => Ok((sequence, RowValue::Unbound)),
        Some(value) if value.starts_with(GROUP) => Ok((sequence, RowValue::Group(value.to_string()))),
        Some(command) => {
            let id = resolve(command).ok_or_else(|| (true, format!("no such command: `{command}`")))?;
            Ok((sequence, RowValue::Command(id)))
        }
        None => Err((true, format!("the command of `{keys}` is not a string"))),
    }
}

fn descend<'a>(root: &'a Node, keys: &[Key]) -> Option<&'a Node> {
    keys.iter().try_fold(root, |node, key| {
        let key = Key { kind: KeyKind::Press, ..*key };
        let at = node.keys.iter().position(|known| *known == key)?;
        node.next.get(at)
    })
}

/// Adds the keys that continue a node, and what they do: the id of a command, or the title of a group. The title may
/// stand in an outer table.
fn add_continuations(pending: &mut Vec<(String, String)>, node: &Node) {
    for (key, next) in node.children() {
        let key = key.to_string();
        let known = pending.iter_mut().find(|(known, _)| *known == key);
        match (known, &next.command) {
            (None, Some(command)) => pending.push((key, command.clone())),
            // A title without keys waits for nothing.
            (None, None) if next.next.is_empty() => {}
            (None, None) => {
                let title = next.group.clone().unwrap_or_else(|| MORE_KEYS.to_string());
                pending.push((key, title));
            }
            (Some((_, what)), None) if what == MORE_KEYS => {
                if let Some(title) = &next.group {
                    what.clone_from(title);
                }
            }
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.split_whitespace().map(|key| key.parse().unwrap()).collect()
    }

    #[test]
    fn keymap_outer_contexts_extend_pending_keys() {
        let text = "[text]\n\"Alt-k b\" = \"t\"\n\"Alt-k l\" = \"x\"\n[editor]\n\"Alt-k l\" = \"e\"\n";
        let (map, _) = Keymap::parse(text, |id| Some(id.to_string()));
        let both = vec![("l".to_string(), "e".to_string()), ("b".to_string(), "t".to_string())];
        assert_eq!(map.lookup(KeyContext::Editor, &keys("Alt-k")), Lookup::Pending(both));
        assert_eq!(map.lookup(KeyContext::Editor, &keys("Alt-k b")), Lookup::Command("t".into()));
    }

    #[test]
    fn keymap_groups_have_titles_also_from_an_outer_table() {
        let text = "[global]\n\"F9 a\" = \"+all\"\n\"F9 b\" = \"+both\"\n\"F9 b y\" = \"y\"\n\"F9 c x\" = \"x\"\n\
                    [editor]\n\"F9 b z\" = \"z\"\n";
        let (map, problems) = Keymap::parse(text, |id| Some(id.to_string()));
        assert_eq!(problems, []);
        let expected = |titles: &[(&str, &str)]| {
            Lookup::Pending(titles.iter().map(|(key, title)| (key.to_string(), title.to_string())).collect())
        };
        // `a` has no keys, `c` no title.
        assert_eq!(map.lookup(KeyContext::Editor, &keys("F9")), expected(&[("b", "+both"), ("c", "…")]));
        assert_eq!(map.lookup(KeyContext::Editor, &keys("F9 b")), expected(&[("z", "z"), ("y", "y")]));
        assert_eq!(map.lookup(KeyContext::Editor, &keys("F9 a")), Lookup::Unknown);
    }

    #[test]
    fn keymap_sequence_that_the_terminal_begins_goes_on_as_everywhere() {
        let text = "[global]\n\"Alt-, f\" = \"f\"\n\"Ctrl-x f\" = \"g\"\n\"F3\" = \"h\"\n[terminal]\n\"Alt-, t\" = \"t\"\n";
        let (map, _) = Keymap::parse(text, |id| Some(id.to_string()));
        let lookup = |text| map.lookup(KeyContext::Terminal, &keys(text));
        assert_eq!(lookup("Alt-, f"), Lookup::Command("f".into()));
        assert_eq!(lookup("Alt-, t"), Lookup::Command("t".into()));
        assert_eq!((lookup("Ctrl-x"), lookup("F3")), (Lookup::Unknown, Lookup::Unknown));
        assert_eq!(map.keys_for(KeyContext::Terminal, "f"), Some("Alt-, f".into()));
        assert_eq!(map.keys_for(KeyContext::Terminal, "h"), None);
    }

    #[test]
    fn keymap_extends_any_built_in_map_and_takes_keys_away() {
        let text = "base = \"vim\"\n[global]\n\"F1\" = \"none\"\n\"Ctrl-q\" = \"mine\"\n";
        let (map, problems) = Keymap::parse(text, |id| Some(id.to_string()));
        assert_eq!((problems, map.modal_style()), (vec![], ModalStyle::Vim));
        assert_eq!(map.lookup(KeyContext::Normal, &keys("F1")), Lookup::Unknown);
        assert_eq!(map.lookup(KeyContext::Normal, &keys("Ctrl-q")), Lookup::Command("mine".into()));
        let (_, problems) = Keymap::parse("base = \"nano\"\n", |id| Some(id.to_string()));
        assert!(problems[0].line == 1 && problems[0].message.contains("`nano`"), "{problems:?}");
    }

    #[test]
    fn keymap_keys_for_a_command_follow_later_changes() {
        let (mut map, _) = Keymap::parse("[global]\nF2 = \"one\"\n", |id| Some(id.to_string()));
        assert_eq!(map.keys_for(KeyContext::Global, "one").as_deref(), Some("F2"));
        let f3: Key = "F3".parse().unwrap();
        map.add(KeyContext::Global, &[f3], "two".to_string());
        assert_eq!(map.keys_for(KeyContext::Editor, "two").as_deref(), Some("F3"));
        map.add(KeyContext::Global, &["F2".parse().unwrap()], "two".to_string());
        assert_eq!(map.keys_for(KeyContext::Global, "one"), None);
        map.unbind(KeyContext::Global, &[f3]);
        assert_eq!(map.keys_for(KeyContext::Global, "two").as_deref(), Some("F2"));
    }

    #[test]
    fn keymap_without_a_row_of_the_base_falls_back_to_outer_contexts() {
        let text = "[global]\n\"F9\" = \"outer\"\n[editor]\n\"F9\" = \"inner\"\n\"F8 a\" = \"x\"\n\"F8 b\" = \"y\"\n";
        let (mut map, _) = Keymap::parse(text, |id| Some(id.to_string()));
        let editor = KeyContext::Editor;
        assert_eq!(map.binding(editor, &keys("F9")), Some(Binding::Command("inner".into())));
        assert_eq!(map.binding(editor, &keys("F8")), Some(Binding::Prefix(2)));
        map.unbind(editor, &keys("F9"));
        map.unbind(editor, &keys("F8 a"));
        map.unbind(editor, &keys("F8 b"));
        assert_eq!(map.lookup(editor, &keys("F9")), Lookup::Command("outer".into()));
        assert_eq!(map.lookup(editor, &keys("F8")), Lookup::Unknown, "a prefix of nothing does not wait");
    }

    #[test]
    fn keymap_inner_context_wins_and_sequences_pend() {
        let text = "[global]\n\"Ctrl-p\" = \"a\"\n\"Ctrl-x Ctrl-s\" = \"b\"\n[prompt]\n\"Ctrl-p\" = \"c\"\n";
        let (map, problems) = Keymap::parse(text, |id| Some(id.to_string()));
        assert_eq!(problems, []);
        assert_eq!(map.lookup(KeyContext::Editor, &keys("Ctrl-p")), Lookup::Command("a".into()));
        assert_eq!(map.lookup(KeyContext::Prompt, &keys("Ctrl-p")), Lookup::Command("c".into()));
        assert_eq!(
            map.lookup(KeyContext::Editor, &keys("Ctrl-x")),
            Lookup::Pending(vec![("Ctrl-s".into(), "b".into())])
        );
        assert_eq!(map.lookup(KeyContext::Editor, &keys("Ctrl-x Ctrl-s")), Lookup::Command("b".into()));
        assert_eq!(map.lookup(KeyContext::Editor, &keys("Ctrl-x x")), Lookup::Unknown);
        assert_eq!(map.keys_for(KeyContext::Editor, "b"), Some("Ctrl-x Ctrl-s".into()));
    }

    #[test]
    fn keymap_bad_lines_are_reported_with_line_numbers() {
        let text = "[global]\n\"Ctrl-p\" = \"good\"\n\"Hyper-Q\" = \"good\"\n\"F1\" = \"bad\"\n[attic]\n\"F2\" = \"good\"\n";
        let (map, problems) = Keymap::parse(text, |id| (id == "good").then(|| id.to_string()));
        let lines: Vec<usize> = problems.iter().map(|p| p.line).collect();
        assert_eq!(map.lookup(KeyContext::Global, &keys("Ctrl-p")), Lookup::Command("good".into()));
        assert_eq!(
            {
                let mut l = lines;
                l.sort_unstable();
                l
            },
            [3, 4, 5]
        );
        let (_, problems) = Keymap::parse("[global]\nF1 = \n", |id| Some(id.to_string()));
        assert_eq!(problems[0].line, 2);
    }

    #[test]
    fn keymap_line_that_is_no_toml_leaves_the_others() {
        let text =
            "[global]\n\"F8\" = \"a\n\"F9\" = \"b\"\n[editor\n\"F9\" = \"c\"\n[prompt]\n\"F9\" = \"d\"\n";
        let (map, problems) = Keymap::parse(text, |id| Some(id.to_string()));
        let lookup = |context| map.lookup(context, &keys("F9"));
        assert_eq!(lookup(KeyContext::Global), Lookup::Command("b".into()));
        assert_eq!(lookup(KeyContext::Editor), Lookup::Command("b".into()), "a table without a name");
        assert_eq!(lookup(KeyContext::Prompt), Lookup::Command("d".into()));
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [2, 4]);
        let (map, _) = Keymap::parse("base = \"vim\n[global]\n\"F9\" = \"b\"\n", |id| Some(id.to_string()));
        assert_ne!(
            map.lookup(KeyContext::Global, &keys("F1")),
            Lookup::Unknown,
            "the default keys are there"
        );
        assert_eq!(map.lookup(KeyContext::Global, &keys("F9")), Lookup::Command("b".into()));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]

        #[test]
        fn keymap_of_any_text_has_keys(
            text in "(base = \"(vim|x)|\\[(global|editor|x)\\]?\n|\"(F9|Ctrl-x|Up)\"|=| |\"|a|none|\\+|\n|é){0,14}"
        ) {
            let resolve = |id: &str| (!id.is_empty()).then(|| id.to_string());
            let (map, problems) = Keymap::or_default(&text, resolve);
            prop_assert!(KeyContext::ALL.into_iter().any(|context| !map.bindings(context).is_empty()) || problems.is_empty());
            let lines = text.matches('\n').count() + 1;
            prop_assert!(problems.iter().all(|problem| problem.line <= lines));
        }
    }
}
