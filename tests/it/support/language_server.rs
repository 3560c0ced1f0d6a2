//! A language server that does what a script says, and a project whose files it serves.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use bowline::exec::storage::trust::Trust;
use bowline::ide::core::state::State;
use bowline::ide::features::language_servers::agent::Waiting;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::ide::model::view::ask_when_still::STILL;
use bowline::runtime::agent_setup::trust_requests::TrustRequests;
use bowline::runtime::language_servers::server::ServerState;
use serde_json::{Value, json};

use super::test_ide::{IdeSetup, TestIde};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/language_server.py");

/// What the server does unless a test says otherwise.
pub fn capabilities() -> Value {
    json!({
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
    })
}

/// A project with a file `a.toy`, and a server for such files.
pub fn project(text: &str, script: &Value) -> IdeSetup {
    project_in("toy", "a.toy", text, script)
}

/// A project with a file `a.toy`, a server for such files, and further keys of its language.
pub fn project_with(text: &str, script: &Value, keys: &str) -> IdeSetup {
    project_of(("toy", keys), "a.toy", text, script)
}

/// A project with a file of a language, and a server for files with its extension.
pub fn project_in(language: &str, name: &str, text: &str, script: &Value) -> IdeSetup {
    project_of((language, ""), name, text, script)
}

fn project_of((language, keys): (&str, &str), name: &str, text: &str, script: &Value) -> IdeSetup {
    let setup = IdeSetup::new().with(name, text).language_servers();
    let extension = name.rsplit('.').next().unwrap();
    let file = setup.workspace_dir().with_file_name("script.json");
    std::fs::write(&file, script.to_string()).unwrap();
    let table = format!(
        "[language-server.toy]\ncommand = \"python3\"\nargs = [{SERVER:?}, {:?}]\n\n[[language]]\nname = {language:?}\n\
         language-id = {language:?}\nfile-types = [{extension:?}]\nroots = []\nlanguage-servers = [\"toy\"]\n{keys}\n",
        file.display().to_string()
    );
    setup.config_file("servers.toml", &table)
}

/// A project with a file `a.toy` and two servers for such files, `toy` and `other`, each with its script.
pub fn project_of_two(text: &str, first: &Value, second: &Value) -> IdeSetup {
    let setup = IdeSetup::new().with("a.toy", text).language_servers();
    let mut table = String::new();
    for (name, file, script) in [("toy", "script.json", first), ("other", "other.json", second)] {
        let file = setup.workspace_dir().with_file_name(file);
        std::fs::write(&file, script.to_string()).unwrap();
        let file = file.display().to_string();
        table +=
            &format!("[language-server.{name}]\ncommand = \"python3\"\nargs = [{SERVER:?}, {file:?}]\n\n");
    }
    let language = "[[language]]\nname = \"toy\"\nfile-types = [\"toy\"]\nroots = []\nlanguage-servers = [\"toy\", \"other\"]\n";
    setup.config_file("servers.toml", &(table + language))
}

/// Writes into the program's home that a server with this script serves `.toy` files.
pub fn configure(home: &Path, script: &Path) {
    let script = script.display().to_string();
    write_table(home, &table("python3", &[SERVER, &script]));
}

fn write_table(home: &Path, table: &str) {
    std::fs::create_dir_all(home.join("config")).unwrap();
    std::fs::write(home.join("config/servers.toml"), table).unwrap();
}

/// Returns a table with one server for `.toy` files.
fn table(command: &str, args: &[&str]) -> String {
    format!(
        "[language-server.toy]\ncommand = {command:?}\nargs = {args:?}\n\n[[language]]\nname = \"toy\"\n\
         language-id = \"toy\"\nfile-types = [\"toy\"]\nroots = []\nlanguage-servers = [\"toy\"]\n"
    )
}

/// The server of a project that contains it itself, among its tools.
pub const OWN_SERVER: &str = "node_modules/.bin/toy-of-project";

