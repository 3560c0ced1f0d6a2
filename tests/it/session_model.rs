//! Sessions against a model of them that is too simple to be wrong: a list of entries, searched anew for
//! every question. Steps by chance on both, on disk and in memory, read again now and then.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bowline::agent::compaction::estimate;
use bowline::agent::request::history;
use bowline::base::clock::ManualClock;
use bowline::base::ids::{RandomIds, SharedIds};
use bowline::runtime::context::report::{ContextItem, ContextReport};
use bowline::session::context::editing::{self, ContextEdit};
use bowline::session::context::projection::{self, Projection};
use bowline::session::{
    AgentMessage, EntryBody, Session,
    context::{messages, pins},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What can be done. Numbers choose among the entries that there are.
#[derive(Debug, Clone)]
enum Step {
    User(u8),
    Assistant(u8),
    Model(u8),
    CustomMessage(u8),
    Compact(usize, bool),
    SummarizeBranch(usize),
    Label(usize, Option<u8>),
    Edit(usize, Option<u8>),
    EditByUser(usize, u8),
    Pin(usize, bool),
    Name(u8),
    Branch(usize),
    Root,
    Fork(usize),
    Copy,
    Reload,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => any::<u8>().prop_map(Step::User),
        4 => any::<u8>().prop_map(Step::Assistant),
        1 => any::<u8>().prop_map(Step::Model),
        1 => any::<u8>().prop_map(Step::CustomMessage),
        2 => any::<(usize, bool)>().prop_map(|(at, own)| Step::Compact(at, own)),
        1 => any::<usize>().prop_map(Step::SummarizeBranch),
        2 => any::<(usize, Option<u8>)>().prop_map(|(at, label)| Step::Label(at, label)),
        2 => any::<(usize, Option<u8>)>().prop_map(|(at, words)| Step::Edit(at, words)),
        3 => any::<(usize, u8)>().prop_map(|(at, how)| Step::EditByUser(at, how)),
        2 => any::<(usize, bool)>().prop_map(|(at, pinned)| Step::Pin(at, pinned)),
        1 => any::<u8>().prop_map(Step::Name),
        3 => any::<usize>().prop_map(Step::Branch),
        1 => Just(Step::Root),
        1 => any::<usize>().prop_map(Step::Fork),
        1 => Just(Step::Copy),
        2 => Just(Step::Reload),
    ];
    proptest::collection::vec(step, 1..60)
}

/// The model: every entry as it stands in the file, and where the next one goes.
#[derive(Debug, Clone, Default)]
struct ReferenceModel {
    entries: Vec<Value>,
    leaf: Option<String>,
}

impl ReferenceModel {
    fn get(&self, id: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry["id"] == id)
    }

    /// From the root to an entry.
    fn path(&self, leaf: Option<&str>) -> Vec<&Value> {
        let mut path = Vec::new();
        let mut next = leaf.map(String::from);
        while let Some(entry) = next.and_then(|id| self.get(&id)) {
            path.insert(0, entry);
            next = entry["parentId"].as_str().map(String::from);
        }
        path
    }

    fn labels(&self) -> BTreeMap<String, String> {
        let mut labels = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry["type"] == "label") {
            let target = entry["targetId"].as_str().unwrap().to_string();
            match entry["label"].as_str() {
                Some(label) => labels.insert(target, label.to_string()),
                None => labels.remove(&target),
            };
        }
        labels
    }

    fn name(&self) -> Option<&str> {
        self.entries.iter().rev().find(|entry| entry["type"] == "session_info")?["name"].as_str()
    }

    /// What a model is told on a path: the rules one after the other, without a thought for cost.
    fn context(&self) -> Vec<Value> {
        let path = self.path(self.leaf.as_deref());
        let compacted = path.iter().rposition(|entry| entry["type"] == "compaction");
        let mut told: Vec<&Value> = Vec::new();
        if let Some(at) = compacted {
            let first = path[at]["firstKeptEntryId"].as_str().unwrap();
            let kept = (0..at).find(|n| path[*n]["id"] == first).unwrap_or(at);
            told.push(path[at]);
            told.extend(&path[kept..at]);
            told.extend(&path[at + 1..]);
        } else {
            told.extend(&path);
        }
        let edit =
            |id: &Value| path.iter().rev().find(|e| e["type"] == "context_edit" && e["targetId"] == *id);
        let mut messages = Vec::new();
        for (n, entry) in told.into_iter().enumerate() {
            let mut message = match entry["type"].as_str().unwrap() {
                "message" => entry["message"].clone(),
                "custom_message" => json!({"role": "custom", "customType": entry["customType"],
                    "content": entry["content"], "display": entry["display"]}),
                "branch_summary" => json!({"role": "branchSummary", "summary": entry["summary"]}),
                "compaction" if n == 0 => {
                    if edit(&entry["id"]).is_some_and(|edit| edit["replacement"].is_null()) {
                        continue;
                    }
                    messages.push(json!({"role": "compactionSummary", "summary": entry["summary"]}));
                    continue;
                }
                _ => continue,
            };
            match edit(&entry["id"]) {
                Some(edit) if edit["replacement"].is_null() => continue,
                Some(edit) if entry["type"] != "branch_summary" => {
                    message["content"] = edit["replacement"]["content"].clone();
                }
                _ => {}
            }
            messages.push(message);
        }
        messages
    }
}

