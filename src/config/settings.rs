//! Settings: their values, and a table with a row for each.
//!
//! Must not know files, nor how other modules interpret a value: they parse their own strings.

mod assign;
mod choices;
mod default;
pub mod row;
pub mod rows;
pub mod value;

use std::collections::BTreeMap;

use super::kind::{Limit, TokenBudget};

/// What language servers may use, and what they show in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ServerDisplay {
    /// Megabytes of memory (2^20 bytes) that each may use; 0 means unlimited.
    pub language_server_memory: usize,
    /// Whether hints are shown within lines.
    pub inlay_hints: bool,
    /// Whether names are colored by what servers know of them.
    pub semantic_tokens: bool,
    /// Whether swatches are shown before colors.
    pub color_swatches: bool,
    /// Whether code lenses are shown behind lines.
    pub code_lens: bool,
    /// What they change while text is typed.
    #[serde(flatten)]
    pub typing: ServerTyping,
}

/// What language servers change while text is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ServerTyping {
    /// Whether lines are formatted after characters that a server names.
    pub format_on_type: bool,
    /// Whether linked names are changed together.
    pub linked_editing: bool,
}

/// All settings with their values.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Color theme: a name, two names for light and dark terminals, or `auto`.
    pub theme: String,
    /// Name of the key map.
    pub keymap: String,
    /// Model to start with.
    pub model: Option<String>,
    /// Provider to start with.
    pub provider: Option<String>,
    /// Thinking level to start with.
    pub thinking: Option<String>,
    /// Profile of tools and prompt: `auto` follows the model.
    pub profile: String,
    /// Approval mode; each front end has its own default.
    pub approval: Option<String>,
    /// Budget of one run for models in US dollars; 0 means unlimited.
    pub budget: usize,
    /// How often a failed model call is retried.
    pub retries: usize,
    /// Maximum seconds to wait before a retry, whether requested by the provider or the back-off.
    pub retry_wait_max: usize,
    /// Maximum rounds of tool calls per prompt.
    pub tool_rounds: usize,
    /// Transport to providers that support several, in pi's terms.
    pub transport: String,
    /// A file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<String>,
    /// Whether keys are stored in the system's keyring.
    pub keyring: bool,
    /// Columns between tab stops.
    pub tab_width: usize,
    /// Whether typing an opening bracket or quote inserts its partner.
    pub auto_pairs: bool,
    /// Whether completions and signatures are shown by themselves while typing.
    pub auto_completion: bool,
    /// The column at which paragraphs are broken.
    pub wrap_column: usize,
    /// Whether editors show line numbers.
    pub line_numbers: bool,
    /// Whether line numbers are relative to the cursor's line.
    pub relative_numbers: bool,
    /// Whether the cursor's line is highlighted.
    pub caret_line: bool,
    /// Whether the bracket at the cursor and its partner are highlighted.
    pub match_brackets: bool,
    /// Which white space is visible: `off`, `trailing` or `all`.
    pub whitespace: String,
    /// Whether lines are drawn down the indentation.
    pub indent_guides: bool,
    /// Marked columns, from 1.
    pub rulers: Vec<usize>,
    /// Maximum columns that a line should have; 0 means unlimited.
    pub max_line_length: usize,
    /// Rows kept between the cursor and the edge.
    pub scroll_margin: usize,
    /// Whether the screen is drawn for screen readers.
    pub accessible: bool,
    /// Whether language servers are started for open files.
    pub language_servers: bool,
    /// Whether the agent gets the errors that language servers find after its edits.
    pub diagnostics_after_edit: bool,
    /// Whether files are formatted before they are saved.
    pub format_on_save: bool,
    /// What language servers show in files.
    #[serde(flatten)]
    pub server_display: ServerDisplay,
    /// Whether there is a scrollbar.
    pub scrollbar: bool,
    /// In which files long lines are wrapped on the screen: `off`, `prose` or `on`.
    pub soft_wrap: String,
    /// Whether the files open in the folder are reopened.
    pub restore: bool,
    /// Whether undo trees are stored for the next start.
    pub keep_undo: bool,
    /// Whether breadcrumbs are displayed.
    pub breadcrumbs: bool,
    /// Whether sticky lines with the enclosing definitions are displayed.
    pub sticky_lines: bool,
    /// Whether the file tree selects the file that is shown.
    pub tree_follow: bool,
    /// Whether brackets are colored by depth.
    pub rainbow_brackets: bool,
    /// Memory limit in megabytes (2^20 bytes) for parse trees of files that are not visible.
    pub syntax_memory: usize,
    /// When the tab line is displayed: `always`, `several` or `never`.
    pub tab_line: String,
    /// How to notify while another window has the focus: `auto`, `bell` or `off`.
    pub notify: String,
    /// How images are displayed: `auto`, `kitty`, `iterm2`, `sixel`, `halfblocks` or `off`.
    pub images: String,
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// How steering messages are delivered: `all` or `one-at-a-time`.
    pub steering_mode: String,
    /// How follow-up messages are delivered: `all` or `one-at-a-time`.
    pub follow_up_mode: String,
    /// Whether long conversations are compacted by themselves.
    pub compaction: bool,
    /// Tokens of the context window that stay free.
    pub compaction_reserve_tokens: usize,
    /// Tokens at the end of a conversation that are kept.
    pub compaction_keep_recent_tokens: usize,
    /// Overrides for models, by `provider/id`.
    pub compaction_models: BTreeMap<String, TokenBudget>,
    /// Whether a model must have read a file before it edits it: `family`, `off` or `on`.
    pub read_before_write: String,
    /// Whether checkpoints of the working folder are recorded around the agent's changes.
    pub checkpoints: bool,
    /// Overrides of limits on tools' texts, by name of a tool or kind.
    pub tool_limits: BTreeMap<String, Limit>,
    /// Default timeout of a command in milliseconds; 0 for the tool's own.
    pub command_timeout_ms: usize,
    /// Maximum timeout of a command in milliseconds; 0 for the tool's own.
    pub command_timeout_max_ms: usize,
}

#[cfg(test)]
mod tests;
