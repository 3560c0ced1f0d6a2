//! Screens of the language servers in a wide and in a narrow window.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::language_server::{capabilities, project_in, range, settle, trusted};
use crate::support::snaps;
use crate::support::test_ide::TestIde;

const TEXT: &str = "//! Sums of what is measured.

/// The sum of all values.
fn total(values: &[u32]) -> u32 {
    values.iter().sum()
}

fn main() {
    let found = total(&[1, 2, 3]);
    println!(\"{found}\");
    let wrong: u8 = BAD;
}
";

fn script() -> Value {
    let mut offered = capabilities();
    offered["completionProvider"] = json!({});
    offered["callHierarchyProvider"] = json!(true);
    offered["renameProvider"] = json!(true);
    let edits = |places: &[(u32, u32)]| -> Value {
        let edit = |&(line, at): &(u32, u32)| json!({ "range": range((line, at), (line, at + 5)), "newText": "sum_of" });
        places.iter().map(edit).collect()
    };
    let item = |name: &str, path: &str, line: u32| {
        let named = range((line, 3), (line, 3 + name.len() as u32));
        json!({ "name": name, "kind": 12, "uri": format!("$ROOT/{path}"), "range": named, "selectionRange": named })
    };
    let completions = json!([
        { "label": "print!(…)", "filterText": "print", "kind": 3, "detail": "macro_rules! print" },
        { "label": "println!(…)", "filterText": "println", "kind": 3, "detail": "macro_rules! println",
          "documentation": { "kind": "markdown", "value": "Prints to the **standard output**, with a line end." } },
        { "label": "private_total", "kind": 3, "labelDetails": { "detail": "(values: &[u32])" } },
    ]);
    json!({ "capabilities": offered, "answers": {
        "textDocument/completion": completions,
        "textDocument/hover": { "contents": { "kind": "markdown",
            "value": "```rust\nfn total(values: &[u32]) -> u32\n```\n\n---\n\nThe sum of all values.\n\n- Empty: `0`." } },
        "textDocument/rename": { "changes": { "$ROOT/sum.rs": edits(&[(3, 3), (8, 16)]),
            "$ROOT/lib/user.rs": edits(&[(1, 4), (2, 4)]) } },
        "textDocument/prepareCallHierarchy": [item("total", "sum.rs", 3)],
        "callHierarchy/incomingCalls": [
            { "from": item("main", "sum.rs", 7), "fromRanges": [range((8, 16), (8, 21))] },
            { "from": item("twice", "lib/user.rs", 0), "fromRanges": [range((1, 4), (1, 9)), range((2, 4), (2, 9))] },
        ],
    } })
}

/// Compares the screen with its stored picture, without the memory of a process.
fn snap(ide: &mut TestIde, name: &str, size: (u16, u16)) {
    let memory = regex::Regex::new(r"\d+ MB").unwrap();
    let picture = ide.picture();
    let hidden = memory.replace_all(&picture, |found: &regex::Captures<'_>| "#".repeat(found[0].len()));
    snaps::check_screen(name, size, &hidden);
}

/// The same for a list, without what is said beside it: paths differ between machines.
fn snap_list(ide: &mut TestIde, name: &str, size: (u16, u16)) {
    let beside = regex::Regex::new(r"(?m)^(││[^│]*│)([^│]*)││$").unwrap();
    let memory = regex::Regex::new(r"\d+ MB").unwrap();
    let picture = ide.picture();
    assert!(size.0 < 80 || picture.contains("Command: ") && picture.contains("Memory: "), "{picture}");
    let blank = |found: &regex::Captures<'_>| {
        let cols = usize::from(size.0) - found[1].chars().count();
        format!("{}{}││", &found[1], " ".repeat(cols))
    };
    let hidden = beside.replace_all(&picture, blank);
    let hidden = memory.replace_all(&hidden, |found: &regex::Captures<'_>| "#".repeat(found[0].len()));
    snaps::check_screen(name, size, &hidden);
}

/// Puts the caret on a line and a column, from 1 on.
async fn go_to(ide: &mut TestIde, line: usize, column: usize) {
    let keys =
        ["Escape", "Ctrl-Home"].into_iter().chain(vec!["Down"; line - 1]).chain(vec!["Right"; column - 1]);
    ide.keys(&keys.collect::<Vec<_>>().join(" ")).await;
}

#[tokio::test]
async fn server_screens_match_snapshots_in_wide_and_narrow_windows() {
    for size in [(120, 30), (60, 20)] {
        let setup = project_in("rust", "sum.rs", TEXT, &script()).completions();
        let setup = setup.file("lib/user.rs", "fn twice() {\n    total(&[]);\n    total(&[]);\n}\n");
        let mut ide = trusted(setup.size(size.0, size.1)).await;
        // The editor alone, where there is not much room.
        if size.0 < 80 {
            ide.keys("Alt-, w o").await;
        }
        go_to(&mut ide, 11, 5).await;
        settle(&mut ide).await;
        ide.wait_for_text("BAD is not").await;
        snap(&mut ide, "server_diagnostics", size);
        go_to(&mut ide, 9, 19).await;
        ide.keys("Alt-, k k").await;
        ide.wait_for_text("The sum of all values. ").await;
        ide.headless.idle().await;
        snap(&mut ide, "server_hover", size);
        ide.keys("Escape Alt-, k h").await;
        ide.wait_for_text("callers of total").await;
        ide.headless.idle().await;
        snap(&mut ide, "server_callers", size);
        ide.keys("Escape Alt-, k R").await;
        ide.wait_for_text("Rename").await;
        ide.type_in("sum_of").await;
        ide.keys("Enter").await;
        ide.wait_for_text("in 2 files?").await;
        ide.headless.idle().await;
        snap(&mut ide, "server_rename", size);
        ide.keys("Escape").await;
        go_to(&mut ide, 10, 1).await;
        ide.keys("End Enter").await;
        ide.type_in("pri").await;
        ide.wait_for("the list is shown", |state| state.shows_editor_completions).await;
        ide.keys("Down").await;
        ide.advance(Duration::from_millis(200));
        ide.wait_for_text("standard output").await;
        ide.headless.idle().await;
        snap(&mut ide, "server_completion", size);
        ide.keys("Escape Escape Alt-, k s").await;
        ide.wait_for_text(" MB").await;
        ide.headless.idle().await;
        snap_list(&mut ide, "server_list", size);
    }
}