/// What is compared of a message: the words of its kind.
fn comparable(message: &Value) -> Value {
    let field = |name: &str| message.get(name).cloned().unwrap_or(Value::Null);
    let content = match field("content") {
        Value::String(text) => json!([{"type": "text", "text": text}]),
        other => other,
    };
    json!([field("role"), content, field("summary"), field("customType")])
}

struct SessionAndModel {
    session: Session,
    model: ReferenceModel,
    ids: SharedIds,
    root: std::path::PathBuf,
}

impl SessionAndModel {
    fn id(&self, at: usize) -> Option<String> {
        let entries = &self.model.entries;
        (!entries.is_empty()).then(|| entries[at % entries.len()]["id"].as_str().unwrap().to_string())
    }

    fn message(role: &str, words: u8) -> EntryBody {
        let mut message =
            json!({"role": role, "timestamp": 1, "content": [{"type": "text", "text": format!("w{words}")}]});
        if role == "assistant" {
            for (name, value) in [("api", "a"), ("provider", "p"), ("model", "m"), ("stopReason", "stop")] {
                message[name] = json!(value);
            }
        }
        EntryBody::Message { message: serde_json::from_value(message).unwrap() }
    }

    fn append(&mut self, body: EntryBody) {
        let id = self.session.append(body).unwrap();
        self.apply_appended(&id);
    }

    /// The model takes the entry as it was written.
    fn apply_appended(&mut self, id: &str) {
        let line = self.session.tree().get(id).unwrap().line().unwrap().into_owned();
        let entry: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(entry["parentId"].as_str(), self.model.leaf.as_deref(), "it follows the leaf");
        self.model.entries.push(entry);
        self.model.leaf = Some(id.to_string());
    }

    fn apply(&mut self, step: &Step) {
        let path: Vec<String> = {
            let path = self.model.path(self.model.leaf.as_deref());
            path.iter().map(|entry| entry["id"].as_str().unwrap().to_string()).collect()
        };
        match step {
            Step::User(words) => self.append(Self::message("user", *words)),
            Step::Assistant(words) => self.append(Self::message("assistant", *words)),
            Step::Model(n) => {
                self.append(EntryBody::ModelChange { provider: "p".into(), model_id: format!("m{n}") });
            }
            Step::CustomMessage(words) => self.append(EntryBody::CustomMessage {
                custom_type: "note".into(),
                content: json!(format!("n{words}")),
                display: true,
                details: None,
            }),
            Step::Compact(at, own) if !path.is_empty() => {
                let first = if *own { "nobody".to_string() } else { path[at % path.len()].clone() };
                self.compact(format!("s{at}"), first);
            }
            Step::SummarizeBranch(at) => {
                let Some(from) = self.id(*at) else { return };
                self.append(EntryBody::BranchSummary {
                    from_id: Some(from),
                    summary: format!("b{at}"),
                    usage: None,
                    details: None,
                    from_hook: None,
                });
            }
            Step::Label(at, label) => {
                let Some(target) = self.id(*at) else { return };
                let label = label.map(|n| format!("l{n}"));
                let id = self.session.set_label(&target, label.as_deref()).unwrap();
                self.apply_appended(&id);
            }
            Step::Edit(at, words) if !path.is_empty() => {
                let replacement =
                    words.map(|n| json!({"content": [{"type": "text", "text": format!("e{n}")}]}));
                let target_id = path[at % path.len()].clone();
                self.append(EntryBody::ContextEdit { target_id, replacement });
            }
            Step::EditByUser(at, how) if !path.is_empty() => self.edit_context(&path[at % path.len()], *how),
            Step::Pin(at, pinned) if !path.is_empty() => {
                let target = path[at % path.len()].clone();
                if pins::is_pinnable(self.session.tree().get(&target).unwrap()) {
                    self.append(pins::pin_entry(&target, *pinned));
                }
            }
            Step::Name(n) => self.append(EntryBody::SessionInfo { name: Some(format!("name {n}")) }),
            Step::Compact(..) | Step::Edit(..) | Step::EditByUser(..) | Step::Pin(..) => {}
            step => self.navigate(step),
        }
    }

