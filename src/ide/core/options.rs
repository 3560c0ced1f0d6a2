//! Start options of the IDE: fully resolved, nothing is read from the environment here.

use std::path::PathBuf;
use std::sync::Arc;

use crate::base::clock::{SharedClock, SystemClock};
use crate::config::load::LoadedSettings;
use crate::exec::clipboard::ClipboardRoute;
use crate::ide::core::keys::keymap::{BUILTIN as KEYMAPS, Keymap};
use crate::ide::core::ports::Connect;
use crate::ide::model::saved_windows::SavedWindows;
use crate::ide::model::view::display::DisplayOptions;
use crate::llm::model::Part;
use crate::tools::permissions::policy::Mode;
use crate::tui::images::protocol::ImageChoice;
use crate::tui::theme::scheme::BUILTIN;
use crate::tui::theme::{ColorDepth, Theme, ThemeChoice};

/// A file to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTarget {
    /// Absolute.
    pub path: PathBuf,
    /// Line and column, from 1.
    pub at: Option<(usize, usize)>,
}

/// How to notify while another window has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notify {
    /// As the terminal shows notifications.
    #[default]
    Auto,
    /// By the bell.
    Bell,
    /// Not at all.
    Off,
}

impl Notify {
    /// Returns the way of that name in the settings.
    pub fn named(name: &str) -> Self {
        match name {
            "bell" => Self::Bell,
            "off" => Self::Off,
            _ => Self::Auto,
        }
    }
}

/// Reads what has a name; the error is for the user.
type LoadNamed<T> = dyn Fn(&str) -> Result<T, String> + Send + Sync;

/// Files that are chosen by name, such as themes. Both functions read files.
pub struct NamedSource<T> {
    names: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
    load: Arc<LoadNamed<T>>,
}

/// All themes.
pub type ThemeSource = NamedSource<Theme>;

/// All key maps: the origin of each, for messages, and its text.
pub type KeymapSource = NamedSource<(String, String)>;

impl<T> Clone for NamedSource<T> {
    fn clone(&self) -> Self {
        Self { names: Arc::clone(&self.names), load: Arc::clone(&self.load) }
    }
}

impl<T> NamedSource<T> {
    /// A source of these names.
    pub fn new(
        names: impl Fn() -> Vec<String> + Send + Sync + 'static,
        load: impl Fn(&str) -> Result<T, String> + Send + Sync + 'static,
    ) -> Self {
        Self { names: Arc::new(names), load: Arc::new(load) }
    }

    /// Returns all names, sorted.
    pub fn names(&self) -> Vec<String> {
        (self.names)()
    }

    /// Reads what has a name; the error is for the user.
    pub fn load(&self, name: &str) -> Result<T, String> {
        (self.load)(name)
    }
}

impl Default for ThemeSource {
    /// The built-in themes.
    fn default() -> Self {
        let names = || BUILTIN.map(|(name, _)| name.to_string()).to_vec();
        Self::new(names, |name| Theme::from_name(name).ok_or_else(|| format!("unknown theme {name}")))
    }
}

impl Default for KeymapSource {
    /// The built-in key maps.
    fn default() -> Self {
        let names = || KEYMAPS.map(|(name, _)| name.to_string()).to_vec();
        Self::new(names, |name| {
            let found = KEYMAPS.iter().find(|(known, _)| *known == name);
            found
                .map(|(name, text)| ((*name).to_string(), (*text).to_string()))
                .ok_or_else(|| format!("unknown key map {name}"))
        })
    }
}

