//! `bowline theme`: lists and shows themes; [`convert`] converts those of other programs. Must not know how a theme is
//! read.

use std::io::{IsTerminal as _, Write as _};

use clap::Subcommand;
use ratatui::style::{Color, Modifier, Style};
use serde_json::Value;

use crate::base::error::Report;
use crate::base::json::json;
use crate::base::width::{text_width, visible};
use crate::cli::answer::format_answer;
use crate::cli::options::Args;
use crate::cli::process::{OK, USAGE, stdout, write_out};
use crate::cli::setup::{self, Process, Setup};
use crate::config::resources::Supplier;
use crate::tui::theme::scheme::ATTRIBUTES;
use crate::tui::theme::{ColorDepth, Theme, color};

pub mod convert;

/// What can be done with themes.
#[derive(Debug, Clone, Subcommand)]
pub enum ThemeCommand {
    /// List the themes with their origin; ✓ marks the one in use
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the colors of a theme
    Show {
        /// The theme; the one in use by default
        name: Option<String>,
    },
    /// Convert a theme of Helix, VS Code or pi
    #[command(after_help = CONVERT)]
    Convert(convert::Convert),
}

const CONVERT: &str = "The format is detected by the content. A theme of pi needs no conversion: put it into the folder \
`themes` of your configuration.";

/// Runs a command on themes; returns the exit code.
pub fn run(
    args: &Args,
    setup: &Setup,
    process: &Process,
    command: &ThemeCommand,
) -> Result<i32, (i32, Report)> {
    let (depth, _) = setup::color_depth(process);
    let (is_dark, _) = setup::terminal_background(setup, process);
    let choice = setup::theme_choice(args, setup);
    let used = choice.name(depth, is_dark);
    match command {
        ThemeCommand::List { json } => {
            let rows = rows(setup, used);
            let list = Value::Array(rows.iter().map(ThemeRow::json).collect());
            let answer = (rows_text(&rows), list);
            let text = format!("{}\n", format_answer(answer, *json || args.json));
            write_out(&text, &mut *stdout()).map(|()| OK)
        }
        ThemeCommand::Show { name } => {
            let name = name.as_deref().unwrap_or(used);
            let theme = setup::load_theme(&setup::themes(setup), name);
            let theme = theme.map_err(|problem| (USAGE, Report::new(problem)))?;
            // The rest of it is used.
            if let Some(problem) = theme.problem() {
                writeln!(std::io::stderr(), "bowline: {}", visible(&problem)).ok();
            }
            let is_colored = std::io::stdout().is_terminal() && depth != ColorDepth::None;
            let text = theme_text(&theme, is_colored.then_some(depth));
            // Names are made visible already, and the colors must stay.
            write_out(&text, &mut std::io::stdout()).map(|()| OK)
        }
        ThemeCommand::Convert(request) => convert::run(setup, process, request),
    }
}

/// A theme of the list.
struct ThemeRow {
    name: String,
    is_used: bool,
    /// Who supplies it; `None` if it could not be found again.
    supplier: Option<Supplier>,
    file: Option<String>,
    /// Whether it is dark, or why it cannot be used.
    dark: Result<bool, String>,
}

impl ThemeRow {
    fn origin(&self) -> &'static str {
        match self.supplier {
            Some(Supplier::Builtin) => "built-in",
            Some(Supplier::User) => "yours",
            Some(Supplier::Project) => "project",
            Some(Supplier::Plugin) => "plugin",
            None => "?",
        }
    }

    fn background(&self) -> &'static str {
        match self.dark {
            Ok(true) => "dark",
            Ok(false) => "light",
            Err(_) => "error",
        }
    }

    fn json(&self) -> Value {
        let (dark, error) = (self.dark.as_ref().ok(), self.dark.as_ref().err());
        json!({"name": self.name, "origin": self.origin(), "file": self.file, "dark": dark, "in_use": self.is_used,
            "error": error})
    }
}

/// Returns all themes, those of plugins last.
fn rows(setup: &Setup, used: &str) -> Vec<ThemeRow> {
    let themes = setup::themes(setup);
    let names = themes.names().into_iter().chain(themes.plugin_names());
    names
        .map(|name| {
            let found = themes.find(&name).ok();
            ThemeRow {
                is_used: name == used,
                supplier: found.as_ref().map(|found| found.supplier),
                file: found.and_then(|found| Some(found.file?.display().to_string())),
                dark: setup::load_theme(&themes, &name)
                    .and_then(|theme| theme.problem().map_or(Ok(theme.dark), Err)),
                name,
            }
        })
        .collect()
}