    /// A compaction, with copies of what was pinned before its first kept entry.
    fn compact(&mut self, summary: String, first: String) {
        let pinned = self.pinned_in_context();
        let copies = pins::pinned_copies(&self.session.tree().path(), &first);
        self.append(EntryBody::Compaction {
            summary,
            first_kept_entry_id: first,
            tokens_before: 1,
            usage: None,
            details: None,
            from_hook: None,
            system_message: None,
        });
        for copy in copies {
            self.append(copy);
        }
        assert!(self.pinned_in_context().is_superset(&pinned), "a compaction takes nothing pinned away");
    }

    /// What is pinned and told, as what it is or as a copy: the one that stands last.
    fn pinned_in_context(&self) -> BTreeSet<String> {
        let path = self.session.tree().path();
        let pins = pins::pinned_ids(&path);
        let projection = Projection::of(&path);
        let mut latest = BTreeMap::new();
        for entry in &path {
            latest.insert(pins::origin(entry).unwrap_or_else(|| entry.id().to_string()), entry.id());
        }
        let told = projection.rows.iter().filter(|row| row.is_own() && projection.message(row).is_some());
        let told: BTreeSet<&str> = told.map(|row| row.entry.id()).collect();
        latest.retain(|target, last| pins.contains(target) && told.contains(last));
        latest.into_keys().collect()
    }

    /// What a user does to the context.
    fn edit_context(&mut self, target: &str, how: u8) {
        let wish = match how % 3 {
            0 => ContextEdit::Exclude,
            1 => ContextEdit::Replace(format!("h{how}")),
            _ => ContextEdit::Restore,
        };
        let Ok(edits) = editing::edit_entries(&self.session.tree().path(), target, &wish) else { return };
        assert!(!edits.is_empty());
        for edit in edits {
            self.append(edit);
        }
        let path = self.session.tree().path();
        let projection = Projection::of(&path);
        let row = projection.rows.iter().find(|row| row.is_own() && row.entry.id() == target).unwrap();
        let (told, was) = (projection.message(row), projection::original(row));
        match wish {
            ContextEdit::Restore => assert_eq!(told, was),
            ContextEdit::Replace(text) => assert_eq!(editing::editable_text(&told.unwrap()), text),
            ContextEdit::Exclude => {
                assert!(
                    told.is_none_or(
                        |message| editing::editable_text(&message) == editing::EXCLUDED_PLACEHOLDER
                    )
                );
            }
        }
    }

    /// The report says of each message that is told that it is, and nothing else.
    fn check_report(&self) {
        let path = self.session.tree().path();
        let told = history::messages(&messages::build(&path));
        let report = ContextReport::build(None, &path, true);
        let listed: Vec<&ContextItem> = report.items.iter().filter(|item| item.reason.is_sent()).collect();
        let tokens: Vec<u64> = told.iter().map(estimate::of_message).collect();
        assert_eq!(listed.iter().map(|item| item.tokens).collect::<Vec<_>>(), tokens);
        assert_eq!(report.tokens(), tokens.iter().sum::<u64>());
        let projection = Projection::of(&path);
        let rows = projection.rows.iter().filter_map(|row| Some((row, projection.message(row)?)));
        let rows: Vec<_> = rows.filter(|(_, message)| history::for_model(message).is_some()).collect();
        let entries: Vec<&str> = rows.iter().map(|(row, _)| row.entry.id()).collect();
        assert_eq!(listed.iter().filter_map(|item| item.entry.as_deref()).collect::<Vec<_>>(), entries);
        let few = ContextReport::build(None, &path, false);
        assert_eq!(few.items.iter().filter(|item| item.reason.is_sent()).count(), listed.len());
        assert_eq!(few.tokens(), report.tokens());
    }

