//! Which theme is shown: one by name, or one for light and one for dark terminals.
//!
//! Must not know files: it names themes.

use crate::tui::theme::color::ColorDepth;
use crate::tui::theme::scheme::TERMINAL;

/// The word for the default choice.
pub const AUTO: &str = "auto";
/// The themes of the default choice, for light and dark terminals.
const DEFAULT: (&str, &str) = ("bowline-light", "bowline-dark");

/// What the user chose: `auto`, the name of a theme, or two names as in `mist/midnight`, for light and dark terminals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ThemeChoice {
    /// The default themes, or the terminal's own colors where there are only sixteen.
    #[default]
    Auto,
    /// Always the same theme.
    Fixed(String),
    /// By the background of the terminal.
    Pair {
        /// For light terminals.
        light: String,
        /// For dark ones.
        dark: String,
    },
}

impl ThemeChoice {
    /// Reads the value of the setting.
    pub fn parse(text: &str) -> Self {
        match text.split_once('/') {
            _ if text == AUTO => Self::Auto,
            Some((light, dark)) => {
                Self::Pair { light: light.trim().to_string(), dark: dark.trim().to_string() }
            }
            None => Self::Fixed(text.to_string()),
        }
    }

    /// Returns the name of the theme for a terminal.
    pub fn name(&self, colors: ColorDepth, is_dark: bool) -> &str {
        match self {
            Self::Auto if colors == ColorDepth::Ansi16 => TERMINAL,
            Self::Auto => {
                if is_dark {
                    DEFAULT.1
                } else {
                    DEFAULT.0
                }
            }
            Self::Fixed(name) => name,
            Self::Pair { light, dark } => {
                if is_dark {
                    dark
                } else {
                    light
                }
            }
        }
    }
}

/// Returns whether the background is dark by `COLORFGBG`, which some terminals set to two numbers of colors, as in `15;0`.
pub fn is_dark_by_variable(value: &str) -> Option<bool> {
    let background: u8 = value.rsplit(';').next()?.parse().ok()?;
    // White, and the bright colors but for bright black.
    Some(!matches!(background, 7 | 9..=15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theme_choice_names_themes_by_background_and_depth() {
        let name = |text: &str, colors, is_dark| ThemeChoice::parse(text).name(colors, is_dark).to_string();
        assert_eq!(name("auto", ColorDepth::True, true), "bowline-dark");
        assert_eq!(name("auto", ColorDepth::Ansi256, false), "bowline-light");
        assert_eq!(name("auto", ColorDepth::Ansi16, false), "terminal");
        assert_eq!(name("ember", ColorDepth::Ansi16, false), "ember");
        assert_eq!(name("mist / dusk", ColorDepth::True, false), "mist");
        assert_eq!(name("mist/dusk", ColorDepth::True, true), "dusk");
    }

    #[test]
    fn theme_background_is_read_from_variable() {
        assert_eq!(is_dark_by_variable("15;0"), Some(true));
        assert_eq!(is_dark_by_variable("0;default;15"), Some(false));
        assert_eq!(is_dark_by_variable("12;8"), Some(true));
        assert_eq!(is_dark_by_variable("default"), None);
    }
}
