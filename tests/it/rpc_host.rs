//! A host that serves its own session over RPC to pi's own client of two releases: its command and its tool send every
//! message to the user that there is. Skipped, with a message, where `npm ci` was not run in `tests/pi`.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bowline::base::error::Report;
use bowline::llm::providers::scripted::{Scripted, Turn};
use bowline::modes::rpc::{HostCommand, HostUi, NotifyType, Placement, Ports, serve};
use bowline::runtime::{Builder, Handle};
use bowline::tools::{FromFn, Outcome};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::rpc::{RELEASES, node, pi};
use crate::support::client_process::TestHome;

const ANSWERS: &str = r#"Some("two") Some(true) Some("a line") Some("begun\nmore") None"#;

/// Sends every message; gives what was answered.
async fn ask_everything(desk: &HostUi) -> String {
    let chosen = desk.select("Which?", &["one", "two"]).await;
    let sure = desk.confirm("Sure?", "Really.").await;
    let line = desk.input("Say", Some("words")).await;
    let text = desk.edit("Write", Some("begun")).await;
    let refused = desk.confirm("Refused?", "Yes.").await;
    desk.notify("Done.", Some(NotifyType::Warning));
    desk.set_status("host", Some("busy"));
    desk.set_widget("host", Some(&["a", "b"]), Some(Placement::BelowEditor));
    desk.set_title("a host");
    desk.set_editor_text("next");
    format!("{chosen:?} {sure:?} {line:?} {text:?} {refused:?}")
}

/// What the client hears of that, without the ids.
fn messages() -> Value {
    let patience = 300_000;
    json!([
        {"method": "select", "title": "Which?", "options": ["one", "two"], "timeout": patience},
        {"method": "confirm", "title": "Sure?", "message": "Really.", "timeout": patience},
        {"method": "input", "title": "Say", "placeholder": "words", "timeout": patience},
        {"method": "editor", "title": "Write", "prefill": "begun"},
        {"method": "confirm", "title": "Refused?", "message": "Yes.", "timeout": patience},
        {"method": "notify", "message": "Done.", "notifyType": "warning"},
        {"method": "setStatus", "statusKey": "host", "statusText": "busy"},
        {"method": "setWidget", "widgetKey": "host", "widgetLines": ["a", "b"], "widgetPlacement": "belowEditor"},
        {"method": "setTitle", "title": "a host"},
        {"method": "set_editor_text", "text": "next"},
    ])
}

/// What a command or a tool was answered.
type Answers = Arc<Mutex<Vec<String>>>;

struct AskAllCommand(Answers);

impl HostCommand for AskAllCommand {
    fn name(&self) -> &'static str {
        "all"
    }

    fn description(&self) -> Option<&str> {
        Some("Sends everything.")
    }

    fn path(&self) -> &'static str {
        "<inline:host>"
    }

    fn run(&self, args: String, desk: HostUi, _: Handle) -> BoxFuture<'static, Result<(), Report>> {
        let heard = Arc::clone(&self.0);
        Box::pin(async move {
            let answers = ask_everything(&desk).await;
            heard.lock().unwrap().push(format!("{args}: {answers}"));
            Ok(())
        })
    }
}

struct FailingCommand;

impl HostCommand for FailingCommand {
    fn name(&self) -> &'static str {
        "fail"
    }

    fn path(&self) -> &'static str {
        "/hosts/fail.rs"
    }

    fn run(&self, _: String, _: HostUi, _: Handle) -> BoxFuture<'static, Result<(), Report>> {
        Box::pin(async { Err(Report::new("no such place")) })
    }
}

/// Serves one client of that release; gives what it told, and what was answered.
async fn serve_client(release: &str, folder: &Path, program: &Path) -> (Value, Vec<String>) {
    let (ground, desk, heard) = (TestHome::new(Vec::new()), HostUi::new(), Answers::default());
    let (asker, answers) = (desk.clone(), Arc::clone(&heard));
    let tool = FromFn::new("everything", "Send everything.", json!({"type": "object"}), move |_| {
        let (desk, heard) = (asker.clone(), Arc::clone(&answers));
        async move {
            let answers = ask_everything(&desk).await;
            heard.lock().unwrap().push(answers.clone());
            Outcome::text(answers)
        }
    });
    let (_, script) =
        Scripted::injected(vec![Turn::call("c1", "everything", json!({})), Turn::text("Done.")]);
    let session = Builder::new(ground.work()).tool(tool.reads_only()).approval(desk.clone()).inject(script);
    let session = session.start().await.unwrap();

    let socket = ground.dir.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let mut client = node(&ground, folder, program);
    client.env("BOWLINE_SOCKET", &socket).arg(folder.join("host.mjs")).arg(release);
    let client = tokio::task::spawn_blocking(move || client.output().unwrap());
    let (from, to) = tokio::task::spawn_blocking(move || {
        let (stream, _) = listener.accept().unwrap();
        (stream.try_clone().unwrap(), stream)
    })
    .await
    .unwrap();
    let ports = Ports::new(session.clone(), desk, from, to).unwrap();
    let code = serve(ports.command(AskAllCommand(Arc::clone(&heard))).command(FailingCommand)).await;
    let done = client.await.unwrap();
    session.shutdown().await;
    assert!(done.status.success() && code == 0, "{release}: {}", String::from_utf8_lossy(&done.stderr));
    let heard = heard.lock().unwrap().clone();
    (serde_json::from_slice(&done.stdout).unwrap(), heard)
}

/// Takes what every message has; gives the rest of each.
fn strip_common_fields(messages: &mut Value) -> Value {
    let mut ids = Vec::new();
    for message in messages.as_array_mut().unwrap() {
        let fields = message.as_object_mut().unwrap();
        assert_eq!(fields.remove("type"), Some(json!("extension_ui_request")), "{fields:?}");
        ids.push(fields.remove("id").unwrap().as_str().unwrap().to_string());
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "each message has an id of its own");
    messages.take()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rpc_host_ui_messages_reach_pi_client() {
    let Some((folder, program)) = pi() else { return };
    for release in RELEASES {
        let (mut told, heard) = serve_client(release, &folder, &program).await;
        let commands = json!([
            {
                "name": "all", "description": "Sends everything.", "source": "extension",
                "sourceInfo": {
                    "path": "<inline:host>", "source": "inline", "scope": "temporary", "origin": "top-level",
                },
            },
            {
                "name": "fail", "source": "extension",
                "sourceInfo": {
                    "path": "/hosts/fail.rs", "source": "local", "scope": "temporary", "origin": "top-level",
                    "baseDir": "/hosts",
                },
            },
        ]);
        assert_eq!(told["commands"], commands, "{release}");
        assert_eq!(strip_common_fields(&mut told["command"]), messages(), "{release}");
        let failed = json!([{
            "type": "extension_error", "extensionPath": "command:fail", "event": "command", "error": "no such place",
        }]);
        assert_eq!(told["failed"], failed, "{release}");
        assert_eq!(strip_common_fields(&mut told["tool"]), messages(), "{release}");
        assert_eq!(heard, [format!("of it: {ANSWERS}"), ANSWERS.to_string()], "{release}");
        let events = told["events"].as_array().unwrap();
        let at = |kind: &str| events.iter().position(|event| event == kind);
        let (begun, asked) = (at("tool_execution_start"), at("extension_ui_request"));
        assert!(
            begun.is_some() && begun < asked && asked < at("tool_execution_end"),
            "{release}: {events:?}"
        );
    }
}
