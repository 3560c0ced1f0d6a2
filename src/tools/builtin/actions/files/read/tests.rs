//! The tool against real files.

use std::fs;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::exec::LocalEnvironment;
use crate::llm::model::Part;
use crate::llm::model::message::{KnownPart, join_text};
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::pi;

fn tool(name: &str) -> &'static BuiltinTool {
    pi::SET.get(name).unwrap()
}

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    async fn outcome(&self, args: Value) -> Outcome {
        self.call(args, CancellationToken::new()).await
    }

    async fn call(&self, args: Value, cancel: CancellationToken) -> Outcome {
        let home = (std::ffi::OsString::from("HOME"), self.folder.path().join("home").into_os_string());
        let env = LocalEnvironment::new(self.folder.path().to_path_buf(), [home]);
        let call = Invocation {
            folder: None,
            call_id: "c".into(),
            args,
            env: Arc::new(env),
            cancel,
            progress: Arc::new(|_| {}),
            shared: std::sync::Arc::new(crate::tools::AgentToolState::new(
                self.folder.path().join("artifacts"),
            )),
        };
        tool("read").run(call).await
    }

    async fn text(&self, args: Value) -> String {
        let outcome = self.outcome(args).await;
        assert!(!outcome.is_error, "{outcome:?}");
        join_text(&outcome.content)
    }

    async fn error(&self, args: Value) -> String {
        let outcome = self.outcome(args).await;
        assert!(outcome.is_error, "{outcome:?}");
        join_text(&outcome.content)
    }
}

fn numbered(count: usize) -> String {
    (1..=count).flat_map(|n| ["line ".to_string(), n.to_string(), "\n".to_string()]).collect()
}

#[tokio::test]
async fn read_tool_at_path_prefers_literal_name() {
    let bench = Bench::new();
    for folder in ["@types", "types"] {
        fs::create_dir(bench.folder.path().join(folder)).unwrap();
        bench.file(&format!("{folder}/index.d.ts"), folder);
    }
    bench.file("types/only.ts", "only");
    assert_eq!(bench.text(json!({"path": "@types/index.d.ts"})).await, "@types");
    assert_eq!(bench.text(json!({"path": "types/index.d.ts"})).await, "types");
    assert_eq!(bench.text(json!({"path": "@types/only.ts"})).await, "only");
    assert!(bench.error(json!({"path": "@types/none.ts"})).await.contains("@types/none.ts"));
}

#[tokio::test]
async fn read_tool_returns_full_file_unchanged() {
    let bench = Bench::new();
    bench.file("a.txt", "one\n\n  two\n");
    bench.file("empty", "");
    bench.file("bom", "\u{feff}x");
    fs::create_dir(bench.folder.path().join("home")).unwrap();
    bench.file("home/h", "at home");
    assert_eq!(bench.text(json!({"path": "a.txt"})).await, "one\n\n  two\n");
    assert_eq!(bench.text(json!({"path": "@a.txt"})).await, "one\n\n  two\n");
    assert_eq!(bench.text(json!({"path": "~/h"})).await, "at home");
    assert_eq!(bench.text(json!({"path": "empty"})).await, "");
    assert_eq!(bench.text(json!({"path": "bom"})).await, "x");
}

#[tokio::test]
async fn read_tool_range_names_next_offset() {
    let bench = Bench::new();
    bench.file("f", numbered(10));
    let read = |args| bench.text(args);
    assert_eq!(
        read(json!({"path": "f", "offset": 3, "limit": 2})).await,
        "line 3\nline 4\n\n[6 more lines of 10. Go on with offset=5.]"
    );
    assert_eq!(read(json!({"path": "f", "offset": 9})).await, "line 9\nline 10\n");
    assert_eq!(read(json!({"path": "f", "offset": 9, "limit": 2})).await, "line 9\nline 10\n");
    assert_eq!(
        read(json!({"path": "f", "offset": 0, "limit": 0})).await,
        "line 1\n\n[9 more lines of 10. Go on with offset=2.]"
    );
    let error = bench.error(json!({"path": "f", "offset": 11})).await;
    assert_eq!(error, "Offset 11 is beyond the end of f, which has 10 lines.");
}

