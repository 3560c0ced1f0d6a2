//! Session reports for programs, in pi's fields: tree, totals and cost, fork points, last answer, HTML
//! export.
//!
//! Must not know who asks. Work that traverses the whole session runs on a copy ([`Account`]), not on the
//! session's task, where answers stream in.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use crate::base::error::Report;
use crate::exec::Environment;
use crate::llm::model::message::join_text;
use crate::llm::model::{Message, StopReason, Usage};
use crate::runtime::controls::client::{ClientRequest, ContextUsage, EntryLines};
use crate::runtime::controls::handle::Handle;
use crate::session::derived::export::{self, Format};
use crate::session::derived::recent::PageLimit;
use crate::session::store::listing;
use crate::session::{AgentMessage, EntryBody, Session};

/// Messages read at a time in a search for the latest of a kind.
const PAGE: PageLimit = PageLimit { messages: 20, bytes: 1 << 20 };

/// A message of the user at which the session can be forked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPoint {
    /// Its entry.
    pub entry: String,
    /// Its text.
    pub text: String,
}

/// A copy of a session at one moment, for full traversals. These take time: do not call them on a thread that
/// must not block.
#[derive(Debug)]
pub struct SessionCopy {
    session: Session,
    context_usage: ContextUsage,
}

impl SessionCopy {
    /// Returns the tree in pi's form, as JSON: `{"tree":[{"entry":…,"children":[…]}],"leafId":…}`.
    pub fn tree(&self) -> Result<String, Report> {
        tree_json(&self.session)
    }

    /// Returns the entries as they are in the session's file: all, or those after one.
    pub fn entries(&self, since: Option<&str>) -> Result<EntryLines, Report> {
        entry_lines(&self.session, since)
    }

    /// Returns all user messages of the session, in the order of its file.
    pub fn fork_points(&self) -> Vec<ForkPoint> {
        fork_points(&self.session)
    }

    /// Returns message counts, usage and cost, in pi's fields.
    pub fn statistics(&self) -> Value {
        let mut all = statistics_json(&self.session);
        let ContextUsage { tokens, window } = self.context_usage;
        if window > 0 {
            // After a compaction there is no count yet.
            let tokens = (tokens > 0).then_some(tokens);
            let percent = tokens.map(|tokens| tokens as f64 * 100.0 / window as f64);
            all["contextUsage"] = json!({"tokens": tokens, "contextWindow": window, "percent": percent});
        }
        all
    }

    /// Returns the session as one HTML page.
    fn html_page(&self) -> Result<String, Report> {
        let page = export::document(&self.session, Format::Html);
        page.map_err(|error| Report::caused("the session cannot be read", &error))
    }
}

impl Handle {
    /// Returns a copy of the session, which continues meanwhile.
    #[doc(hidden)]
    pub async fn session_copy(&self) -> Result<SessionCopy, Report> {
        let (session, filled) = self.client_request(ClientRequest::CopySession).await?;
        Ok(SessionCopy { session: *session, context_usage: filled })
    }

