//! Display options of the editor, from the settings and changed by commands. Must not know how any of them is
//! drawn.

use std::ffi::OsStr;
use std::path::Path;

use crate::config::settings::Settings;

/// Which whitespace is shown as symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhitespaceDisplay {
    /// None.
    #[default]
    Off,
    /// At the ends of lines.
    Trailing,
    /// All.
    All,
}

impl WhitespaceDisplay {
    /// Returns the value of a setting; off for an unknown one.
    pub fn from_name(name: &str) -> Self {
        match name {
            "trailing" => Self::Trailing,
            "all" => Self::All,
            _ => Self::Off,
        }
    }

    /// Returns the name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Trailing => "trailing",
            Self::All => "all",
        }
    }

    /// Returns the next value when the user cycles through them.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Trailing,
            Self::Trailing => Self::All,
            Self::All => Self::Off,
        }
    }
}

/// In which files long lines are wrapped on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SoftWrap {
    /// In none.
    Off,
    /// In those with prose.
    #[default]
    Prose,
    /// In all.
    On,
}

/// Extensions of files with prose.
const PROSE: &[&str] =
    &["adoc", "asciidoc", "markdown", "md", "mdx", "org", "rst", "tex", "text", "txt", "typ"];

impl SoftWrap {
    /// Returns the value of a setting.
    pub fn from_name(name: &str) -> Self {
        match name {
            "off" => Self::Off,
            "on" => Self::On,
            _ => Self::Prose,
        }
    }

    /// Returns the value that wraps in all files or in none.
    pub fn always(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }

    /// Returns whether it wraps in a file; in one without a name only if it does in all.
    pub fn is_on(self, path: Option<&Path>) -> bool {
        let extension = || path.and_then(Path::extension).and_then(OsStr::to_str).map(str::to_lowercase);
        match self {
            Self::Off => false,
            Self::Prose => extension().is_some_and(|end| PROSE.contains(&end.as_str())),
            Self::On => true,
        }
    }
}

/// When the line of tabs is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TabLineDisplay {
    /// Always, where it fits.
    #[default]
    Always,
    /// When more than one file is open.
    Several,
    /// Never.
    Never,
}

impl TabLineDisplay {
    /// Returns the value of a setting; always for an unknown one.
    pub fn from_name(name: &str) -> Self {
        match name {
            "several" => Self::Several,
            "never" => Self::Never,
            _ => Self::Always,
        }
    }

    /// Returns whether it is shown with this many files open.
    pub fn is_shown(self, files: usize) -> bool {
        match self {
            Self::Always => true,
            Self::Several => files > 1,
            Self::Never => false,
        }
    }
}

/// Display options of the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayOptions {
    /// Line numbers.
    pub numbers: bool,
    /// Whether line numbers are relative to the cursor's line, which shows its own number.
    pub relative: bool,
    /// The ground of the cursor's line.
    pub caret_line: bool,
    /// Whether the bracket at the cursor and its partner are highlighted.
    pub matching_brackets: bool,
    /// Brackets in colors by their depth.
    pub rainbow: bool,
    /// Maximum bytes of parse trees, except those of shown files.
    pub syntax_memory: usize,
    /// Blanks as signs.
    pub whitespace: WhitespaceDisplay,
    /// Lines down the indentation.
    pub indent_guides: bool,
    /// Marked columns, from 1.
    pub rulers: Vec<usize>,
    /// Maximum columns of a line; what exceeds it is marked. 0 for no limit.
    pub line_max: usize,
    /// Whether rulers and the limit are shown.
    pub rulers_shown: bool,
    /// Minimum number of rows between the cursor and the edge of the pane.
    pub scrolloff: usize,
    /// Where long lines are wrapped.
    pub wrap: SoftWrap,
    /// Whether the names of the items around the cursor are shown above the text.
    pub breadcrumbs: bool,
    /// Whether the headers of the items that contain the first row stay visible (sticky scroll).
    pub sticky_scroll: bool,
    /// Whether the file tree selects the file that is shown.
    pub tree_follow: bool,
    /// When the line of tabs is shown.
    pub tabs: TabLineDisplay,
    /// Whether a scrollbar is shown where the text does not fit.
    pub scrollbar: bool,
}

impl DisplayOptions {
    /// Returns the options from the settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            numbers: settings.line_numbers,
            relative: settings.relative_numbers,
            caret_line: settings.caret_line,
            matching_brackets: settings.match_brackets,
            rainbow: settings.rainbow_brackets,
            syntax_memory: settings.syntax_memory << 20,
            whitespace: WhitespaceDisplay::from_name(&settings.whitespace),
            indent_guides: settings.indent_guides,
            rulers: settings.rulers.clone(),
            line_max: settings.max_line_length,
            rulers_shown: true,
            scrolloff: settings.scroll_margin,
            wrap: SoftWrap::from_name(&settings.soft_wrap),
            breadcrumbs: settings.breadcrumbs,
            sticky_scroll: settings.sticky_lines,
            tree_follow: settings.tree_follow,
            tabs: TabLineDisplay::from_name(&settings.tab_line),
            scrollbar: settings.scrollbar,
        }
    }
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self::from_settings(&Settings::default())
    }
}
