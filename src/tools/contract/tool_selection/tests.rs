//! Choices of tools, for two sets that have little in common.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::*;
use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::tool::{Invocation, Outcome, ToolClass};
use crate::tools::contract::view::CallView;

/// A tool that is a name, a kind and whether it is on offer by itself.
struct Named(&'static str, Kind, bool);

impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.0.to_string(), parameters: json!({"type": "object"}), ..ToolSpec::default() }
    }
    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }
    fn kind(&self) -> Kind {
        self.1
    }
    fn by_default(&self) -> bool {
        self.2
    }
    fn snippet(&self) -> &'static str {
        ""
    }
    fn run(&self, _: Invocation) -> BoxFuture<'static, Outcome> {
        async { Outcome::text("") }.boxed()
    }
    fn call_view(&self, _: &Value) -> CallView {
        CallView::default()
    }
}

fn set(rows: &[(&'static str, Kind, bool)]) -> Registry {
    let mut all = Registry::new();
    for (name, kind, on) in rows {
        all.add(std::sync::Arc::new(Named(name, *kind, *on)));
    }
    all
}

fn plain() -> Registry {
    set(&[
        ("read", Kind::Read, true),
        ("bash", Kind::Bash, true),
        ("edit", Kind::Edit, true),
        ("write", Kind::Write, true),
        ("ls", Kind::Ls, false),
        ("job", Kind::Job, false),
    ])
}

fn other() -> Registry {
    set(&[
        ("Shell", Kind::Bash, true),
        ("Feed", Kind::Job, true),
        ("Look", Kind::Read, true),
        ("Glance", Kind::ViewImage, true),
        ("Change", Kind::Patch, true),
        ("List", Kind::Ls, true),
        ("Extra", Kind::Other, true),
    ])
}

fn words(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn said(flags: ToolFlags) -> (String, String) {
    let choice = ToolSelection::new(flags, &plain()).unwrap();
    (words(&choice.available("p", &plain())), words(&choice.available("o", &other())))
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn tool_choice_flags_apply_to_every_toolset() {
    let only = |words: &[&str]| said(ToolFlags { only: Some(list(words)), ..ToolFlags::default() });
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(
        said(ToolFlags::default()),
        pair("bash edit read write", "Change Extra Feed Glance List Look Shell")
    );
    assert_eq!(only(&["read", "bash"]), pair("bash read", "Look Shell"));
    assert_eq!(only(&["read", "ls"]), pair("ls read", "List Look"));
    assert_eq!(only(&["+ls", "-bash"]), pair("edit ls read write", "Change Extra Feed Glance List Look"));
    assert_eq!(only(&["*"]).0, "bash edit job ls read write");
    let without = ToolFlags { without: list(&["bash", "w*"]), ..ToolFlags::default() };
    assert_eq!(said(without).0, "edit read");
    assert_eq!(said(ToolFlags { none: true, ..ToolFlags::default() }), pair("", ""));
}

#[test]
fn tool_choice_unknown_names_are_errors() {
    let flags = ToolFlags { only: Some(list(&["read", "raed", "+bsh"])), ..ToolFlags::default() };
    assert_eq!(
        ToolSelection::new(flags, &plain()).unwrap_err().to_string(),
        "there is no tool named `raed`, `bsh`"
    );
    let flags = ToolFlags { only: Some(list(&["apply_patch"])), ..ToolFlags::default() };
    assert!(ToolSelection::new(flags, &plain()).is_ok(), "another family's tool");
}

#[test]
fn tool_choice_no_builtin_keeps_added_tools() {
    let mut all = Registry::of("pi");
    all.add(std::sync::Arc::new(Named("mine", Kind::Other, true)));
    let choice = ToolSelection::new(ToolFlags { no_builtin: true, ..ToolFlags::default() }, &all).unwrap();
    assert_eq!(words(&choice.available("pi", &all)), "mine");
}

#[test]
fn tool_choice_picks_apply_by_kind_and_return_by_name() {
    let mut choice = ToolSelection::default();
    choice.select("p", &plain(), &list(&["read", "ls", "write"]));
    assert_eq!(words(&choice.available("p", &plain())), "ls read write");
    // No command and no edit any more; what the user has not touched stays as it was.
    let there = words(&choice.available("o", &other()));
    assert_eq!(there, "Extra Glance List Look");
    choice.select("o", &other(), &list(&["Shell", "Look", "Extra"]));
    assert_eq!(words(&choice.available("o", &other())), "Extra Look Shell");
    assert_eq!(words(&choice.available("p", &plain())), "bash read");
}

#[test]
fn tool_choice_tool_of_no_kind_is_matched_by_name() {
    let with = |name: &'static str, rows: &[(&'static str, Kind, bool)]| {
        let mut all = set(rows);
        all.add(std::sync::Arc::new(Named(name, Kind::Other, true)));
        all
    };
    let here = with("tracker", &[("read", Kind::Read, true)]);
    let there = with("tracker", &[("Look", Kind::Read, true), ("Extra", Kind::Other, true)]);
    let mut choice = ToolSelection::default();
    choice.select("p", &here, &list(&["read"]));
    assert_eq!(words(&choice.available("o", &there)), "Extra Look");
    choice.select("o", &there, &list(&["tracker", "Look"]));
    assert_eq!(words(&choice.available("p", &here)), "read tracker");
}

#[test]
fn tool_choice_clones_share_changes() {
    let choice = SharedToolSelection::from(ToolSelection::default());
    let twin = choice.clone();
    choice.select("p", &plain(), &list(&["read"]));
    assert_eq!((words(&twin.available("p", &plain())), twin.changes()), ("read".to_string(), 1));
}