    /// Runs a closure on a copy of the session, on a blocking thread.
    pub(in crate::runtime) async fn read_session_copy<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Session) -> T + Send + 'static,
    ) -> Result<T, Report> {
        self.with_session_copy(move |account| read(&account.session)).await
    }

    async fn with_session_copy<T: Send + 'static>(
        &self,
        read: impl FnOnce(&SessionCopy) -> T + Send + 'static,
    ) -> Result<T, Report> {
        let account = self.session_copy().await?;
        let result = tokio::task::spawn_blocking(move || read(&account)).await;
        result.map_err(|error| Report::caused("the work was ended", &error))
    }

    /// [`Account::tree`] as it is now.
    pub async fn tree(&self) -> Result<String, Report> {
        self.with_session_copy(SessionCopy::tree).await?
    }

    /// [`Account::entries`] as they are now.
    pub async fn entries(&self, since: Option<String>) -> Result<EntryLines, Report> {
        self.with_session_copy(move |account| account.entries(since.as_deref())).await?
    }

    /// [`Account::fork_places`] as they are now.
    #[doc(hidden)]
    pub async fn fork_points(&self) -> Result<Vec<ForkPoint>, Report> {
        self.with_session_copy(SessionCopy::fork_points).await
    }

    /// [`Account::statistics`] as they are now.
    pub async fn statistics(&self) -> Result<Value, Report> {
        self.with_session_copy(SessionCopy::statistics).await
    }

    /// Returns the text of the last answer on the path, if there is one.
    pub async fn last_answer(&self) -> Result<Option<String>, Report> {
        self.with_session(last_answer).await
    }

    /// Returns the messages of the conversation, oldest first.
    pub async fn messages(&self) -> Result<Vec<Arc<AgentMessage>>, Report> {
        self.with_session(|session| session.context().messages).await
    }

    /// Exports the session as one HTML page, into the workspace unless a path is given; returns the path.
    pub async fn export_page(&self, to: Option<PathBuf>) -> Result<PathBuf, Report> {
        let options = self.reloader.current_options();
        let env = options.env.clone();
        let made = self.with_session_copy(|account| {
            let session = &account.session;
            (session.id().to_string(), session.file().map(PathBuf::from), account.html_page())
        });
        let (id, file, page) = made.await?;
        let path = env.root().join(to.unwrap_or_else(|| PathBuf::from(format!("bowline-session-{id}.html"))));
        // Refused: the page must not overwrite a session file.
        let root = options.session_root();
        let (root, real) = (env.resolve(&root).await.unwrap_or(root), env.resolve(&path).await);
        let real = real.unwrap_or_else(|_| path.clone());
        if real.starts_with(root) || file.is_some_and(|file| listing::is_same(&file, &real)) {
            let message = format!("cannot write {}: sessions are kept there", path.display());
            return Err(Report::new(message).hint("name a file in another folder"));
        }
        let written = Environment::write(&*env, &path, page?.into_bytes(), None).await;
        written.map_err(|error| Report::caused(format!("cannot write {}", path.display()), &error))?;
        Ok(path)
    }
}

fn entry_lines(session: &Session, since: Option<&str>) -> Result<EntryLines, Report> {
    let tree = session.tree();
    let from = match since {
        None => 0,
        Some(id) => match tree.index_of(id) {
            Some(at) => at as usize + 1,
            None => return Err(Report::new(format!("there is no entry {id}"))),
        },
    };
    let all = (from..tree.len()).map(|at| {
        let at = u32::try_from(at).map_err(std::io::Error::other)?;
        tree.entry(at).line().map(std::borrow::Cow::into_owned)
    });
    let lines: std::io::Result<Vec<String>> = all.collect();
    let lines = lines.map_err(|error| Report::caused("the session cannot be read", &error))?;
    Ok(EntryLines { lines, leaf: session.leaf().map(str::to_string) })
}

/// A node in progress while the tree is written.
enum Step {
    Open(u32),
    Close,
    Comma,
}

/// Iterative: the tree of a conversation is as deep as the conversation is long.
fn tree_json(session: &Session) -> Result<String, Report> {
    let failed = |error: std::io::Error| Report::caused("the session cannot be read", &error);
    let all = session.tree();
    let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let mut children: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
    for at in 0..count {
        // pi treats an entry that precedes its parent in the file as a root.
        let parent = all.parent_index(at).filter(|parent| *parent < at);
        children.entry(parent).or_default().push(at);
    }
    let labels = labels_with_times(session);
    let mut out = String::from("{\"tree\":[");
    let mut steps: Vec<Step> = Vec::new();
    let put = |steps: &mut Vec<Step>, nodes: &[u32]| {
        for (n, node) in nodes.iter().enumerate().rev() {
            steps.extend([Step::Close, Step::Open(*node)]);
            if n > 0 {
                steps.push(Step::Comma);
            }
        }
    };
    put(&mut steps, children.get(&None).map_or(&[], Vec::as_slice));
    while let Some(step) = steps.pop() {
        match step {
            Step::Comma => out.push(','),
            Step::Close => out.push_str("]}"),
            Step::Open(at) => {
                let entry = all.entry(at);
                out.push_str("{\"entry\":");
                out.push_str(&entry.line().map_err(failed)?);
                if let Some((label, time)) = labels.get(entry.id()) {
                    out.push_str(&format!(",\"label\":{},\"labelTimestamp\":{}", json!(label), json!(time)));
                }
                out.push_str(",\"children\":[");
                put(&mut steps, children.get(&Some(at)).map_or(&[], Vec::as_slice));
            }
        }
    }
    out.push_str(&format!("],\"leafId\":{}}}", json!(session.leaf())));
    Ok(out)
}

