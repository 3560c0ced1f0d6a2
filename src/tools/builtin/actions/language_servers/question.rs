//! The arguments of a question to language servers, and the file that it is about, opened at its servers. Must not know
//! answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::lsp::client::{Client, QuestionError};
use crate::lsp::table::Feature;
use crate::tools::contract::args;
use crate::tools::contract::tool::Invocation;
use crate::tools::files::paths;
use crate::tools::interaction::language_servers::{LanguageServers, OpenFile, OpenServer};
use crate::tools::language_servers::symbol::{self, SymbolPlace};

/// How long a call may take, in seconds: by default, at least and at most.
const TIMEOUT_S: (usize, usize, usize) = (20, 5, 300);

/// A question.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is wanted.
    pub action: String,
    /// The file, as the model wrote it.
    pub file: Option<String>,
    /// The place in it.
    pub place: SymbolPlace,
    /// What is searched or chosen.
    pub query: Option<String>,
    /// The new name or path.
    pub new_name: Option<String>,
    /// Whether a change is made.
    pub apply: Option<bool>,
    /// How long servers may take.
    pub timeout: Duration,
    /// The parameters of a request, as JSON.
    pub payload: Option<String>,
}

impl Question {
    /// Reads arguments.
    pub fn of(args: &Value) -> Self {
        let (default, min, max) = TIMEOUT_S;
        let seconds = args::positive(args, "timeout").unwrap_or(default).clamp(min, max);
        Self {
            action: args::text(args, "action").to_string(),
            file: args::optional_text(args, "file"),
            place: SymbolPlace {
                line: args::number(args, "line"),
                symbol: args::optional_text(args, "symbol"),
            },
            query: args::optional_text(args, "query"),
            new_name: args::optional_text(args, "new_name"),
            apply: args.get("apply").and_then(Value::as_bool),
            timeout: Duration::from_secs(seconds as u64),
            payload: args::optional_text(args, "payload"),
        }
    }

    /// Whether the call changes files once it is approved.
    pub fn changes_files(&self) -> bool {
        match self.action.as_str() {
            "rename" | "rename_file" => self.apply != Some(false),
            "code_actions" => self.apply == Some(true),
            _ => false,
        }
    }
}

/// A question about a file that its servers know.
pub struct Asked {
    /// The question.
    pub question: Question,
    /// The file.
    pub file: OpenFile,
}

/// Returns the session's servers; the error is for the model.
pub fn servers(call: &Invocation) -> Result<Arc<dyn LanguageServers>, String> {
    let none = || "There are no language servers in this session.".to_string();
    call.shared.language_servers.clone().ok_or_else(none)
}

/// Opens the file of a question at its servers; the error is for the model.
pub async fn open(call: &Invocation, question: &Question) -> Result<Asked, String> {
    let Some(file) = &question.file else {
        return Err(format!("{} needs a file.", question.action));
    };
    let path = paths::resolve_readable(&*call.env, file).await;
    let file = open_path(call, question, &path).await?;
    Ok(Asked { question: question.clone(), file })
}

/// Opens a file at its servers; the error is for the model.
pub async fn open_path(call: &Invocation, question: &Question, path: &Path) -> Result<OpenFile, String> {
    let opened = servers(call)?.open(path.to_path_buf(), question.timeout);
    let opened = call.cancel.run_until_cancelled(opened).await.ok_or_else(interrupted)?;
    opened.map_err(|reason| format!("{}: {reason}.", path.display()))
}

/// The outcome of an interrupted call.
pub fn interrupted() -> String {
    "Interrupted.".to_string()
}

impl Asked {
    /// Returns the servers that are asked for a feature and offer a method, with the time of the question.
    pub fn servers(&self, feature: Feature, method: &str) -> Vec<(String, Client)> {
        let wanted = |server: &&OpenServer| server.features.contains(feature) && server.client.offers(method);
        let timeout = self.question.timeout;
        let asked = self.file.servers.iter().filter(wanted);
        asked.map(|server| (server.name.clone(), server.client.clone().with_timeout(timeout))).collect()
    }

    /// Returns the same, at least one; the error is for the model.
    pub fn some_servers(&self, feature: Feature, method: &str) -> Result<Vec<(String, Client)>, String> {
        let servers = self.servers(feature, method);
        if servers.is_empty() {
            let names: Vec<&str> = self.file.servers.iter().map(|server| server.name.as_str()).collect();
            let text = format!("{} is not offered by {}.", self.question.action, names.join(", "));
            return Err(text);
        }
        Ok(servers)
    }

    /// Returns the text as a server knows it, and the range of the place in it; the error is for the model.
    pub fn place(&self, client: &Client) -> Result<(String, std::ops::Range<usize>), String> {
        let known = client.text(&self.file.path);
        let text = known.map(|known| known.text.text()).unwrap_or_default();
        let range = symbol::find(&text, &self.question.place)?;
        Ok((text, range))
    }

    /// Fails unless the place names a symbol: a line alone could mean any of its names.
    pub fn check_symbol(&self) -> Result<(), String> {
        if self.question.place.symbol.is_some() {
            return Ok(());
        }
        let text = format!(
            "{} needs a symbol: a name in the line, `name#2` for its second occurrence.",
            self.question.action
        );
        Err(text)
    }
}

/// Returns the answers of servers that have some; the errors of the others if none has.
pub fn answers<T>(answers: Vec<(String, Result<T, QuestionError>)>) -> Result<Vec<(String, T)>, String> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for (name, answer) in answers {
        match answer {
            Ok(answer) => found.push((name, answer)),
            Err(error) => problems.push(format!("{name}: {error}.")),
        }
    }
    if found.is_empty() && !problems.is_empty() { Err(problems.join("\n")) } else { Ok(found) }
}