/// What the IDE is started with.
pub struct Options {
    /// The folder to work on, absolute.
    pub workspace: PathBuf,
    /// The user's home, for `~`.
    pub home: PathBuf,
    /// Folder of the user's own configuration: key maps, themes, snippets.
    pub config: PathBuf,
    /// Folder of the program's persistent state.
    pub state: PathBuf,
    /// First messages to the agent: texts with their images.
    pub prompts: Vec<(String, Vec<Part>)>,
    /// A command that runs once the session is connected, by its id.
    pub initial_command: Option<&'static str>,
    /// The theme.
    pub theme: Theme,
    /// What of the themes the user chose.
    pub theme_choice: ThemeChoice,
    /// Whether the terminal's background is dark, as far as known before it answers.
    pub is_dark_terminal: bool,
    /// The themes to choose from.
    pub themes: ThemeSource,
    /// The key map.
    pub keymap: Keymap,
    /// Its name.
    pub keymap_name: String,
    /// The key maps to choose from.
    pub keymaps: KeymapSource,
    /// The settings, and where they come from.
    pub settings: LoadedSettings,
    /// The settings for which the command line has another value.
    pub overridden: Vec<&'static str>,
    /// Problems with settings, theme and the like, for the user.
    pub problems: Vec<String>,
    /// Color depth of the terminal.
    pub colors: ColorDepth,
    /// Whether language servers may be started, if the settings want them.
    pub language_servers: bool,
    /// Whether completions may be shown by themselves, if the settings want them.
    pub auto_completion: bool,
    /// Whether the screen is drawn for screen readers.
    pub accessible: bool,
    /// Cells between tab stops.
    pub tab_width: usize,
    /// Whether typing an opening bracket or quote inserts its partner.
    pub auto_pairs: bool,
    /// The column at which paragraphs are broken.
    pub wrap_column: usize,
    /// Decorations that the editor shows beside the text.
    pub display: DisplayOptions,
    /// Whether open files are restored at the next start in the folder.
    pub keep_open: bool,
    /// Saved layout of the files being opened.
    pub restored: Option<SavedWindows>,
    /// The command line of the user's own editor, for a shell.
    pub editor: Option<String>,
    /// Whether unsent messages are kept for the next start.
    pub keep_drafts: bool,
    /// Whether undo trees are kept for the next start.
    pub keep_undo: bool,
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// How to notify while another window has the focus.
    pub notify: Notify,
    /// How images are shown.
    pub images: ImageChoice,
    /// Number of the first image: two programs in one window must not use the same ones.
    pub first_image: u16,
    /// Which clipboards can be reached.
    pub clipboard: ClipboardRoute,
    /// Which calls need approval.
    pub approval_mode: Mode,
    /// Starts the session, after the first frame.
    pub connect: Option<Connect>,
    /// Time.
    pub clock: SharedClock,
}

impl Options {
    /// Returns options for a folder with the defaults of the settings: no keys, no session, and nothing that is kept for
    /// the next start. `root` is the user's home, with the folders of configuration and state in it.
    pub fn new(workspace: PathBuf, root: PathBuf) -> Self {
        Self {
            workspace,
            config: root.join("config"),
            state: root.join("state"),
            home: root,
            prompts: Vec::new(),
            initial_command: None,
            theme: Theme::builtin(),
            theme_choice: ThemeChoice::default(),
            is_dark_terminal: true,
            themes: ThemeSource::default(),
            keymap: Keymap::default(),
            keymap_name: "default".to_string(),
            keymaps: KeymapSource::default(),
            settings: LoadedSettings::default(),
            overridden: Vec::new(),
            problems: Vec::new(),
            colors: ColorDepth::True,
            language_servers: true,
            auto_completion: true,
            accessible: false,
            tab_width: 4,
            auto_pairs: true,
            wrap_column: 80,
            display: DisplayOptions::default(),
            keep_open: false,
            restored: None,
            editor: None,
            keep_drafts: false,
            keep_undo: false,
            mouse: true,
            notify: Notify::default(),
            images: ImageChoice::default(),
            first_image: 0,
            clipboard: ClipboardRoute::default(),
            approval_mode: Mode::default(),
            connect: None,
            clock: SystemClock::shared(),
        }
    }
}
