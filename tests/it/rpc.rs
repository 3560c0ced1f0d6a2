//! RPC mode of the built binary, driven by pi's own client of two releases: every method that it has, and its
//! example. Skipped, with a message, where `npm ci` was not run in `tests/pi`.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::client_process::{TestHome, wait_until};
use crate::support::process::is_running;
use crate::support::server::{Piece, Reply};

/// Those whose client is asked.
pub const RELEASES: [&str; 2] = ["pi-first", "pi-newest"];

/// The folder with pi in it, and its Node; `None` where pi is not there.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn pi() -> Option<(PathBuf, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pi");
    let node = folder.join("node_modules/.bin/node");
    if node.exists() {
        return Some((folder, node));
    }
    eprintln!("skipped: `npm ci` in tests/pi gives this test the programs that it asks");
    None
}

/// Node as pi's client needs it: it starts the program by the name `node`.
pub fn node(ground: &TestHome, folder: &Path, node: &Path) -> Command {
    let mut command = ground.command(node, &[]);
    let mut path = OsString::from(folder.join("node_modules/.bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    command.env("PATH", path).env("BOWLINE_PROGRAM", env!("CARGO_BIN_EXE_bowline"));
    command.env("BOWLINE_PID", ground.dir.path().join("pid"));
    command.env("PI_CODING_AGENT_DIR", ground.dir.path().join("pi"));
    command.stdin(Stdio::null());
    command
}

/// Whether the program that was started last is gone.
fn has_exited(ground: &TestHome) -> bool {
    let pid = std::fs::read_to_string(ground.dir.path().join("pid")).unwrap();
    !is_running(pid.trim().parse().unwrap())
}

/// What the server answers to the script's requests.
fn replies() -> Vec<Reply> {
    let half = |words: &str| [wire::open(), wire::text(0, &[words, " …"]), vec![Piece::Gate]].concat();
    vec![
        wire::tool_call_reply("t1", "Bash", &json!({"command": "echo made > made.txt; echo heard"})),
        wire::text_reply("Made."),
        wire::text_reply("A dot."),
        Reply::Stream([half("Working"), wire::close("end_turn")].concat()),
        wire::text_reply("Left."),
        wire::text_reply("Right."),
        Reply::Stream(half("For ever")),
        Reply::Status {
            code: 529,
            headers: vec![("retry-after", "60".into())],
            body: json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})
                .to_string(),
        },
        wire::text_reply("A summary."),
    ]
}

/// Runs the script with a release's client; gives what each method told.
fn client_output(ground: &TestHome, release: &str, folder: &Path, program: &Path) -> Value {
    let mut command = node(ground, folder, program);
    command.arg(folder.join("rpc.mjs")).arg(release).arg(ground.work()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = Value::Null;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let mut line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["gate"] == true {
            ground.server.open_gate();
        } else {
            told = line["told"].take();
        }
    }
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{release}: {}", String::from_utf8_lossy(&done.stderr));
    told
}

#[test]
fn rpc_pi_client_methods_all_work() {
    let Some((folder, program)) = pi() else { return };
    for release in RELEASES {
        let ground = TestHome::new(replies());
        ground.write_config("settings.toml", "compaction-keep-recent-tokens = 1\n");
        let told = client_output(&ground, release, &folder, &program);
        assert_eq!(told["missed"], json!([]), "{release}: methods that nobody called");
        for (name, value) in told.as_object().unwrap() {
            let is_meant = name.ends_with(" refused") || name == "stopped";
            assert_eq!(value["refused"].is_string(), is_meant, "{release}, {name}: {value}");
        }
        settings(&told, release);
        check_run(&ground, &told, release);
        check_while_working(&ground, &told, release);
        commands(&told, release);
        sessions(&ground, &told, release);
        wait_until("the program ends with its client", || has_exited(&ground));
    }
}

fn is_newest(release: &str) -> bool {
    release == "pi-newest"
}

fn as_strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("{value}")).keys().map(String::as_str).collect()
}

