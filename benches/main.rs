//! The figures of the program beside their budgets: `cargo bench`, or `cargo bench -- NAME`
//! (`llm` for all whose names begin with it).
//! `--quick` runs each once on small input and checks only that it works; the tests do that.
//!
//! Rows that need a terminal run the built binary in a pseudo terminal, beside a floor: a
//! program that does nothing but echo. Only ratios travel between machines.

#![allow(unreachable_pub, reason = "a benchmark has no outside")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints and may panic")]

/// States of a workspace.
mod checkpoints;
/// Completions of the prompt.
mod completion;
/// One long session: open, memory, append, branches, contexts, a page of it.
mod conversation;
/// Text and images of hostile programs on the screen.
mod hostile;
/// Inside the process: frames, bytes, edits, streaming, with growth exponents.
mod inside;
/// Long answers of language servers: what they cost the event loop.
mod language_servers;
/// Files of many megabytes in a pseudo terminal: open, memory, keys.
mod large;
/// Models: streams, requests, memory.
mod llm;
/// An IDE with a session, driven step by step.
mod open_session;
/// Other editors beside it.
mod peers;
/// What an agent changed, compared.
mod review;
/// The built binary driven by another program.
mod rpc;
/// Files and text in a tree, beside ripgrep.
mod search;
/// The built binary with language servers in a pseudo terminal.
mod served;
/// Stored sessions: lists, a search through all of them.
mod sessions;
/// The wires of the dialects in bytes: those of the tests.
#[path = "../tests/it/support"]
#[allow(dead_code, reason = "the tests take more of it")]
mod support {
    pub mod anthropic;
    pub mod client_process;
    pub mod frames;
    pub mod server;
    pub mod sockets;
    pub mod wires;
}
/// The built binary in a pseudo terminal: start, keys, idle.
mod terminal;
/// The agent's tools.
mod tools;
/// The conversation on the screen, with a long session.
mod transcript;
/// Lists, what is beside them, themes.
mod workbench;

/// How much to do.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Once, on small input.
    pub quick: bool,
}

impl Effort {
    /// `full`, or one in a quick run.
    pub fn times(self, full: usize) -> usize {
        if self.quick { 1 } else { full }
    }
}

/// One benchmark.
type Benchmark = (&'static str, fn(Effort));

const ROWS: &[Benchmark] = &[
    ("frame", inside::key_to_frame),
    ("growth", inside::growth),
    ("bytes", inside::bytes_per_key),
    ("edit", inside::insert_and_undo),
    ("cursors", inside::many_cursors),
    ("replace", inside::replace_million),
    ("stream", inside::streamed_answer),
    ("stream-memory", inside::streamed_memory),
    ("start", terminal::start),
    ("key", terminal::key),
    ("idle", terminal::idle),
    ("interrupt", terminal::interrupt),
    ("large", large::files),
    ("line", large::line),
    ("grep", search::grep),
    ("sessions-open", conversation::open_session),
    ("sessions-memory", conversation::memory),
    ("sessions-append", conversation::append),
    ("sessions-context", conversation::build_context),
    ("sessions-branch", conversation::switch_branches),
    ("sessions-tree", conversation::session_tree),
    ("sessions-html", conversation::page),
    ("sessions-resume", conversation::resume_session),
    ("transcript", transcript::long_conversation),
    ("transcript-images", transcript::images),
    ("hostile-text", hostile::texts),
    ("hostile-images", hostile::images),
    ("picker-files", workbench::picker),
    ("picker-preview", workbench::preview),
    ("themes", workbench::themes),
    ("sessions-list", sessions::list),
    ("sessions-search", sessions::search),
    ("checkpoint", checkpoints::checkpoints),
    ("review", review::review),
    ("bash", tools::bash_output),
    ("completion", completion::files_of_workspace),
    ("lsp-completion", language_servers::completion),
    ("lsp-diagnostics", language_servers::diagnostics),
    ("lsp-tokens", language_servers::tokens),
    ("lsp-message", language_servers::message),
    ("lsp-start", served::start),
    ("lsp-keys", served::keys),
    ("lsp-idle", served::idle),
    ("lsp-memory", served::memory),
    ("lsp-rename", served::rename),
    ("rpc", rpc::rpc),
    ("peers", peers::peers),
    // Before the others, which leave memory behind that it would not have to ask for.
    ("llm-memory", llm::memory),
    ("llm-stream", llm::streams),
    ("llm-arguments", llm::arguments),
    ("llm-request", llm::requests),
    ("llm-latency", llm::latency),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [held, path] = &args[..]
        && held == conversation::MEMORY_FLAG
    {
        return conversation::print_held_memory(path.as_ref());
    }
    if let [held, tokens] = &args[..]
        && held == inside::STREAMED
    {
        return inside::streamed(tokens);
    }
    let effort = Effort { quick: args.iter().any(|arg| arg == "--quick") };
    let wanted: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    println!("{:<44} {:>12} {:>12} {:>8}  budget", "what", "figure", "floor", "ratio");
    for (name, run) in ROWS {
        if wanted.is_empty()
            || wanted
                .iter()
                .any(|w| w == name || name.strip_prefix(w.as_str()).is_some_and(|rest| rest.starts_with('-')))
        {
            run(effort);
        }
    }
}

/// Prints one figure, with its floor where there is one.
pub fn report(what: &str, figure: f64, unit: &str, floor: Option<f64>, budget: &str) {
    let number =
        |value: f64| if value < 10.0 { format!("{value:.3} {unit}") } else { format!("{value:.1} {unit}") };
    let ratio = floor.map_or_else(|| "-".to_string(), |floor| format!("{:.2}", figure / floor.max(1e-9)));
    println!(
        "{what:<44} {:>12} {:>12} {ratio:>8}  {budget}",
        number(figure),
        floor.map_or_else(|| "-".to_string(), number)
    );
}

/// Prints with which power of the size a figure grows, from the smallest to the largest.
pub fn growth(what: &str, figures: &[(usize, f64)], unit: &str, budget: &str) {
    let ((small, first), (large, last)) = (figures[0], figures[figures.len() - 1]);
    let exponent = (last / first).ln() / (large as f64 / small as f64).ln();
    println!("{what:<44} {first:>9.3} {unit} {last:>9.3} {unit} {exponent:>8.3}  exponent {budget}");
}

/// The value at a share of the sorted samples.
pub fn percentile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[((samples.len() - 1) as f64 * share) as usize]
}