/// Puts a server with this script into a project and into the program's home.
pub fn configure_own(home: &Path, work: &Path, script: &Path) {
    let program = work.join(OWN_SERVER);
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(&program, format!("#!/bin/sh\nexec python3 '{SERVER}' \"$@\"\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    write_table(home, &table("toy-of-project", &[&script.display().to_string()]));
}

/// Notes in the program's home that the user has trusted a folder as it is now.
pub fn trust_folder(home: &Path, work: &Path) {
    let digest = TrustRequests::read(work, home.parent().unwrap()).digest.unwrap();
    Trust::new(&home.join("state")).answer(work, &digest, true).unwrap();
}

/// Trusts the folder, once the question has been there for a moment: a key typed before would be no answer.
pub async fn trust(ide: &mut TestIde) {
    ide.wait_for_text("Trust this project?").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
}

/// Starts it, and trusts the folder.
pub async fn trusted(setup: IdeSetup) -> TestIde {
    let mut ide = setup.start().await;
    trust(&mut ide).await;
    ide.wait_for("the server runs", is_running).await;
    ide
}

/// Whether a server answers.
pub fn is_running(state: &State) -> bool {
    let known = &state.slots[LANGUAGE_SERVERS];
    known.servers.iter().any(|server| matches!(server.state, ServerState::Running { .. }))
}

/// What the server was sent: the methods, in order.
pub fn methods(ide: &TestIde) -> Vec<String> {
    methods_of(&ide.path("../script.json.log"))
}

/// Waits until the server was sent a method.
pub async fn wait_for_method(ide: &mut TestIde, method: &'static str) {
    poll(ide, move |log| methods_of(log).iter().any(|sent| sent == method)).await;
}

/// Runs until the server's log is as wanted. No event of the IDE says so.
pub async fn poll(ide: &mut TestIde, holds: impl Fn(&Path) -> bool) {
    let log = ide.path("../script.json.log");
    let limit = Instant::now() + Duration::from_secs(20);
    while !holds(&log) {
        assert!(Instant::now() < limit, "the server was sent {:?}", methods_of(&log));
        ide.headless.idle().await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The methods in a log of the server.
pub fn methods_of(log: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    // The last line may be written just now.
    let messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.filter_map(|message| message["method"].as_str().map(String::from)).collect()
}

/// What the server was sent by a method, the last time.
pub fn sent(ide: &TestIde, method: &str) -> Value {
    let log = ide.file_text("../script.json.log");
    let mut messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.rfind(|message| message["method"] == method).expect(method)["params"].clone()
}

/// Waits until what is asked about texts that are still has been asked and answered.
pub async fn settle(ide: &mut TestIde) {
    ide.headless.idle().await;
    ide.advance(STILL);
    ide.headless.idle().await;
}

/// Goes on until the server was sent a method so often: what makes it due may come from the server at any time.
pub async fn settle_until_sent(ide: &mut TestIde, method: &'static str, times: usize) {
    let limit = Instant::now() + Duration::from_secs(20);
    while methods(ide).iter().filter(|sent| *sent == method).count() < times {
        assert!(Instant::now() < limit, "the server was sent {:?}", methods(ide));
        settle(ide).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    ide.headless.idle().await;
}

/// A range as the protocol has it.
pub fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
}

/// The text of the file as the server has it.
pub fn server_text(ide: &TestIde) -> String {
    std::fs::read_to_string(ide.path("../script.json.text")).unwrap_or_default()
}

/// The text of the shown file.
pub fn text_of(ide: &mut TestIde) -> String {
    ide.state().buffers.current().unwrap().area.text().to_string()
}

/// Lets the time pass in which further answers are waited for, until the agent is done.
pub async fn wait_for_end(ide: &mut TestIde) {
    let is_answered =
        |state: &State| state.slots[LANGUAGE_SERVERS].waiting_for_errors.iter().any(Waiting::is_answered);
    let is_done = |state: &State| state.agent.working_since.is_none();
    loop {
        ide.wait_for("all answers, or the end", |state| is_answered(state) || is_done(state)).await;
        if is_done(ide.state()) {
            return ide.headless.idle().await;
        }
        ide.advance(Duration::from_millis(500));
    }
}