/// Returns labels and the times at which they were set.
fn labels_with_times(session: &Session) -> HashMap<String, (String, String)> {
    let labels = session.labels();
    let mut times: HashMap<String, String> = HashMap::new();
    for entry in session.tree().of_kind("label") {
        if let EntryBody::Label { target_id, .. } = entry.body() {
            // Entries are visited latest first.
            times.entry(target_id).or_insert_with(|| entry.timestamp().to_string());
        }
    }
    let with_time = |(id, label): (String, String)| {
        let time = times.remove(&id).unwrap_or_default();
        (id, (label, time))
    };
    labels.into_iter().map(with_time).collect()
}

fn fork_points(session: &Session) -> Vec<ForkPoint> {
    let points = session.tree().of_kind("message").filter_map(|entry| {
        let EntryBody::Message { message: AgentMessage::Llm(Message::User(user)) } = entry.body() else {
            return None;
        };
        let text = join_text(&user.content);
        (!text.is_empty()).then(|| ForkPoint { entry: entry.id().to_string(), text })
    });
    let mut points: Vec<ForkPoint> = points.collect();
    // Restores the order: the traversal was latest first.
    points.reverse();
    points
}

fn last_answer(session: &Session) -> Option<String> {
    let last_text = |message: &AgentMessage| match message {
        AgentMessage::Llm(Message::Assistant(answer))
            if answer.stop_reason != StopReason::Aborted || !answer.content.is_empty() =>
        {
            Some(answer.text().trim().to_string())
        }
        _ => None,
    };
    let mut piece = session.recent(PAGE);
    loop {
        if let Some(text) = piece.messages.iter().rev().find_map(|message| last_text(message)) {
            return (!text.is_empty()).then_some(text);
        }
        piece = session.page_before(&piece.earlier?, PAGE);
    }
}

/// Counts all branches: everything that was billed.
fn statistics_json(session: &Session) -> Value {
    let (mut users, mut answers, mut results, mut calls, mut messages) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut spent = Usage::default();
    for entry in session.entries() {
        match entry.body() {
            EntryBody::Message { message } => {
                messages += 1;
                match message {
                    AgentMessage::Llm(Message::User(_)) => users += 1,
                    AgentMessage::Llm(Message::ToolResult(_)) => results += 1,
                    AgentMessage::Llm(Message::Assistant(answer)) => {
                        answers += 1;
                        calls += answer.tool_calls().count() as u64;
                        spent += &answer.usage;
                    }
                    AgentMessage::Other(_) => {}
                }
            }
            EntryBody::Compaction { usage: Some(usage), .. }
            | EntryBody::BranchSummary { usage: Some(usage), .. }
            | EntryBody::Usage { usage, .. } => spent += &usage,
            _ => {}
        }
    }
    let tokens = json!({
        "input": spent.input, "output": spent.output, "cacheRead": spent.cache_read,
        "cacheWrite": spent.cache_write,
        "total": spent.prompt().saturating_add(spent.output),
    });
    let mut all = json!({
        "sessionId": session.id(), "userMessages": users, "assistantMessages": answers, "toolCalls": calls,
        "toolResults": results, "totalMessages": messages, "tokens": tokens, "cost": spent.cost.total,
    });
    if let Some(file) = session.file() {
        all["sessionFile"] = json!(file.to_string_lossy());
    }
    all
}

#[cfg(test)]
mod tests;