fn settings(told: &Value, release: &str) {
    let first = &told["first"];
    let state = [
        "model",
        "thinkingLevel",
        "isStreaming",
        "isCompacting",
        "steeringMode",
        "followUpMode",
        "sessionId",
        "autoCompactionEnabled",
        "messageCount",
        "pendingMessageCount",
    ];
    assert!(state.iter().all(|name| fields(first).contains(name)), "{release}: {first}");
    assert_eq!(
        json!([
            first["model"]["provider"],
            first["model"]["id"],
            first["isStreaming"],
            first["isCompacting"]
        ]),
        json!(["anthropic", "claude-opus-5-5", false, false])
    );
    assert_eq!(json!([first["messageCount"], first["pendingMessageCount"]]), json!([0, 0]));
    for model in told["getAvailableModels"].as_array().unwrap() {
        let parts = [
            "id",
            "name",
            "api",
            "provider",
            "baseUrl",
            "reasoning",
            "input",
            "cost",
            "contextWindow",
            "maxTokens",
        ];
        assert!(parts.iter().all(|name| fields(model).contains(name)), "{release}: {model}");
    }
    assert_eq!(told["setModel"]["provider"], "anthropic");
    let refused = told["setModel refused"]["refused"].as_str();
    assert!(is_newest(release) <= refused.is_some_and(|why| why.contains("nobody")), "{refused:?}");
    assert_eq!(fields(&told["cycleModel"]), ["model", "thinkingLevel", "isScoped"]);
    assert_ne!(told["cycleModel"]["model"]["id"], told["setModel"]["id"]);
    if is_newest(release) {
        let levels = as_strings(&told["getAvailableThinkingLevels"]);
        let next = levels.iter().position(|level| *level == "low").unwrap() + 1;
        assert_eq!(told["cycleThinkingLevel"], json!({"level": levels[next % levels.len()]}));
    }
    let after = &told["state after"];
    let set =
        ["steeringMode", "followUpMode", "autoCompactionEnabled", "sessionName"].map(|name| &after[name]);
    assert_eq!(json!(set), json!(["all", "all", false, "a name"]));
    assert_eq!(told["cycleThinkingLevel"]["level"], after["thinkingLevel"]);
}

