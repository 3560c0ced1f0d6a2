//! The file and search tools of every family on real files, and what holds of every tool there is.

use std::fs;
use std::path::Path;

use bowline::llm::model::message::join_text;
use bowline::tools::builtin::SETS;
use bowline::tools::files::state::ReadFirst;
use bowline::tools::{CallView, Intent, Kind, ResultView, Tool};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::tool_fixture::ToolFixture;

/// Sets a file's date of change.
fn set_mtime(path: &Path, seconds: u64) {
    let date = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    fs::File::options().write(true).open(path).unwrap().set_modified(date).unwrap();
}

#[test]
fn tool_specs_are_valid_and_stable() {
    for set in SETS {
        for tool in set.tools {
            let spec = tool.spec();
            let what = format!("{} {}", set.id, spec.name);
            assert_eq!(spec.parameters["type"], "object", "{what}");
            assert!(spec.parameters["properties"].is_object(), "{what}");
            for required in spec.parameters["required"].as_array().into_iter().flatten() {
                assert!(
                    spec.parameters["properties"].get(required.as_str().unwrap()).is_some(),
                    "{what}: {required}"
                );
            }
            assert!(
                spec.description.len() > 20 && !spec.description.contains("  "),
                "{what}: {}",
                spec.description
            );
            assert!(!tool.snippet().is_empty() && !tool.snippet().ends_with('.'), "{what}");
            assert_eq!(spec, tool.spec(), "{what}: stable to the byte");
            // Whatever comes in, it is no reason to fall over.
            for odd in [json!({}), json!([]), json!("x"), json!({"path": 3, "file_path": null})] {
                let _: (CallView, Vec<String>) = (tool.call_view(&odd), tool.targets(&odd));
                assert!(
                    matches!(
                        tool.result_view("text", Some(&odd)),
                        ResultView::Text(_)
                            | ResultView::Output(_)
                            | ResultView::Diff { .. }
                            | ResultView::Diffs(_)
                            | ResultView::Hits { .. }
                    ) || tool.kind() == Kind::Plan,
                    "{what}"
                );
                tool.prepare(odd);
            }
        }
    }
}

#[test]
fn tool_intents_translate_to_every_family() {
    let intents = [
        Intent::Read { path: "a".into(), first: None, lines: None },
        Intent::Read { path: "a".into(), first: Some(3), lines: Some(4) },
        Intent::ReadMany { paths: vec!["a".into(), "b/*.rs".into()] },
        Intent::Write { path: "a".into(), content: "x\n".into() },
        Intent::Edit {
            path: "a".into(),
            swaps: vec![bowline::tools::contract::intent::TextReplacement {
                old: "x".into(),
                new: "y".into(),
            }],
            everywhere: false,
        },
        Intent::Patch { patch: "*** Begin Patch\n*** End Patch".into() },
        Intent::Grep { pattern: "x+".into(), path: Some("src".into()), glob: Some("*.rs".into()) },
        Intent::Grep { pattern: "x+".into(), path: None, glob: None },
        Intent::Find { pattern: "*.rs".into(), path: Some("src".into()) },
        Intent::Ls { path: Some("src".into()) },
    ];
    let mut told = std::collections::BTreeSet::new();
    for set in SETS {
        for tool in set.tools {
            let schema = bowline::base::schema::Schema::new(&tool.spec().parameters);
            for intent in &intents {
                let Some(args) = tool.args_for(intent) else { continue };
                let what = format!("{} {} {intent:?}", set.id, tool.spec().name);
                assert_eq!(tool.kind(), intent.kind(), "{what}");
                let checked =
                    schema.check(tool.prepare(args.clone())).unwrap_or_else(|why| panic!("{what}: {why}"));
                assert_eq!(tool.intent(&checked).as_ref(), Some(intent), "{what}");
                told.insert((set.id, intent.kind().name()));
            }
        }
    }
    for (set, kinds) in [
        ("pi", &["read", "write", "edit", "grep", "find", "ls"][..]),
        ("openai", &["read", "write", "apply_patch", "grep", "find", "ls"]),
        ("anthropic", &["read", "write", "edit", "grep", "find"]),
        ("gemini", &["read", "read_many", "write", "edit", "grep", "find", "ls"]),
    ] {
        for kind in kinds {
            assert!(told.contains(&(set, kind)), "{set} cannot say {kind}");
        }
    }
}

