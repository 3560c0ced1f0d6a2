//! `bowline keys`: prints the key map as the IDE resolves it. Must not know how keys are looked up.

use clap::Args as Group;
use serde_json::Value;

use crate::base::error::Report;
use crate::base::json::json;
use crate::base::width::{text_width, visible};
use crate::cli::answer::Answer;
use crate::cli::options::Args;
use crate::cli::setup::{self, Setup};
use crate::ide::core::keys::keymap::{KeyContext, Keymap, ModalStyle};
use crate::ide::shell::catalog::{CATALOG, read_keymap};

/// Which key map is printed, and how.
#[derive(Debug, Clone, Group)]
pub struct Keys {
    /// The key map, by name; that of the settings by default
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A command with its keys in one context.
struct Binding {
    /// Key sequences, the one that is displayed first.
    keys: Vec<String>,
    /// The command's id.
    command: String,
    /// Its title; `None` for a command of a plugin.
    title: Option<&'static str>,
}

/// Returns the key map as text and as JSON, and the problems of its file. Keys of plugins are not in it: the IDE adds
/// them when it has read the plugins.
///
/// # Errors
/// Fails if a key map that the command line names does not exist or cannot be read.
pub fn keys(args: &Args, setup: &Setup, request: &Keys) -> Result<(Answer, Vec<String>), Report> {
    let keymap = request.keymap.clone().or_else(|| args.keymap.clone());
    let args = Args { keymap, ..args.clone() };
    let ((origin, text), missing) = setup::keymap(&args, setup);
    if let (Some(problem), Some(_)) = (&missing, &args.keymap) {
        return Err(Report::new(problem.trim_end_matches("; the default keys are used")));
    }
    let (map, problems) = read_keymap(&origin, &text);
    let problems: Vec<String> = missing.into_iter().chain(problems).collect();
    let contexts: Vec<(KeyContext, Vec<Binding>)> = KeyContext::ALL
        .into_iter()
        .map(|context| (context, bindings(&map, context)))
        .filter(|(_, bindings)| !bindings.is_empty())
        .collect();
    let value = keys_json(&origin, &map, &contexts, &problems);
    Ok(((keys_text(&origin, &contexts), value), problems))
}

/// Returns the bindings of one context, each command once, in the order of the file.
fn bindings(map: &Keymap, context: KeyContext) -> Vec<Binding> {
    let mut found: Vec<Binding> = Vec::new();
    for (keys, command) in map.bindings(context) {
        if let Some(known) = found.iter_mut().find(|known| known.command == command) {
            known.keys.push(keys);
        } else {
            let title = CATALOG.command(&command).map(|command| command.title);
            found.push(Binding { keys: vec![keys], command, title });
        }
    }
    found
}

/// Returns the contexts whose keys work in this one, too, nearest first.
fn fallbacks(context: KeyContext) -> Vec<&'static str> {
    context.chain().iter().skip(1).map(|context| context.name()).collect()
}

fn keys_text(origin: &str, contexts: &[(KeyContext, Vec<Binding>)]) -> String {
    let all = || contexts.iter().flat_map(|(_, bindings)| bindings);
    let keys = |binding: &Binding| visible(&binding.keys.join(", ")).into_owned();
    let widest = |width: &dyn Fn(&Binding) -> usize| all().map(width).max().unwrap_or(0);
    let keys_width = widest(&|binding| text_width(&keys(binding))).min(KEYS_MAX);
    let command_width = widest(&|binding| text_width(&binding.command));
    let mut lines = vec![format!("Key map: {}", visible(origin))];
    for (context, bindings) in contexts {
        let fallbacks = fallbacks(*context);
        let others =
            if fallbacks.is_empty() { String::new() } else { format!(" (then {})", fallbacks.join(", ")) };
        lines.push(format!("\n{}{others}", context.name()));
        for binding in bindings {
            let (keys, command) = (keys(binding), visible(&binding.command));
            let keys_gap = " ".repeat(keys_width.saturating_sub(text_width(&keys)));
            let command_gap = " ".repeat(command_width.saturating_sub(text_width(&command)));
            let title = binding.title.unwrap_or_default();
            lines.push(format!("  {keys}{keys_gap}  {command}{command_gap}  {title}").trim_end().to_string());
        }
    }
    lines.join("\n")
}

/// Lists of keys longer than this many cells do not widen their column.
const KEYS_MAX: usize = 28;

fn keys_json(
    origin: &str,
    map: &Keymap,
    contexts: &[(KeyContext, Vec<Binding>)],
    problems: &[String],
) -> Value {
    let modes = match map.modal_style() {
        ModalStyle::None => "none",
        ModalStyle::Vim => "vim",
        ModalStyle::Helix => "helix",
    };
    let binding = |Binding { keys, command, title }: &Binding| -> Value {
        json!({"keys": keys, "command": command, "title": title})
    };
    let context = |(context, bindings): &(KeyContext, Vec<Binding>)| -> Value {
        let bindings: Vec<Value> = bindings.iter().map(binding).collect();
        json!({"context": context.name(), "fallbacks": fallbacks(*context), "bindings": bindings})
    };
    let contexts: Vec<Value> = contexts.iter().map(context).collect();
    json!({"keymap": origin, "modes": modes, "contexts": contexts, "problems": problems})
}
