//! `bowline sessions`: commands on stored sessions.
//!
//! `list` prints stored sessions, `context` the next request of a session, `search` and `stats` process all
//! sessions, `trash` deletes and restores session files, `restore` and `prune` work on the checkpoints of
//! workspaces. Must not know how sessions are stored.

use clap::{Args as Group, Subcommand};

use crate::base::clock::{self, SystemClock};
use crate::base::error::Report;
use crate::cli::answer::format_answer;
use crate::cli::options::AgentArgs;
use crate::cli::session_lookup::{find_or_latest, find_session_file, open_session};
use crate::runtime::Options;
use crate::session::store::listing;
use restore::StateCommand;

pub mod context;
pub mod list;
pub mod prune;
pub mod restore;
pub mod search;
pub mod stats;
pub mod trash;

/// Maximum characters of a text in a line.
const TEXT_MAX: usize = 100;
/// Characters of an id in a line.
const ID_SHOWN: usize = 8;

/// What is done with stored sessions; without a command they are listed.
#[derive(Debug, Clone, Group)]
pub struct Sessions {
    /// What to do; without it the sessions are listed.
    #[command(subcommand)]
    pub command: Option<SessionCommand>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// A command on stored sessions. A session is named by its id, by how that begins or ends, or by its file.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionCommand {
    /// List all sessions
    List,
    /// Show a session: its folder, dates, messages and cost
    Show {
        /// The session: its id, how the id begins or ends, or its file; the latest of this folder if it is missing
        session: Option<String>,
    },
    /// Show the entries of a session as a tree
    Tree {
        /// The session: its id, how the id begins or ends, or its file; the latest of this folder if it is missing
        session: Option<String>,
    },
    /// Show what the next request of a session holds, with tokens and reasons
    Context(Box<context::ContextArgs>),
    /// Search all sessions
    Search {
        /// The words of the query.
        #[arg(required = true, help = QUERY)]
        text: Vec<String>,
    },
    /// Add up requests, tokens, cost and tool calls
    Stats {
        /// What is added up; day by default
        #[arg(long, value_name = "WHAT", value_parser = ["session", "day", "model", "project", "tool"])]
        by: Option<String>,
        /// Since this day, or for this long (2026-11-01, 7d, 2w)
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
    },
    /// Move a session to the trash
    Delete {
        /// The session: its id, how the id begins or ends, or its file
        session: String,
    },
    /// Commands on the states of workspaces.
    #[command(flatten)]
    States(StateCommand),
}

const QUERY: &str = "Words, \"phrases\", begin*, -without (after --), file:NAME, command:TEXT, thinking:TEXT, \
                     project:NAME, role:user, since:7d";

impl Sessions {
    /// Returns the agent options given after the command.
    pub fn agent(&self) -> Option<&AgentArgs> {
        match &self.command {
            Some(SessionCommand::Context(args)) => Some(&args.agent),
            _ => None,
        }
    }
}

/// Returns the output, and whether the command succeeded completely.
pub async fn answer(options: &Options, sessions: &Sessions, json: bool) -> Result<(String, bool), Report> {
    let (root, cwd, trash) = (options.session_root(), &options.cwd, options.home.trash());
    let now_ms = SystemClock::shared().now_ms();
    let answer = match sessions.command.as_ref().unwrap_or(&SessionCommand::List) {
        SessionCommand::Context(args) => {
            return Ok((context::show(options, args, json).await?, true));
        }
        SessionCommand::List => list::list(&listing::list(&root)),
        SessionCommand::Show { session } => list::show(&find_or_latest(&root, cwd, session.as_deref())?)?,
        SessionCommand::Tree { session } => {
            list::tree(&open_session(&find_or_latest(&root, cwd, session.as_deref())?)?)
        }
        SessionCommand::Search { text } => search::search(&root, &text.join(" "), now_ms)?,
        SessionCommand::Stats { by, since } => {
            stats::stats(&listing::list(&root), by.as_deref(), since.as_deref(), now_ms)?
        }
        SessionCommand::Delete { session } => {
            trash::delete(&find_session_file(&root, cwd, session)?, &trash, now_ms)?
        }
        SessionCommand::States(states) => return restore::run(options, states, json).await,
    };
    Ok((format_answer(answer, json), true))
}

/// Returns the end of an id: sessions started in the same minute have the same beginning.
fn short_id(id: &str) -> &str {
    let from = id.char_indices().rev().nth(ID_SHOWN - 1).map_or(0, |(at, _)| at);
    &id[from..]
}

/// `YYYY-MM-DD HH:MM`, UTC.
fn format_minute(ms: u64) -> String {
    clock::iso8601(ms).replace('T', " ").chars().take(16).collect()
}

/// Returns the beginning of a text as one line.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
pub(in crate::cli) mod tests {
    use std::path::Path;

    use crate::base::clock::ManualClock;
    use crate::base::ids::CountingIds;
    use crate::llm::model::{Message, UserMessage};
    use crate::session::{AgentMessage, EntryBody, Session};

    pub(in crate::cli) fn user(text: &str) -> EntryBody {
        EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 5))) }
    }

    /// A session with two branches and a label.
    pub(in crate::cli) fn stored(root: &Path) -> Session {
        let mut session = Session::create(
            root,
            Path::new("/w"),
            ManualClock::new(1_763_681_411_042),
            CountingIds::shared(),
        );
        let first = session.append(user("root")).unwrap();
        session.append(user("left")).unwrap();
        session.branch(Some(&first)).unwrap();
        session.append(user("right")).unwrap();
        session.set_label(&first, Some("start")).unwrap();
        session
    }

    /// Stores a session with one message; gives its id.
    pub(in crate::cli) fn one_prompt(root: &Path, text: &str) -> String {
        let clock = ManualClock::new(1_763_681_411_042);
        let mut session = Session::create(root, Path::new("/w"), clock, CountingIds::shared());
        session.append(user(text)).unwrap();
        session.id().to_string()
    }
}
