//! The same wish with other tools.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;
use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;

/// Tools that can do what their kind is for, in as few words as there are.
#[derive(Clone, Copy)]
struct Plain(Kind, fn(&Intent) -> Option<Value>);

impl Tool for Plain {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}});
        ToolSpec { name: self.0.name().to_string(), parameters, ..ToolSpec::default() }
    }
    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }
    fn kind(&self) -> Kind {
        self.0
    }
    fn args_for(&self, intent: &Intent) -> Option<Value> {
        (self.1)(intent)
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

const EDIT_ONE: Plain = Plain(Kind::Edit, |intent| match intent {
    Intent::Edit { path, swaps, everywhere: false } if swaps.len() == 1 => {
        Some(json!({"a": path, "b": swaps[0].old, "c": swaps[0].new}))
    }
    _ => None,
});
const EDIT_MANY: Plain = Plain(Kind::Edit, |intent| match intent {
    Intent::Edit { path, swaps, everywhere: false } => Some(json!({"a": path, "b": swaps.len()})),
    _ => None,
});
const WRITE: Plain = Plain(Kind::Write, |intent| match intent {
    Intent::Write { path, content } => Some(json!({"a": path, "b": content})),
    _ => None,
});
const BASH: Plain = Plain(Kind::Bash, |intent| match intent {
    Intent::Run { command, folder: None, timeout: None, background: false } => Some(json!({"a": command})),
    _ => None,
});
const READ: Plain = Plain(Kind::Read, |intent| match intent {
    Intent::Read { path, first: None, lines: None } => Some(json!({"a": path})),
    _ => None,
});
const PATCH: Plain = Plain(Kind::Patch, |intent| match intent {
    Intent::Patch { patch } => Some(json!({"a": patch})),
    _ => None,
});

/// The calls as `name:argument|argument`, or nothing.
fn said(intent: &Intent, tools: &[Plain]) -> Vec<String> {
    let mut all = Registry::new();
    for tool in tools {
        all.add(Arc::new(*tool));
    }
    let words = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let calls = translate(intent, &all).unwrap_or_default().into_iter().map(|(name, args)| {
        let args: Vec<String> = args.as_object().unwrap().values().map(words).collect();
        format!("{name}:{}", args.join("|"))
    });
    calls.collect()
}

fn edit(swaps: &[(&str, &str)], everywhere: bool) -> Intent {
    let swap = |(old, new): &(&str, &str)| TextReplacement { old: old.to_string(), new: new.to_string() };
    Intent::Edit { path: "f".into(), swaps: swaps.iter().map(swap).collect(), everywhere }
}

#[test]
fn translate_multi_edit_becomes_calls_or_patch() {
    let intent = edit(&[("a", "b"), ("x\ny\nz\n", "x\nY\nz\n")], false);
    assert_eq!(said(&intent, &[EDIT_MANY]), ["edit:f|2"]);
    assert_eq!(said(&intent, &[EDIT_ONE]), ["edit:f|a|b", "edit:f|x\ny\nz\n|x\nY\nz\n"]);
    let patch = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n@@\n x\n-y\n+Y\n z\n*** End Patch";
    assert_eq!(said(&intent, &[PATCH]), [format!("apply_patch:{patch}")]);
    assert_eq!(said(&edit(&[("a", "b")], true), &[PATCH, EDIT_ONE]), Vec::<String>::new());
    assert_eq!(said(&edit(&[("", "b")], false), &[PATCH]), Vec::<String>::new());
}

#[test]
fn translate_patch_becomes_edits_writes_and_commands() {
    let patch = "*** Begin Patch\n*** Add File: n\n+1\n+2\n*** Update File: u\n*** Move to: v w\n@@ fn x\n k\n-a\n+b\n@@\n-gone\n*** Delete File: d\n*** End Patch";
    let intent = Intent::Patch { patch: patch.into() };
    assert_eq!(said(&intent, &[PATCH, WRITE]), [format!("apply_patch:{patch}")]);
    let moved = ["bash:mv u 'v w'", "bash:rm d"];
    let many = said(&intent, &[EDIT_MANY, WRITE, BASH]);
    assert_eq!(many[..2], ["write:n|1\n2\n", "edit:u|2"]);
    assert_eq!(many[2..], moved);
    let single = said(&intent, &[EDIT_ONE, WRITE, BASH]);
    assert_eq!(single[1..3], ["edit:u|k\na|k\nb", "edit:u|gone\n|"]);
    assert_eq!(single[3..], moved);
    assert_eq!(said(&intent, &[EDIT_MANY, WRITE]), Vec::<String>::new(), "nothing can remove a file");
    let blind = "*** Begin Patch\n*** Update File: u\n@@\n+at the end\n*** End Patch";
    assert_eq!(said(&Intent::Patch { patch: blind.into() }, &[EDIT_MANY]), Vec::<String>::new());
    let below = "*** Begin Patch\n*** Update File: u\n@@ fn x\n+more\n*** End Patch";
    assert_eq!(said(&Intent::Patch { patch: below.into() }, &[EDIT_ONE]), ["edit:u|fn x|fn x\nmore"]);
    let twins = "*** Begin Patch\n*** Update File: u\n@@ a\n-1\n+2\n@@ b\n-1\n+3\n*** End Patch";
    assert_eq!(said(&Intent::Patch { patch: twins.into() }, &[EDIT_MANY]), Vec::<String>::new());
}

#[test]
fn translate_missing_tools_become_shell_commands() {
    let read = |first, lines| Intent::Read { path: "a b".into(), first, lines };
    assert_eq!(said(&read(None, None), &[READ, BASH]), ["read:a b"]);
    assert_eq!(said(&read(None, None), &[BASH]), ["bash:cat 'a b'"]);
    assert_eq!(said(&read(Some(3), None), &[READ, BASH]), ["bash:sed -n '3,$p' 'a b'"]);
    assert_eq!(said(&read(Some(3), Some(2)), &[BASH]), ["bash:sed -n '3,4p' 'a b'"]);
    let grep = Intent::Grep { pattern: "it's".into(), path: Some("src".into()), glob: Some("*.rs".into()) };
    assert_eq!(said(&grep, &[BASH]), [r"bash:rg -n -g '*.rs' -e 'it'\''s' src"]);
    let find = Intent::Find { pattern: "*.rs".into(), path: None };
    assert_eq!(said(&find, &[BASH]), ["bash:rg --files -g '*.rs'"]);
    assert_eq!(said(&Intent::Ls { path: None }, &[BASH]), ["bash:ls -a"]);
    let files = |paths: &[&str]| Intent::ReadMany { paths: paths.iter().map(ToString::to_string).collect() };
    assert_eq!(said(&files(&["a", "b"]), &[READ]), ["read:a", "read:b"]);
    assert_eq!(said(&files(&["a", "*.b"]), &[READ]), Vec::<String>::new());
    let run = Intent::Run {
        command: "make".into(),
        folder: Some("x y".into()),
        timeout: Some(Duration::from_secs(1)),
        background: true,
    };
    assert_eq!(said(&run, &[BASH]), ["bash:cd 'x y' && make &"]);
}

#[test]
fn translate_new_file_becomes_patch() {
    let write = Intent::Write { path: "n".into(), content: "1\n\n2".into() };
    assert_eq!(
        said(&write, &[PATCH]),
        ["apply_patch:*** Begin Patch\n*** Add File: n\n+1\n+\n+2\n*** End Patch"]
    );
    let trap = Intent::Write { path: "n\n*** Delete File: m".into(), content: "1".into() };
    assert_eq!(said(&trap, &[PATCH]), Vec::<String>::new());
}