#[tokio::test]
async fn read_tools_use_format_of_each_family() {
    let desk = ToolFixture::new(&[("a.txt", "one\r\ntwo\nthree\n"), ("empty", "")]);
    let range = json!({"file_path": "a.txt", "offset": 2, "limit": 1});
    let openai = desk.ok("openai", "read_file", range.clone()).await;
    assert_eq!(openai, "2 | two\n\n[1 more lines of 3. Go on with offset=3.]");
    let anthropic = desk.ok("anthropic", "Read", range).await;
    assert_eq!(anthropic, "     2\ttwo\n\n[1 more lines of 3. Go on with offset=3.]");
    let gemini =
        desk.ok("gemini", "read_file", json!({"file_path": "a.txt", "start_line": 1, "end_line": 2})).await;
    assert_eq!(gemini, "[Lines 1-2 of 3. Go on with start_line=3.]\n\none\r\ntwo");
    assert_eq!(desk.ok("openai", "read_file", json!({"path": "a.txt"})).await, "1 | one\n2 | two\n3 | three");
    assert_eq!(desk.ok("anthropic", "Read", json!({"file_path": "empty"})).await, "[The file is empty.]");
    desk.write_file("long", format!("{}\nb\n", "é".repeat(3000)));
    let long = desk.ok("gemini", "read_file", json!({"file_path": "long"})).await;
    let cut = "[Line 1 is cut after 2000 characters. See one whole with start_line=1 and end_line=1.]\n\né";
    assert!(long.starts_with(cut), "{}", &long[..120]);
    assert!(long.ends_with("é\nb"));
    let whole = json!({"file_path": "long", "start_line": 1, "end_line": 1});
    assert_eq!(desk.ok("gemini", "read_file", whole).await.matches('é').count(), 3000);
    assert!(desk.error("anthropic", "Read", json!({"file_path": "none"})).await.contains("no such file"));
    assert!(desk.error("gemini", "read_file", json!({"file_path": "."})).await.contains("is a folder"));
    let past = json!({"file_path": "a.txt", "start_line": 9});
    assert!(desk.error("gemini", "read_file", past).await.contains("which has 3 lines"));
    desk.write_file("new\nline", "odd name\n");
    assert_eq!(desk.ok("openai", "read_file", json!({"file_path": "new\nline"})).await, "1 | odd name");
}

#[tokio::test]
async fn read_tools_show_images_and_notebooks() {
    let desk = ToolFixture::new(&[]);
    let mut bmp = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(5, 4).write_to(&mut bmp, image::ImageFormat::Bmp).unwrap();
    desk.write_file("p.bmp", bmp.into_inner());
    for (set, name, args) in [
        ("openai", "view_image", json!({"path": "p.bmp"})),
        ("anthropic", "Read", json!({"file_path": "p.bmp"})),
        ("gemini", "read_file", json!({"file_path": "p.bmp"})),
    ] {
        let outcome = desk.outcome(set, name, args).await;
        assert_eq!((outcome.is_error, outcome.content.len()), (false, 2), "{outcome:?}");
        assert_eq!(join_text(&outcome.content), "Image p.bmp (image/png, 5x4).");
    }
    desk.write_file("t.txt", "text");
    assert!(desk.error("openai", "view_image", json!({"path": "t.txt"})).await.contains("no picture"));
    let book = json!({"cells": [{"cell_type": "code", "id": "x", "source": ["1+1"], "outputs": [], "metadata": {}}],
        "nbformat": 4, "nbformat_minor": 5, "metadata": {}});
    desk.write_file("b.ipynb", serde_json::to_string_pretty(&book).unwrap());
    let edit = json!({"notebook_path": "b.ipynb", "cell_id": "x", "new_source": "2+2"});
    assert!(desk.error("anthropic", "NotebookEdit", edit.clone()).await.contains("was not read yet"));
    let shown = desk.ok("anthropic", "Read", json!({"file_path": "b.ipynb"})).await;
    assert!(shown.starts_with("     1\t<cell id=\"x\" type=\"code\">\n     2\t1+1"), "{shown}");
    assert_eq!(desk.ok("anthropic", "NotebookEdit", edit).await, "Replaced cell x of b.ipynb.");
    assert!(desk.read_file("b.ipynb").contains("2+2"));
    desk.write_file("odd.ipynb", "not json");
    assert_eq!(desk.ok("gemini", "read_file", json!({"file_path": "odd.ipynb"})).await, "not json");
}

