//! Table of settings: one row with key, values, default and a one-line description.
//!
//! Must not know files, nor how other modules interpret a value: they parse their own strings.

mod assign;
mod choices;
mod default;
pub mod row;

use std::collections::BTreeMap;

use assign::{budgets, flag, limits, number, numbers, optional, text};
use choices::{
    APPROVAL, DELIVERY, IMAGES, NOTIFY, PROFILE, TAB_LINE, THINKING, TIME, TOKENS, TRANSPORT, WHITESPACE,
};
use row::Row;

use super::kind::{Kind, Limit, TokenBudget};

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
    /// Whether there is a scrollbar.
    pub scrollbar: bool,
    /// Whether long lines are wrapped.
    pub soft_wrap: bool,
    /// Whether the files open in the folder are reopened.
    pub restore: bool,
    /// Whether undo trees are stored for the next start.
    pub keep_undo: bool,
    /// Whether breadcrumbs are displayed.
    pub breadcrumbs: bool,
    /// Whether sticky lines with the enclosing definitions are displayed.
    pub sticky_lines: bool,
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

/// Every setting.
pub static ROWS: &[Row] = &[
    Row {
        key: "theme",
        kind: Kind::Text,
        default: "\"auto\"",
        doc: "Color theme: a name, light/dark, or auto, which follows the terminal",
        project: true,
        assign: |settings, value| text(value, &mut settings.theme),
    },
    Row {
        key: "keymap",
        kind: Kind::Text,
        default: "\"default\"",
        doc: "Key map",
        project: false,
        assign: |settings, value| text(value, &mut settings.keymap),
    },
    Row {
        key: "model",
        kind: Kind::Text,
        default: "",
        doc: "Model to start with",
        project: false,
        assign: |settings, value| optional(value, &mut settings.model),
    },
    Row {
        key: "provider",
        kind: Kind::Text,
        default: "",
        doc: "Provider of the model to start with",
        project: false,
        assign: |settings, value| optional(value, &mut settings.provider),
    },
    Row {
        key: "thinking",
        kind: THINKING,
        default: "",
        doc: "Thinking level to start with",
        project: false,
        assign: |settings, value| optional(value, &mut settings.thinking),
    },
    Row {
        key: "profile",
        kind: PROFILE,
        default: "\"auto\"",
        doc: "Tools and prompt: those of one family of models, or as fits the model",
        project: false,
        assign: |settings, value| text(value, &mut settings.profile),
    },
    Row {
        key: "approval",
        kind: APPROVAL,
        default: "",
        doc: "Which tool calls run without approval",
        project: false,
        assign: |settings, value| optional(value, &mut settings.approval),
    },
    Row {
        key: "budget",
        kind: Kind::Number(0, 100_000),
        default: "0",
        doc: "Limit of US dollars for models in one run; 0 for no limit",
        project: false,
        assign: |settings, value| number(&value, &mut settings.budget),
    },
    Row {
        key: "retries",
        kind: Kind::Number(0, 100),
        default: "5",
        doc: "Retries of a model call after overload, server or connection errors",
        project: false,
        assign: |settings, value| number(&value, &mut settings.retries),
    },
    Row {
        key: "retry-wait-max",
        kind: Kind::Number(0, 86_400),
        default: "60",
        doc: "Limit of seconds before a retry; a provider that wants more ends the run",
        project: false,
        assign: |settings, value| number(&value, &mut settings.retry_wait_max),
    },
    Row {
        key: "tool-rounds",
        kind: Kind::Number(1, 1_000_000),
        default: "200",
        doc: "Limit of tool rounds for one prompt",
        project: false,
        assign: |settings, value| number(&value, &mut settings.tool_rounds),
    },
    Row {
        key: "transport",
        kind: TRANSPORT,
        default: "\"auto\"",
        doc: "Transport to models, where a provider has several",
        project: false,
        assign: |settings, value| text(value, &mut settings.transport),
    },
    Row {
        key: "ca-file",
        kind: Kind::Text,
        default: "",
        doc: "PEM file of certificates to trust in addition to the system's",
        project: false,
        assign: |settings, value| optional(value, &mut settings.ca_file),
    },
    Row {
        key: "keyring",
        kind: Kind::Flag,
        default: "false",
        doc: "Store new keys in the system's keyring, with a reference in auth.json",
        project: false,
        assign: |settings, value| flag(&value, &mut settings.keyring),
    },
    Row {
        key: "tab-width",
        kind: Kind::Number(1, 16),
        default: "4",
        doc: "Columns from one tab stop to the next",
        project: true,
        assign: |settings, value| number(&value, &mut settings.tab_width),
    },
    Row {
        key: "auto-pairs",
        kind: Kind::Flag,
        default: "true",
        doc: "Insert the closing bracket or quote with the opening one",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.auto_pairs),
    },
    Row {
        key: "wrap-column",
        kind: Kind::Number(20, 500),
        default: "80",
        doc: "Column at which paragraphs wrap",
        project: true,
        assign: |settings, value| number(&value, &mut settings.wrap_column),
    },
    Row {
        key: "line-numbers",
        kind: Kind::Flag,
        default: "true",
        doc: "Show line numbers in editors",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.line_numbers),
    },
    Row {
        key: "relative-numbers",
        kind: Kind::Flag,
        default: "false",
        doc: "Show line numbers relative to the cursor",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.relative_numbers),
    },
    Row {
        key: "caret-line",
        kind: Kind::Flag,
        default: "true",
        doc: "Highlight the cursor's line",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.caret_line),
    },
    Row {
        key: "match-brackets",
        kind: Kind::Flag,
        default: "true",
        doc: "Highlight the bracket at the cursor and its match",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.match_brackets),
    },
    Row {
        key: "whitespace",
        kind: WHITESPACE,
        default: "\"off\"",
        doc: "Show whitespace",
        project: true,
        assign: |settings, value| text(value, &mut settings.whitespace),
    },
    Row {
        key: "indent-guides",
        kind: Kind::Flag,
        default: "false",
        doc: "Show indent guides",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.indent_guides),
    },
    Row {
        key: "rulers",
        kind: Kind::Numbers(1, 500),
        default: "[]",
        doc: "Columns with a ruler",
        project: true,
        assign: |settings, value| numbers(value, &mut settings.rulers),
    },
    Row {
        key: "max-line-length",
        kind: Kind::Number(0, 500),
        default: "0",
        doc: "Column beyond which a line is highlighted as too long; 0 for none",
        project: true,
        assign: |settings, value| number(&value, &mut settings.max_line_length),
    },
    Row {
        key: "scroll-margin",
        kind: Kind::Number(0, 50),
        default: "3",
        doc: "Rows kept between the cursor and the pane's edge",
        project: true,
        assign: |settings, value| number(&value, &mut settings.scroll_margin),
    },
    Row {
        key: "scrollbar",
        kind: Kind::Flag,
        default: "true",
        doc: "Show a scrollbar with markers",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.scrollbar),
    },
    Row {
        key: "soft-wrap",
        kind: Kind::Flag,
        default: "false",
        doc: "Wrap long lines",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.soft_wrap),
    },
    Row {
        key: "restore",
        kind: Kind::Flag,
        default: "true",
        doc: "Reopen the files of the folder's last run if none is given",
        project: false,
        assign: |settings, value| flag(&value, &mut settings.restore),
    },
    Row {
        key: "keep-undo",
        kind: Kind::Flag,
        default: "true",
        doc: "Keep the undo tree of saved files for the next start",
        project: false,
        assign: |settings, value| flag(&value, &mut settings.keep_undo),
    },
    Row {
        key: "breadcrumbs",
        kind: Kind::Flag,
        default: "false",
        doc: "Show breadcrumbs: the symbols around the cursor",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.breadcrumbs),
    },
    Row {
        key: "sticky-lines",
        kind: Kind::Flag,
        default: "false",
        doc: "Show sticky scroll: the headers of the enclosing blocks",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.sticky_lines),
    },
    Row {
        key: "rainbow-brackets",
        kind: Kind::Flag,
        default: "false",
        doc: "Color brackets by depth",
        project: true,
        assign: |settings, value| flag(&value, &mut settings.rainbow_brackets),
    },
    Row {
        key: "syntax-memory",
        kind: Kind::Number(0, 4096),
        default: "64",
        doc: "Megabytes for syntax trees of files that are not shown",
        project: false,
        assign: |settings, value| number(&value, &mut settings.syntax_memory),
    },
    Row {
        key: "tab-line",
        kind: TAB_LINE,
        default: "\"always\"",
        doc: "Show the tab bar with open files",
        project: true,
        assign: |settings, value| text(value, &mut settings.tab_line),
    },
    Row {
        key: "notify",
        kind: NOTIFY,
        default: "\"auto\"",
        doc: "How to notify while another window has the focus",
        project: false,
        assign: |settings, value| text(value, &mut settings.notify),
    },
    Row {
        key: "images",
        kind: IMAGES,
        default: "\"auto\"",
        doc: "How to show images; auto takes the best that the terminal has",
        project: false,
        assign: |settings, value| text(value, &mut settings.images),
    },
    Row {
        key: "mouse",
        kind: Kind::Flag,
        default: "true",
        doc: "Use the mouse; off leaves it to the terminal",
        project: false,
        assign: |settings, value| flag(&value, &mut settings.mouse),
    },
    Row {
        key: "steering-mode",
        kind: DELIVERY,
        default: "\"one-at-a-time\"",
        doc: "How messages sent while the agent works reach it",
        project: false,
        assign: |settings, value| text(value, &mut settings.steering_mode),
    },
    Row {
        key: "follow-up-mode",
        kind: DELIVERY,
        default: "\"one-at-a-time\"",
        doc: "How messages queued for after the agent's work reach it",
        project: false,
        assign: |settings, value| text(value, &mut settings.follow_up_mode),
    },
    Row {
        key: "compaction",
        kind: Kind::Flag,
        default: "true",
        doc: "Compact a conversation before it exceeds the context window",
        project: false,
        assign: |settings, value| flag(&value, &mut settings.compaction),
    },
    Row {
        key: "compaction-reserve-tokens",
        kind: TOKENS,
        default: "16384",
        doc: "Tokens of the context window that stay free",
        project: false,
        assign: |settings, value| number(&value, &mut settings.compaction_reserve_tokens),
    },
    Row {
        key: "compaction-keep-recent-tokens",
        kind: TOKENS,
        default: "20000",
        doc: "Recent tokens that compaction keeps",
        project: false,
        assign: |settings, value| number(&value, &mut settings.compaction_keep_recent_tokens),
    },
    Row {
        key: "compaction-models",
        kind: Kind::Budgets,
        default: "",
        doc: "The same for one model, such as [compaction-models.\"openai/gpt-5\"] reserve-tokens = 40000",
        project: false,
        assign: |settings, value| budgets(value, &mut settings.compaction_models),
    },
    Row {
        key: "read-before-write",
        kind: Kind::Choice(&["family", "off", "on"]),
        default: "\"family\"",
        doc: "Whether a model must have read a file before it changes it",
        project: false,
        assign: |settings, value| text(value, &mut settings.read_before_write),
    },
    Row {
        key: "checkpoints",
        kind: Kind::Flag,
        default: "true",
        doc: "Record file states around the agent's changes, to restore them",
        project: false,
        assign: |settings, value| flag(&value, &mut settings.checkpoints),
    },
    Row {
        key: "tool-limits",
        kind: Kind::Limits,
        default: "",
        doc: "Limit of a tool's output for models, such as [tool-limits.bash] chars = 20000, lines = 200",
        project: false,
        assign: |settings, value| limits(value, &mut settings.tool_limits),
    },
    Row {
        key: "command-timeout-ms",
        kind: TIME,
        default: "0",
        doc: "Default timeout of commands in milliseconds; 0 for the tool's own",
        project: false,
        assign: |settings, value| number(&value, &mut settings.command_timeout_ms),
    },
    Row {
        key: "command-timeout-max-ms",
        kind: TIME,
        default: "0",
        doc: "Longest timeout that a call may set, in milliseconds; 0 for the tool's own",
        project: false,
        assign: |settings, value| number(&value, &mut settings.command_timeout_max_ms),
    },
];

#[cfg(test)]
mod tests;
