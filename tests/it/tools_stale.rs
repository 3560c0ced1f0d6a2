//! Files that somebody else changes while a model works on them, with the tools of every family.

use serde_json::{Value, json};

use crate::support::tool_fixture::ToolFixture;

const FILE: &str = "fn f() {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n}\n\nfn g() {}\n";
const OLD: &str = "fn f() {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n}";
const NEW: &str = "fn f() {\n    let a = 9;\n    let b = 2;\n    let c = 3;\n}";

/// Names of the tools that read and that replace a text, and the arguments of the latter.
fn read_and_edit_tools(old: &str, new: &str) -> [(&'static str, &'static str, &'static str, Value); 3] {
    let pair = json!({"file_path": "f", "instruction": "i", "old_string": old, "new_string": new});
    let pi = json!({"path": "f", "oldText": old, "newText": new});
    [
        ("pi", "read", "edit", pi),
        ("anthropic", "Read", "Edit", pair.clone()),
        ("gemini", "read_file", "replace", pair),
    ]
}

#[tokio::test]
async fn edit_tools_reject_fuzzy_match_in_changed_file() {
    for (set, read, edit, args) in read_and_edit_tools(OLD, NEW) {
        let bench = ToolFixture::new(&[("f", FILE)]);
        bench.ok(set, read, json!({"path": "f", "file_path": "f"})).await;
        let theirs = FILE.replace("b = 2", "b = 22222");
        bench.write_file("f", &theirs);
        let error = bench.error(set, edit, args.clone()).await;
        assert!(error.ends_with("The file has changed since it was read; read it again."), "{set}: {error}");
        assert_eq!(bench.read_file("f"), theirs, "{set}");
        // The same difference is the model's own where nobody has changed the file.
        bench.ok(set, read, json!({"path": "f", "file_path": "f"})).await;
        let text = bench.ok(set, edit, args).await;
        assert!(text.contains("differed in lines in its middle"), "{set}: {text}");
    }
}

#[tokio::test]
async fn edit_tools_edit_does_not_acknowledge_external_change() {
    for ((set, read, edit, args), (_, _, _, other)) in
        read_and_edit_tools(OLD, NEW).into_iter().zip(read_and_edit_tools("fn g() {}", "fn h() {}"))
    {
        let bench = ToolFixture::new(&[("f", FILE)]);
        bench.ok(set, read, json!({"path": "f", "file_path": "f"})).await;
        bench.write_file("f", FILE.replace("b = 2", "b = 22222"));
        let text = bench.ok(set, edit, other).await;
        assert!(text.contains("The file had changed since it was read"), "{set}: {text}");
        bench.error(set, edit, args).await;
        assert!(bench.read_file("f").contains("b = 22222") && bench.read_file("f").contains("fn h"), "{set}");
    }
    let bench = ToolFixture::new(&[("f", FILE)]);
    bench.ok("openai", "read_file", json!({"file_path": "f"})).await;
    bench.write_file("f", FILE.replace("b = 2", "b = 22222"));
    let patch = "*** Begin Patch\n*** Update File: f\n@@\n-fn g() {}\n+fn h() {}\n*** End Patch";
    bench.ok("openai", "apply_patch", json!({"input": patch})).await;
    let error = bench.error("openai", "write_file", json!({"file_path": "f", "content": FILE})).await;
    assert!(error.contains("has changed since it was read; nothing was written"), "{error}");
}

#[tokio::test]
async fn edit_tools_accept_layout_difference_in_changed_file() {
    for (set, read, edit, args) in read_and_edit_tools("let b = 2;\nlet c = 3;\n", "let b = 3;\nlet c = 4;\n")
    {
        let bench = ToolFixture::new(&[("f", FILE)]);
        bench.ok(set, read, json!({"path": "f", "file_path": "f"})).await;
        bench.write_file("f", format!("// theirs\n{FILE}"));
        bench.ok(set, edit, args).await;
        let wanted = FILE.replace("c = 3", "c = 4").replace("b = 2", "b = 3");
        assert_eq!(bench.read_file("f"), format!("// theirs\n{wanted}"), "{set}");
    }
}