#[tokio::test]
async fn edit_tools_require_read_first_per_family() {
    let desk = ToolFixture::new(&[("f", "a\nb\n")]);
    let edit = json!({"file_path": "f", "old_string": "b", "new_string": "c"});
    let write = json!({"file_path": "f", "content": "all\n"});
    assert!(desk.error("anthropic", "Edit", edit.clone()).await.contains("Read it before you edit it"));
    assert!(desk.error("anthropic", "Write", write.clone()).await.contains("Read it before you write it"));
    desk.ok("anthropic", "Write", json!({"file_path": "new/g", "content": "x"})).await;
    desk.ok("anthropic", "Edit", json!({"file_path": "new/g", "old_string": "x", "new_string": "y"})).await;
    desk.ok("anthropic", "Read", json!({"file_path": "f"})).await;
    desk.ok("anthropic", "Edit", edit.clone()).await;
    assert_eq!(desk.read_file("f"), "a\nc\n");
    let free = ToolFixture::new(&[("f", "a\nb\n")]).read_first(ReadFirst::Off);
    free.ok("anthropic", "Edit", edit.clone()).await;
    let strict = ToolFixture::new(&[("f", "a\nb\n")]).read_first(ReadFirst::On);
    assert!(
        strict.error("pi", "write", json!({"path": "f", "content": ""})).await.contains("was not read yet")
    );
    let others = ToolFixture::new(&[("f", "a\nb\n")]);
    others
        .ok(
            "gemini",
            "replace",
            json!({"file_path": "f", "instruction": "i", "old_string": "b", "new_string": "c"}),
        )
        .await;
}

#[tokio::test]
async fn edit_tools_detect_external_changes() {
    let desk = ToolFixture::new(&[("f", "a\nb\n")]);
    desk.ok("pi", "read", json!({"path": "f"})).await;
    desk.write_file("f", "a\nb\nmore\n");
    let text = desk.ok("pi", "edit", json!({"path": "f", "oldText": "b", "newText": "B"})).await;
    assert!(
        text.ends_with("The file had changed since it was read; the edit was made in what is there now.")
    );
    assert_eq!(desk.read_file("f"), "a\nB\nmore\n");
    desk.write_file("f", "gone\n");
    let error = desk.error("pi", "edit", json!({"path": "f", "oldText": "B", "newText": "x"})).await;
    assert!(error.ends_with("The file has changed since it was read; read it again."), "{error}");
    let error = desk.error("pi", "write", json!({"path": "f", "content": "x"})).await;
    assert!(error.contains("has changed since it was read; nothing was written"), "{error}");
    desk.ok("openai", "read_file", json!({"file_path": "f"})).await;
    desk.ok("pi", "write", json!({"path": "f", "content": "x\n"})).await;
    // What tools of the session change is no news to it, patches included.
    let patch = "*** Begin Patch\n*** Update File: f\n@@\n-x\n+y\n*** End Patch";
    desk.ok("openai", "apply_patch", json!({"input": patch})).await;
    desk.ok("openai", "write_file", json!({"file_path": "f", "content": "z\n"})).await;
    assert_eq!(desk.read_file("f"), "z\n");
}