fn rows_text(rows: &[ThemeRow]) -> String {
    let width = rows.iter().map(|row| text_width(&visible(&row.name))).max().unwrap_or(0);
    let line = |row: &ThemeRow| {
        let (mark, name) = (if row.is_used { "✓" } else { " " }, visible(&row.name));
        let gap = " ".repeat(width - text_width(&name));
        let error = row.dark.as_ref().err().map(|error| format!("  {}", visible(error)));
        let (background, origin) = (row.background(), row.origin());
        let line = format!("{mark} {name}{gap}  {background:5}  {origin:8}{}", error.unwrap_or_default());
        line.trim_end().to_string()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the scopes of a theme, one a line, each with a swatch if the terminal has colors.
fn theme_text(theme: &Theme, colors: Option<ColorDepth>) -> String {
    let mut scopes: Vec<(String, Style)> =
        theme.all().map(|(scope, style)| (visible(scope).into_owned(), style)).collect();
    scopes.sort_by(|a, b| a.0.cmp(&b.0));
    let width = scopes.iter().map(|(scope, _)| text_width(scope)).max().unwrap_or(0);
    let ground = theme.style("ui.text");
    let background = if theme.dark { "dark" } else { "light" };
    let mut text = format!("{} ({background})\n\n", visible(&theme.name));
    for (scope, style) in scopes {
        let swatch = colors.map(|depth| swatch(ground.patch(style), depth)).unwrap_or_default();
        let gap = " ".repeat(width - text_width(&scope));
        text.push_str(format!("{swatch}{scope}{gap}  {}", style_words(style)).trim_end());
        text.push('\n');
    }
    text
}

/// Returns a style as words: `#rrggbb on #rrggbb bold`.
fn style_words(style: Style) -> String {
    let mut words: Vec<String> = style.fg.map(color::format).into_iter().collect();
    words.extend(style.bg.map(|ground| format!("on {}", color::format(ground))));
    let attributes = ATTRIBUTES.iter().filter(|(_, one)| style.add_modifier.contains(*one));
    words.extend(attributes.map(|(name, _)| (*name).to_string()));
    words.join(" ")
}

/// Returns a sample in a style as a terminal draws it, with a space behind it.
fn swatch(style: Style, depth: ColorDepth) -> String {
    let (fg, bg) = (style.fg.unwrap_or(Color::Reset), style.bg.unwrap_or(Color::Reset));
    let (fg, bg) = color::reduce_pair(fg, bg, depth);
    let mut codes = vec![color_code(fg, 30), color_code(bg, 40)];
    for (attribute, code) in [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
        (Modifier::CROSSED_OUT, "9"),
    ] {
        if style.add_modifier.contains(attribute) {
            codes.push(code.to_string());
        }
    }
    format!("\x1b[{}m Abc \x1b[0m ", codes.join(";"))
}

/// Returns the parameters of a color; `first` is 30 for text and 40 for a ground.
fn color_code(color: Color, first: u8) -> String {
    match color {
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", first + 8),
        Color::Indexed(index) => format!("{};5;{index}", first + 8),
        _ => (first + 9).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theme_text_has_swatches_on_terminals_only() {
        let text = "[scopes]\n'ui.text' = { fg = '#ffffff', bg = '#000000' }\nkeyword = { fg = 'red', bold = true }\n'a\\u001bb' = '#010203'";
        let text = text.replace("'a\\u001bb'", "\"a\\u001bb\"");
        let theme = Theme::parse("t\u{1b}", &text).unwrap();
        assert_eq!(
            theme_text(&theme, None),
            "t␛ (dark)\n\na␛b      #010203\nkeyword  1 bold\nui.text  #ffffff on #000000\n"
        );
        let colored = theme_text(&theme, Some(ColorDepth::True));
        assert!(colored.contains("\x1b[38;5;1;48;2;0;0;0;1m Abc \x1b[0m keyword  1 bold\n"), "{colored:?}");
        assert!(!colored.contains("a\x1bb"));
        let few = theme_text(&theme, Some(ColorDepth::Ansi16));
        assert!(few.contains("\x1b[38;5;15;48;5;0m Abc \x1b[0m ui.text"), "{few:?}");
    }
}