fn check_run(ground: &TestHome, told: &Value, release: &str) {
    assert_eq!(std::fs::read_to_string(ground.work().join("made.txt")).unwrap(), "made\n");
    let events = as_strings(&told["promptAndWait"]);
    let at = |name: &str| events.iter().position(|event| *event == name);
    let order = [
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "message_update",
        "tool_execution_start",
        "tool_execution_end",
        "turn_end",
        "agent_end",
    ];
    let places: Vec<usize> = order.iter().filter_map(|name| at(name)).collect();
    assert!(places.len() == order.len() && places.is_sorted(), "{release}: {events:?}");
    let last = if is_newest(release) { "agent_settled" } else { "agent_end" };
    assert_eq!(events.last(), Some(&last), "{release}");
    assert_eq!(told["getLastAssistantText"], "Made.");
    let roles: Vec<&Value> =
        told["getMessages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(json!(roles), json!(["user", "assistant", "toolResult", "assistant"]));
    assert_eq!(told["getMessages"][2]["toolName"], "Bash");
    assert_eq!(
        json!([told["forks"][0]["text"], told["forks"].as_array().unwrap().len()]),
        json!(["make it", 1])
    );
    let stats = &told["getSessionStats"];
    let counts = ["userMessages", "assistantMessages", "toolCalls", "toolResults", "totalMessages"];
    assert_eq!(json!(counts.map(|name| &stats[name])), json!([1, 2, 1, 1, 4]));
    assert_eq!(fields(&stats["tokens"]), ["input", "output", "cacheRead", "cacheWrite", "total"]);
    assert_eq!(fields(&stats["contextUsage"]), ["tokens", "contextWindow", "percent"]);
    assert_eq!(json!([stats["tokens"]["input"], stats["tokens"]["output"]]), json!([24, 18]));
    if is_newest(release) {
        entries(told);
    }
    let picture = ground.server.requests()[2].body["messages"].to_string();
    assert!(picture.contains("image/png") && picture.contains("iVBORw0KGgo"), "{picture}");
}

fn entries(told: &Value) {
    let all = told["getEntries"]["entries"].as_array().unwrap();
    assert_eq!(told["getEntries"]["leafId"], all.last().unwrap()["id"]);
    assert_eq!(told["getEntries since"]["entries"], json!([all.last().unwrap()]));
    let why = told["getEntries refused"]["refused"].as_str().unwrap();
    assert!(why.contains("there is no entry nobody"), "{why}");
    let (mut node, mut depth) = (&told["getTree"]["tree"][0], 0);
    while node["entry"].is_object() {
        assert_eq!(node["entry"], all[depth]);
        node = &node["children"][0];
        depth += 1;
    }
    assert_eq!((depth, &told["getTree"]["leafId"]), (all.len(), &told["getEntries"]["leafId"]));
}

fn check_while_working(ground: &TestHome, told: &Value, release: &str) {
    if is_newest(release) {
        assert_eq!(told["clearQueue"], json!({"steering": ["dropped 1"], "followUp": ["dropped 2"]}));
    }
    let state = &told["state at work"];
    assert_eq!(json!([state["isStreaming"], state["pendingMessageCount"]]), json!([true, 2]));
    let seen = ground.server.requests();
    let said = |n: usize| seen[n].body["messages"].to_string();
    assert!(!said(5).contains("no behaviour") && !said(5).contains("dropped"), "{}", said(5));
    assert!(said(4).contains("left") && !said(4).contains("then right") && said(5).contains("then right"));
    let events = as_strings(&told["collectEvents"]);
    let count = |name: &str| events.iter().filter(|event| **event == name).count();
    assert_eq!((count("agent_start"), count("turn_end"), count("agent_end")), (1, 3, 1), "{events:?}");
    assert!(count("queue_update") >= 4, "{events:?}");
    assert!(as_strings(&told["abort events"]).contains(&"agent_end"));
    assert_eq!(told["state idle"]["isStreaming"], false);
    let retry = &told["retry"];
    assert_eq!(json!([retry["attempt"], retry["delayMs"]]), json!([1, 60000]), "{retry}");
    assert!(
        retry["maxAttempts"].is_u64() && retry["errorMessage"].as_str().unwrap().contains("busy"),
        "{retry}"
    );
    assert!(
        as_strings(&told["abortRetry events"]).contains(&"auto_retry_end"),
        "{}",
        told["abortRetry events"]
    );
    assert_eq!(seen.len(), 9, "nothing was tried again, and one summary was asked for");
}

fn commands(told: &Value, release: &str) {
    let ran = &told["bash"];
    assert_eq!(
        json!([ran["exitCode"], ran["cancelled"], ran["truncated"]]),
        json!([3, false, false]),
        "{release}"
    );
    let output = ran["output"].as_str().unwrap();
    assert!(output.contains("out") && output.contains("err"), "{ran}");
    assert!(told["update"]["delta"].as_str().unwrap().contains("begun"), "{}", told["update"]);
    assert_eq!(told["bash stopped"]["cancelled"], true);
    assert_eq!(told["getCommands"], json!([]));
    assert_eq!(told["getStderr"], "");
}

fn sessions(ground: &TestHome, told: &Value, release: &str) {
    let done = &told["compact"];
    assert!(done["summary"].as_str().unwrap().contains("A summary."), "{release}: {done}");
    assert!(done["firstKeptEntryId"].is_string() && done["tokensBefore"].is_u64(), "{done}");
    assert!(ground.server.requests()[8].text.contains("the point"));
    let page = told["exportHtml"]["path"].as_str().unwrap();
    assert_eq!(Path::new(page), ground.work().join("page.html"));
    for path in [page, told["exportHtml unnamed"]["path"].as_str().unwrap()] {
        assert!(std::fs::read_to_string(path).unwrap().contains("make it"), "{path}");
    }
    for moved in ["clone", "newSession", "switchSession"] {
        assert_eq!(told[moved], json!({"cancelled": false}), "{moved}");
    }
    assert_eq!(told["fork"], json!({"text": "make it", "cancelled": false}));
    let file = |state: &str| told[state]["sessionFile"].clone();
    assert_ne!(file("state of the clone"), told["here"]);
    assert_eq!(file("state back"), told["here"]);
    assert_eq!(told["state of the new one"]["messageCount"], 0);
    assert!(told["switchSession refused"]["refused"].as_str().unwrap().contains("none.jsonl"));
}

/// The example stands in a copy of its folder's shape, where the path that it starts leads to this program.
#[test]
fn rpc_pi_example_client_works_unchanged() {
    let Some((folder, program)) = pi() else { return };
    let ground = TestHome::new(vec![
        wire::tool_call_reply("t1", "Bash", &json!({"command": "echo heard"})),
        wire::text_reply("A program for ropes."),
    ]);
    ground.write_config("permissions.toml", "[[rule]]\ndecision = \"allow\"\ncommand = \"echo\"\n");
    let release = folder.join("node_modules/pi-newest");
    let place = ground.dir.path().join("example");
    for inner in ["examples", "dist", "node_modules/@earendil-works"] {
        std::fs::create_dir_all(place.join(inner)).unwrap();
    }
    std::fs::copy(release.join("examples/rpc-client.ts"), place.join("examples/rpc-client.ts")).unwrap();
    std::fs::copy(folder.join("shim.mjs"), place.join("dist/cli.js")).unwrap();
    std::fs::write(place.join("package.json"), "{\"type\": \"module\"}").unwrap();
    let package = place.join("node_modules/@earendil-works/pi-coding-agent");
    std::os::unix::fs::symlink(release, package).unwrap();
    let mut command = node(&ground, &folder, &program);
    command.args(["--experimental-strip-types", "--no-warnings"]).arg(place.join("examples/rpc-client.ts"));
    let done = command.args(["Explain", "this"]).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!((done.status.code(), &*out), (Some(0), "A program for ropes.\n"), "{err}");
    assert_eq!(err, "\n[tool: Bash]\n");
    let said = ground.server.requests()[1].body["messages"].to_string();
    assert!(said.contains("Explain this") && said.contains("heard"), "{said}");
    wait_until("the program ends with its client", || has_exited(&ground));
}