#[tokio::test]
async fn edit_tools_report_fuzzy_match() {
    let desk = ToolFixture::new(&[("f", "fn f() {\n\tlet a = 1;\n}\n")]);
    let args = json!({"file_path": "f", "instruction": "i", "old_string": "    let a = 1;\n", "new_string": "    let b = 2;\n"});
    let outcome = desk.outcome("gemini", "replace", args).await;
    assert_eq!(desk.read_file("f"), "fn f() {\n\tlet b = 2;\n}\n");
    assert_eq!(
        join_text(&outcome.content),
        "Replaced 1 piece in f (+1 -1 lines). The old text differed in indentation from what is in the file.\n\
         The changed part is now:\nfn f() {\n\tlet b = 2;\n}"
    );
    assert_eq!(outcome.details.unwrap()["passes"], json!(["indentation"]));
    let fuzzy = json!({"file_path": "f", "old_string": "let b = 2; // no", "new_string": "x"});
    assert!(desk.error("gemini", "replace", fuzzy).await.contains("does not occur"));
    desk.write_file("twice", "x x\n");
    let all = json!({"file_path": "twice", "old_string": "x", "new_string": "y", "expected_replacements": 2});
    assert!(desk.ok("gemini", "replace", all).await.starts_with("Replaced 2 pieces in twice"));
    let made = json!({"file_path": "made/h", "instruction": "i", "old_string": "", "new_string": "new\n"});
    assert!(desk.ok("gemini", "replace", made.clone()).await.starts_with("Made made/h"));
    assert!(desk.error("gemini", "replace", made).await.contains("old text is empty"));
    desk.ok("anthropic", "Read", json!({"file_path": "twice"})).await;
    let every = json!({"file_path": "twice", "old_str": "y", "new_str": "z", "replace_all": true});
    desk.ok("anthropic", "Edit", every).await;
    assert_eq!(desk.read_file("twice"), "z z\n");
}

#[tokio::test]
async fn edit_tools_in_parallel_on_one_file_all_apply() {
    let desk = ToolFixture::new(&[("f", "a\nb\nc\nd\n")]);
    let edit = |old: &str| json!({"path": "f", "oldText": old, "newText": old.to_uppercase()});
    let all = ["a", "b", "c", "d"].map(|old| desk.ok("pi", "edit", edit(old)));
    futures::future::join_all(all).await;
    assert_eq!(desk.read_file("f"), "A\nB\nC\nD\n");
}

fn tree() -> ToolFixture {
    let desk = ToolFixture::new(&[
        ("src/a.rs", "fn alpha() {}\nlet x = 1;\nfn beta() {}\n"),
        ("src/in/b.ts", "alpha();\n"),
        (".gitignore", "skipped/\n"),
        ("skipped/c.rs", "fn alpha() {}\n"),
        (".hidden", "alpha\n"),
    ]);
    for (name, date) in [("src/a.rs", 3000), ("src/in/b.ts", 4000), ("skipped/c.rs", 2000), (".hidden", 1000)]
    {
        set_mtime(&desk.path(name), date);
    }
    desk
}