#[tokio::test]
async fn read_tool_long_file_is_cut_by_lines_then_bytes() {
    let bench = Bench::new();
    bench.file("lines", numbered(2500));
    let outcome = bench.outcome(json!({"path": "lines"})).await;
    let text = join_text(&outcome.content);
    assert!(
        text.ends_with("line 2000\n\n[Lines 1-2000 of 2500. Go on with offset=2001.]"),
        "{}",
        &text[text.len() - 99..]
    );
    let details = outcome.details.unwrap();
    assert_eq!(
        (&details["truncation"]["truncatedBy"], &details["truncation"]["totalLines"]),
        (&json!("lines"), &json!(2500))
    );
    bench.file("bytes", format!("{}\n", "x".repeat(999)).repeat(100));
    let text = bench.text(json!({"path": "bytes"})).await;
    assert!(
        text.ends_with("[Lines 1-51 of 100 (50 KB limit). Go on with offset=52.]"),
        "{}",
        &text[text.len() - 99..]
    );
    bench.file("long", format!("short\n{}\n", "y".repeat(60_000)));
    let text = bench.text(json!({"path": "long", "offset": 2})).await;
    assert!(
        text.starts_with("[Line 2 of 2 has 58.6KB") && text.contains("sed -n '2p' long | head -c 51200"),
        "{text}"
    );
}

#[tokio::test]
async fn read_tool_refuses_non_text_with_advice() {
    let bench = Bench::new();
    bench.file("bin", b"\x7fELF\0\0");
    assert!(bench.error(json!({"path": "bin"})).await.contains("binary file (6B)"));
    assert!(bench.error(json!({"path": "."})).await.contains("is a folder. Use a tool that lists"));
    assert!(bench.error(json!({"path": "none"})).await.contains("no such file"));
    bench.file("latin", b"caf\xe9\n");
    let text = bench.text(json!({"path": "latin"})).await;
    assert!(text.starts_with("caf\u{fffd}\n\n[Some bytes are not UTF-8"), "{text}");
}

#[tokio::test]
async fn read_tool_images_are_detected_by_content() {
    let bench = Bench::new();
    let mut png = Vec::new();
    let picture = image::DynamicImage::new_rgb8(3, 2);
    picture.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    bench.file("picture.txt", &png);
    let outcome = bench.outcome(json!({"path": "picture.txt"})).await;
    let Some(Part::Known(KnownPart::Image { data, mime_type })) = outcome.content.get(1) else {
        panic!("{outcome:?}")
    };
    assert_eq!((STANDARD.decode(data).unwrap(), mime_type.as_str()), (png, "image/png"));
    assert_eq!(join_text(&outcome.content), "Image picture.txt (image/png, 3x2).");
    bench.file("gif.txt", "GIF89a is how these files begin");
    assert_eq!(bench.text(json!({"path": "gif.txt"})).await, "GIF89a is how these files begin");
    bench.file("broken.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    assert!(
        bench
            .error(json!({"path": "broken.png"}))
            .await
            .contains("broken.png: the picture cannot be decoded")
    );
    bench.file("paper", b"%PDF-1.4\n");
    assert!(bench.error(json!({"path": "paper"})).await.contains("PDF"));
}

#[tokio::test]
async fn read_tool_huge_file_offset_and_abort() {
    let bench = Bench::new();
    bench.file("huge", "a line of some length, more than once\n".repeat(400_000));
    let text = bench.text(json!({"path": "huge", "offset": 399_999, "limit": 1})).await;
    assert!(text.ends_with("[1 more lines of 400000. Go on with offset=400000.]"), "{text}");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = bench.call(json!({"path": "huge"}), cancel).await;
    assert_eq!((outcome.is_error, join_text(&outcome.content).as_str()), (true, "Interrupted."));
}

#[test]
fn read_tool_call_title_has_path_and_range() {
    let title = |args| tool("read").call_view(&args).title;
    assert_eq!(title(json!({"path": "a"})), "a");
    assert_eq!(title(json!({"path": "a", "offset": 5, "limit": 10})), "a 5-14");
    assert_eq!(title(json!({"path": "a", "offset": 5})), "a 5-");
    assert_eq!(title(json!({})), "");
}