    /// Goes elsewhere.
    fn navigate(&mut self, step: &Step) {
        match step {
            Step::Branch(at) => {
                let Some(id) = self.id(*at) else { return };
                self.session.branch(Some(&id)).unwrap();
                self.model.leaf = Some(id);
            }
            Step::Root => {
                self.session.branch(None).unwrap();
                self.model.leaf = None;
            }
            Step::Fork(at) => {
                let Some(id) = self.id(*at) else { return };
                self.fork(&id);
            }
            Step::Copy => {
                let copy = self.session.copy(&self.root).unwrap();
                assert_eq!(copy.leaf(), self.session.leaf());
                assert_ne!(copy.id(), self.session.id());
                self.session = copy;
            }
            Step::Reload => self.reload(),
            other => panic!("{other:?} goes nowhere"),
        }
    }

    /// The model's fork: the way without labels, one behind the other, then the labels that hold there.
    fn fork(&mut self, leaf: &str) {
        let fork = self.session.fork(&self.root, Path::new("/w"), Some(leaf)).unwrap();
        let mut simple = ReferenceModel::default();
        for entry in self.model.path(Some(leaf)).into_iter().filter(|entry| entry["type"] != "label") {
            let mut entry = entry.clone();
            entry["parentId"] = json!(simple.leaf);
            simple.leaf = entry["id"].as_str().map(String::from);
            simple.entries.push(entry);
        }
        let there: Vec<(String, String)> =
            self.model.labels().into_iter().filter(|(id, _)| simple.get(id).is_some()).collect();
        let new: Vec<Value> = fork
            .entries()
            .skip(simple.entries.len())
            .map(|entry| serde_json::from_str(&entry.line().unwrap()).unwrap())
            .collect();
        assert_eq!(new.len(), there.len());
        simple.entries.extend(new);
        simple.leaf = fork.leaf().map(String::from);
        (self.session, self.model) = (fork, simple);
        assert_eq!(self.model.labels().into_iter().collect::<Vec<_>>(), there);
    }

    /// The session is read from its file again. Where it goes on is where the last entry is.
    fn reload(&mut self) {
        let Some(file) = self.session.file().map(Path::to_path_buf) else { return };
        let memory = Session::in_memory(Path::new("/w"), ManualClock::new(0), self.ids.clone());
        drop(std::mem::replace(&mut self.session, memory));
        self.session = Session::open(&file, ManualClock::new(5_000), self.ids.clone()).unwrap();
        assert_eq!(self.session.problems(), []);
        self.model.leaf = self.model.entries.last().map(|entry| entry["id"].as_str().unwrap().to_string());
    }

    fn check_all(&self) {
        let (session, simple) = (&self.session, &self.model);
        assert_eq!(session.leaf(), simple.leaf.as_deref());
        let lines: Vec<Value> =
            session.entries().map(|e| serde_json::from_str(&e.line().unwrap()).unwrap()).collect();
        assert_eq!(lines, simple.entries);
        assert_eq!(session.labels().into_iter().collect::<BTreeMap<_, _>>(), simple.labels());
        assert_eq!(session.name().as_deref(), simple.name());
        let path: Vec<&str> = session.tree().path().iter().map(|entry| entry.id()).collect();
        let expected = simple.path(simple.leaf.as_deref());
        assert_eq!(path, expected.iter().map(|entry| entry["id"].as_str().unwrap()).collect::<Vec<_>>());
        let told =
            |message: &std::sync::Arc<AgentMessage>| comparable(&serde_json::to_value(&**message).unwrap());
        let context: Vec<Value> = session.context().messages.iter().map(told).collect();
        assert_eq!(context, simple.context().iter().map(comparable).collect::<Vec<_>>());
        // What is summed up is not looked at, and would change nothing: not the model either.
        assert_eq!(session.context(), messages::build(&session.tree().path()));
        self.check_report();
        for entry in session.entries() {
            let children: Vec<&str> =
                session.tree().children(Some(entry.id())).iter().map(|c| c.id()).collect();
            let all = simple.entries.iter().filter(|e| e["parentId"] == entry.id());
            assert_eq!(children, all.map(|e| e["id"].as_str().unwrap()).collect::<Vec<_>>());
        }
    }
}

proptest! {
    #![proptest_config(crate::support::seeds::cases(128))]

    #[test]
    fn session_random_steps_match_simple_model(steps in steps(), on_disk in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let ids = RandomIds::shared();
        let root = folder.path().to_path_buf();
        let session = if on_disk {
            Session::create(&root, Path::new("/w"), ManualClock::new(1_000), ids.clone())
        } else {
            Session::in_memory(Path::new("/w"), ManualClock::new(1_000), ids.clone())
        };
        let mut pair = SessionAndModel { session, model: ReferenceModel::default(), ids, root };
        for step in &steps {
            pair.apply(step);
        }
        pair.check_all();
        pair.reload();
        pair.check_all();
    }
}