#[tokio::test]
async fn grep_tools_use_format_of_each_family() {
    let desk = tree();
    let text = desk.ok("pi", "grep", json!({"pattern": "alpha", "path": "src", "context": 1})).await;
    assert_eq!(text, "a.rs:1: fn alpha() {}\na.rs-2- let x = 1;\nin/b.ts:1: alpha();");
    let cut = desk.ok("pi", "grep", json!({"pattern": "fn", "path": "src", "limit": 1})).await;
    assert_eq!(
        cut,
        "a.rs:1: fn alpha() {}\n\n[The first 1 matches. Use a larger limit or a narrower pattern.]"
    );
    let exact = desk.ok("pi", "grep", json!({"pattern": "fn", "path": "src", "limit": 2})).await;
    assert!(!exact.contains('['), "{exact}");
    let one = desk.ok("pi", "grep", json!({"pattern": "fn", "path": "src", "limit": "0"})).await;
    assert!(one.contains("The first 1 matches"), "{one}");
    assert_eq!(desk.ok("openai", "grep_files", json!({"pattern": "alpha"})).await, "src/in/b.ts\nsrc/a.rs");
    assert_eq!(
        desk.ok("openai", "grep_files", json!({"pattern": "alpha", "glob": "*.rs"})).await,
        "src/a.rs"
    );
    assert_eq!(
        desk.ok("anthropic", "Grep", json!({"pattern": "alpha"})).await,
        "3 files:\nsrc/in/b.ts\nsrc/a.rs\n.hidden"
    );
    let content = json!({"pattern": "ALPHA|beta", "output_mode": "content", "-i": true, "type": "rust"});
    assert_eq!(
        desk.ok("anthropic", "Grep", content).await,
        "src/a.rs:1:fn alpha() {}\nsrc/a.rs:3:fn beta() {}"
    );
    let around = json!({"pattern": "fn beta", "output_mode": "content", "-B": 1, "-n": false});
    assert_eq!(desk.ok("anthropic", "Grep", around).await, "src/a.rs-let x = 1;\nsrc/a.rs:fn beta() {}");
    let only = json!({"pattern": "al.ha", "output_mode": "content", "-o": true, "path": "src/in"});
    assert_eq!(desk.ok("anthropic", "Grep", only).await, "src/in/b.ts:1:alpha");
    let count = json!({"pattern": "fn", "output_mode": "count"});
    assert_eq!(desk.ok("anthropic", "Grep", count).await, "src/a.rs:2\n\n2 lines in 1 files match.");
    let part = json!({"pattern": "fn|let", "output_mode": "content", "offset": 1, "head_limit": 1});
    assert_eq!(
        desk.ok("anthropic", "Grep", part).await,
        "src/a.rs:2:let x = 1;\n\n[There is more. Go on with offset=2.]"
    );
    let across =
        json!({"pattern": "alpha.*beta", "output_mode": "content", "multiline": true, "path": "src/a.rs"});
    assert_eq!(desk.ok("anthropic", "Grep", across).await.lines().count(), 3);
    let gemini = desk.ok("gemini", "grep_search", json!({"pattern": "FN", "dir_path": "src"})).await;
    assert_eq!(
        gemini,
        "2 matches for \"FN\" in src:\n---\nFile: src/a.rs\nL1: fn alpha() {}\nL2- let x = 1;\nL3: fn beta() {}\n---"
    );
    let but = json!({"pattern": "fn", "exclude_pattern": "alpha"});
    assert!(
        desk.ok("gemini", "grep_search", but)
            .await
            .contains("1 match for \"fn\" in the workspace:\n---\nFile: src/a.rs\nL3")
    );
    let names = json!({"pattern": "alpha", "names_only": true, "no_ignore": true, "include_pattern": "*.rs"});
    assert_eq!(
        desk.ok("gemini", "grep_search", names).await,
        "2 files with matches for \"alpha\" in the workspace:\nskipped/c.rs\nsrc/a.rs"
    );
}

#[tokio::test]
async fn grep_tools_report_errors_in_every_family() {
    let desk = tree();
    for (set, name) in
        [("pi", "grep"), ("openai", "grep_files"), ("anthropic", "Grep"), ("gemini", "grep_search")]
    {
        assert!(desk.error(set, name, json!({"pattern": "a("})).await.contains("pattern cannot be used"));
        assert!(
            desk.error(set, name, json!({"pattern": "a", "path": "none"})).await.contains("no such file")
        );
        assert!(desk.ok(set, name, json!({"pattern": "--pre"})).await.starts_with("No "));
        let cancel = CancellationToken::new();
        cancel.cancel();
        let outcome = desk.execute(set, name, json!({"pattern": "a"}), cancel).await;
        assert!(outcome.is_error && join_text(&outcome.content).starts_with("Interrupted"), "{outcome:?}");
    }
    desk.write_file("long.txt", format!("needle{}\n", "x".repeat(600)));
    let long = desk.ok("pi", "grep", json!({"pattern": "needle"})).await;
    assert!(long.contains("Lines of more than 500 characters are cut"), "{long}");
    assert_eq!(long.lines().next().unwrap().len(), "long.txt:1: ".len() + 500);
}

