//! What the editor shows beside the text itself, from the settings and changed by commands.
//! Must not know how any of it is drawn.

use crate::config::settings::Settings;

/// Which blanks are shown as signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhitespaceDisplay {
    /// None.
    #[default]
    Off,
    /// Those at the ends of lines.
    Trailing,
    /// All.
    All,
}

impl WhitespaceDisplay {
    /// By the setting's word; none for an unknown one.
    pub fn from_name(name: &str) -> Self {
        match name {
            "trailing" => Self::Trailing,
            "all" => Self::All,
            _ => Self::Off,
        }
    }

    /// The setting's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Trailing => "trailing",
            Self::All => "all",
        }
    }

    /// What comes after it when a user goes through them.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Trailing,
            Self::Trailing => Self::All,
            Self::All => Self::Off,
        }
    }
}

/// When there is a line of open files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TabLineDisplay {
    /// Always, where it fits.
    #[default]
    Always,
    /// When more than one is open.
    Several,
    /// Never.
    Never,
}

impl TabLineDisplay {
    /// By the setting's word; always for an unknown one.
    pub fn from_name(name: &str) -> Self {
        match name {
            "several" => Self::Several,
            "never" => Self::Never,
            _ => Self::Always,
        }
    }

    /// Whether there is one with so many files open.
    pub fn is_shown(self, files: usize) -> bool {
        match self {
            Self::Always => true,
            Self::Several => files > 1,
            Self::Never => false,
        }
    }
}

/// What the editor shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayOptions {
    /// Line numbers.
    pub numbers: bool,
    /// They count from the cursor's line, which has its own number.
    pub relative: bool,
    /// The ground of the cursor's line.
    pub caret_line: bool,
    /// The bracket at the cursor and its partner.
    pub matching_brackets: bool,
    /// Brackets in colors by their depth.
    pub rainbow: bool,
    /// Bytes that parse trees may take, but those of files that are shown.
    pub syntax_memory: usize,
    /// Blanks as signs.
    pub whitespace: WhitespaceDisplay,
    /// Lines down the indentation.
    pub indent_guides: bool,
    /// Marked columns, from 1.
    pub rulers: Vec<usize>,
    /// The most columns that a line should have; what is beyond is marked. 0 for no limit.
    pub line_max: usize,
    /// Whether rulers and the limit are shown.
    pub rulers_shown: bool,
    /// Rows kept between the cursor and the pane's edge.
    pub scrolloff: usize,
    /// Long lines go on in the next row.
    pub wrap: bool,
    /// The names of what is around the cursor, above the text.
    pub breadcrumbs: bool,
    /// The heads of what the first row is in stay in sight.
    pub sticky_scroll: bool,
    /// When there is a line of open files.
    pub tabs: TabLineDisplay,
    /// A column at the right with the place in the text, where it does not fit.
    pub scrollbar: bool,
}

impl DisplayOptions {
    /// As the settings say.
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
            wrap: settings.soft_wrap,
            breadcrumbs: settings.breadcrumbs,
            sticky_scroll: settings.sticky_lines,
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