#[tokio::test]
async fn glob_tools_use_order_of_each_family() {
    let desk = tree();
    let here = |name: &str| desk.path(name).display().to_string();
    assert_eq!(desk.ok("pi", "find", json!({"pattern": "*.rs"})).await, "src/a.rs");
    assert_eq!(desk.ok("pi", "find", json!({"pattern": "in/*"})).await, "src/in/b.ts");
    assert_eq!(desk.ok("pi", "find", json!({"pattern": "s*"})).await, "src/");
    assert_eq!(
        desk.ok("pi", "find", json!({"pattern": "*", "path": "src", "limit": 2})).await,
        "a.rs\nin/\n\n[The first 2 of 3 paths. Use a larger limit or a narrower pattern.]"
    );
    assert_eq!(
        desk.ok("pi", "find", json!({"pattern": "*", "path": "src", "limit": 3})).await,
        "a.rs\nin/\nin/b.ts"
    );
    assert_eq!(desk.ok("openai", "glob", json!({"pattern": "**/*.{rs,ts}"})).await, "src/in/b.ts\nsrc/a.rs");
    let all = [here("src/in/b.ts"), here("src/a.rs"), here("skipped/c.rs")].join("\n");
    assert_eq!(desk.ok("anthropic", "Glob", json!({"pattern": "**/*.{rs,ts}"})).await, all);
    desk.write_file("src/z.rs", "");
    let text = desk.ok("gemini", "glob", json!({"pattern": "src/**"})).await;
    let order = [here("src/z.rs"), here("src/a.rs"), here("src/in/b.ts")].join("\n");
    assert_eq!(text, format!("3 files match \"src/**\" in ., the last changed first:\n{order}"));
    assert_eq!(desk.ok("gemini", "glob", json!({"pattern": "*.rs"})).await, "No files match \"*.rs\" in ..");
    for n in 0..120 {
        desk.write_file(&format!("many/{n}.txt"), "");
    }
    let many = desk.ok("anthropic", "Glob", json!({"pattern": "*.txt", "path": "many"})).await;
    assert!(many.ends_with("[100 of 120 files are shown. Use a narrower pattern or path.]"), "{many}");
    for (set, name) in [("pi", "find"), ("openai", "glob"), ("anthropic", "Glob"), ("gemini", "glob")] {
        assert!(desk.error(set, name, json!({"pattern": "a{"})).await.contains("pattern cannot be used"));
        assert!(
            desk.error(set, name, json!({"pattern": "*", "path": "none"})).await.contains("no such file")
        );
        assert!(desk.ok(set, name, json!({"pattern": "nothing-like-it"})).await.starts_with("No files"));
    }
}

#[tokio::test]
async fn list_and_read_many_tools_return_entries_and_files() {
    let desk = tree();
    let deep = desk.ok("openai", "list_dir", json!({"dir_path": "src"})).await;
    assert_eq!(deep, format!("Absolute path: {}\na.rs\nin/\n  b.ts", desk.path("src").display()));
    let part =
        desk.ok("openai", "list_dir", json!({"dir_path": "src", "offset": 2, "limit": 1, "depth": 1})).await;
    assert!(part.ends_with("in/"), "{part}");
    let more = desk.ok("openai", "list_dir", json!({"dir_path": "src", "limit": 1})).await;
    assert!(more.ends_with("[Entries 1-1 of 3. Go on with offset=2.]"), "{more}");
    let listed = desk.ok("gemini", "list_directory", json!({"dir_path": "."})).await;
    assert_eq!(listed, "What is in .:\n[DIR] src\n.gitignore\n.hidden\n\n[1 ignored entries are left out.]");
    let some =
        json!({"path": ".", "ignore": "[\"*i*\"]", "file_filtering_options": {"respect_git_ignore": false}});
    assert!(desk.ok("gemini", "list_directory", some).await.starts_with("What is in .:\n[DIR] src"));
    for (set, name) in [("openai", "list_dir"), ("gemini", "list_directory")] {
        assert!(desk.error(set, name, json!({"dir_path": "none"})).await.contains("no such folder"));
        assert!(desk.error(set, name, json!({"dir_path": "src/a.rs"})).await.starts_with("Cannot list"));
    }
    let many = desk.ok("gemini", "read_many_files", json!({"paths": ["src/**/*.ts", ".hidden"]})).await;
    assert_eq!(many, "--- .hidden ---\n\nalpha\n\n--- src/in/b.ts ---\n\nalpha();\n\n--- End ---");
    let folder = json!({"include": "src", "exclude": ["*.ts"]});
    assert!(desk.ok("gemini", "read_many_files", folder).await.starts_with("--- src/a.rs ---"));
    assert!(
        desk.error("gemini", "read_many_files", json!({"include": ["none/*"]})).await.starts_with("No file")
    );
}
