//! codex's tools, for `OpenAI`'s models.
//!
//! Must not know how actions work: a row defines what a model sees, and passes the family's options to an
//! action.

use super::{agents, language_servers};
use crate::base::json::json;
use crate::tools::builtin::actions::ask_user::{AskUser, QuestionForm};
use crate::tools::builtin::actions::commands::shell::{Background, Shell, Timeout, WaitMode};
use crate::tools::builtin::actions::commands::write_stdin::WriteStdin;
use crate::tools::builtin::actions::files::apply_patch::ApplyPatch;
use crate::tools::builtin::actions::files::read::{Lines, Read};
use crate::tools::builtin::actions::files::view_image::ViewImage;
use crate::tools::builtin::actions::files::write::Write;
use crate::tools::builtin::actions::plan::Plan;
use crate::tools::builtin::actions::search::find::{Find, IgnoreRules, Matching, Order, Paths};
use crate::tools::builtin::actions::search::grep::{Grep, Matches};
use crate::tools::builtin::actions::search::list::{Entries, List};
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::schema::{flag, integer, number, object, one_of, text};
use crate::tools::builtin::tool_set::ToolSet;
use crate::tools::output::defaults;
use crate::tools::reading::style::ReadStyle;
use crate::tools::running::LIMITS as COMMAND_LIMITS;

/// The tool set.
pub static SET: ToolSet = ToolSet {
    id: "openai",
    tools: &[
        BuiltinTool {
            name: "apply_patch",
            description: "Change files by a patch. It starts with the line '*** Begin Patch' and ends with '*** \
                 End Patch'. Between them stands one section for each file: '*** Add File: path' and the whole \
                 content, every line after a '+'; '*** Delete File: path'; or '*** Update File: path', perhaps \
                 '*** Move to: new path', and chunks. A chunk is a line '@@', or '@@ ' and a whole line of the \
                 file that stands above (a class or function), then lines that stay (after a space), go (after \
                 '-') and come (after '+'), without line numbers, with about three lines that stay around each \
                 change, and '*** End of File' after the last lines of a file. Chunks are in the order of the \
                 file. Sections before one that fails stay applied.",
            parameters: || {
                object(
                    &["input"],
                    json!({
                        "input": text("The whole patch"),
                    }),
                )
            },
            arg_aliases: &[("patch", "input")],
            limits: Some(defaults::EDIT),
            snippet: "Add, delete, move and change files by a patch",
            ..BuiltinTool::of(&ApplyPatch)
        },
        BuiltinTool {
            name: "read_file",
            description: "Show a text file with line numbers, each line as `number | text`, the text of a PDF \
                 document, or a picture. At most 2000 lines are shown; go on with offset and limit.",
            parameters: || {
                object(
                    &["file_path"],
                    json!({
                        "file_path": text("Path of the file, best an absolute one"),
                        "offset": integer("First line to show, counted from 1"),
                        "limit": integer("Lines to show at most (2000)"),
                    }),
                )
            },
            arg_aliases: &[("path", "file_path"), ("filePath", "file_path"), ("filename", "file_path")],
            limits: Some(defaults::READ),
            snippet: "Show files and pictures",
            ..BuiltinTool::of(&Read {
                path: "file_path",
                lines: Lines::OffsetAndLimit,
                pages: false,
                style: ReadStyle::Bars,
            })
        },
        BuiltinTool {
            name: "write_file",
            description: "Write a file: makes it, with its folders, or replaces it whole. To change parts of a \
                 file use apply_patch.",
            parameters: || {
                object(
                    &["file_path", "content"],
                    json!({
                        "file_path": text("Path of the file, best an absolute one"),
                        "content": text("The whole new content"),
                    }),
                )
            },
            arg_aliases: &[
                ("path", "file_path"),
                ("filePath", "file_path"),
                ("contents", "content"),
                ("file_text", "content"),
            ],
            limits: Some(defaults::WRITE),
            snippet: "Make or replace whole files",
            ..BuiltinTool::of(&Write { path: "file_path", read_first: false })
        },
        BuiltinTool {
            name: "grep_files",
            description: "Find the files that hold a match of a regular expression; gives their paths, the last \
                 changed first.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The regular expression"),
                        "include": text("Which files, such as `*.rs` or `*.{ts,tsx}`"),
                        "path": text("A folder or a file (the working folder)"),
                        "limit": number("Paths to give at most (100)"),
                    }),
                )
            },
            arg_aliases: &[("glob", "include"), ("glob_filter", "include")],
            limits: Some(defaults::GREP),
            snippet: "Find files that hold a text",
            ..BuiltinTool::of(&Grep { path: "path", files: "include", form: Matches::Files })
        },
        BuiltinTool {
            name: "list_dir",
            description: "List what is in a folder and in the folders below it, each level indented; folders \
                 end with a slash.",
            parameters: || {
                object(
                    &["dir_path"],
                    json!({
                        "dir_path": text("The folder"),
                        "offset": number("First entry to show, counted from 1"),
                        "limit": number("Entries to show at most (25)"),
                        "depth": number("Levels to go down (2)"),
                    }),
                )
            },
            arg_aliases: &[("path", "dir_path")],
            limits: Some(defaults::GLOB),
            snippet: "List folders",
            ..BuiltinTool::of(&List { path: "dir_path", required: true, form: Entries::Tree })
        },
        BuiltinTool {
            name: "glob",
            description: "Find files whose paths match a glob pattern such as `**/*.ts`, the last changed \
                 first. What .gitignore leaves out is not found.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The glob pattern, relative to path"),
                        "path": text("The folder (the working folder)"),
                    }),
                )
            },
            arg_aliases: &[("dir_path", "path"), ("glob", "pattern")],
            limits: Some(defaults::GLOB),
            snippet: "Find files by name",
            ..BuiltinTool::of(&Find {
                path: "path",
                matching: Matching::Glob,
                folders: false,
                ignore_rules: IgnoreRules::Gitignore,
                order: Order::NewestFirst,
                limit: None,
                bytes_max: None,
                paths: Paths::BelowWorkspace,
                headline: false,
            })
        },
        BuiltinTool {
            name: "view_image",
            description: "Look at a picture in a file (png, jpg, gif, webp, bmp).",
            parameters: || {
                object(
                    &["path"],
                    json!({
                        "path": text("Path of the file"),
                    }),
                )
            },
            arg_aliases: &[("file_path", "path"), ("image_path", "path")],
            snippet: "Look at pictures",
            ..BuiltinTool::of(&ViewImage)
        },
        BuiltinTool {
            name: "exec_command",
            description: "Run a shell command. Gives its output and exit code, or, when it has not ended after \
                 yield_time_ms, its output so far and a session ID for write_stdin. With timeout_ms it is \
                 stopped instead when that time is over.",
            parameters: || {
                object(
                    &["cmd"],
                    json!({
                        "cmd": text("The command"),
                        "workdir": text("Folder to run it in; the workspace when left out"),
                        "login": flag("Whether the shell is a login shell; true when left out"),
                        "tty": flag("Whether it gets a terminal that write_stdin can type into; false when left out, then its input is closed"),
                        "yield_time_ms": number("Milliseconds to wait for it: 10000 when left out, from 250 to 30000"),
                        "timeout_ms": number("Milliseconds after which it is stopped, at most 600000; not stopped when left out"),
                        "max_output_tokens": number("Tokens of output to give at most; 10000 when left out"),
                    }),
                )
            },
            arg_aliases: &[("command", "cmd")],
            limits: Some(COMMAND_LIMITS),
            snippet: "Run shell commands, also long ones",
            ..BuiltinTool::of(&Shell {
                command: "cmd",
                folder: Some("workdir"),
                timeout: Timeout::Millis("timeout_ms"),
                background: Background::Wait("yield_time_ms"),
                keeps_folder: false,
                wait_mode: WaitMode::Session,
            })
        },
        BuiltinTool {
            name: "write_stdin",
            description: "Write to the standard input of a session of exec_command and give what it printed \
                 since the last call. Without chars nothing is written. The character U+0003 stops it; in a \
                 terminal it is Ctrl-C, to be sent again where the session still runs.",
            parameters: || {
                object(
                    &["session_id"],
                    json!({
                        "session_id": number("The session"),
                        "chars": text("What to write; nothing when left out"),
                        "yield_time_ms": number("Milliseconds to wait for output or the end: after writing 250 to 30000, else 5000 to 300000"),
                        "max_output_tokens": number("Tokens of output to give at most; 10000 when left out"),
                    }),
                )
            },
            limits: Some(COMMAND_LIMITS),
            snippet: "Talk to commands that run on",
            ..BuiltinTool::of(&WriteStdin)
        },
        BuiltinTool {
            name: "update_plan",
            description: "Keep the list of steps of a longer piece of work; each call replaces the whole list. \
                 At most one step is in progress.",
            parameters: || {
                object(
                    &["plan"],
                    json!({
                        "explanation": text("Why the list changed"),
                        "plan": {
                            "type": "array",
                            "items": object(&["step", "status"], json!({
                                "step": text("One step, in a few words"),
                                "status": one_of(&["pending", "in_progress", "completed"], "How far it is"),
                            })),
                        },
                    }),
                )
            },
            snippet: "Keep a list of what is to be done",
            ..BuiltinTool::of(&Plan { list: "plan", step: "step" })
        },
        BuiltinTool {
            name: "request_user_input",
            description: "Ask the user one to three short questions and wait for the answers. Only for what you \
                 cannot find out yourself. The user can always answer in other words.",
            parameters: || {
                object(
                    &["questions"],
                    json!({
                        "questions": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 3,
                            "items": object(&["id", "header", "question", "options"], json!({
                                "id": text("Name of the answer, in snake_case"),
                                "header": text("Heading of at most 12 characters"),
                                "question": text("The question, one sentence"),
                                "options": {
                                    "type": "array",
                                    "items": object(&["label", "description"], json!({
                                        "label": text("A few words"),
                                        "description": text("What it means"),
                                    })),
                                    "minItems": 2,
                                    "maxItems": 3,
                                },
                            })),
                        },
                    }),
                )
            },
            snippet: "Ask the user",
            ..BuiltinTool::of(&AskUser { form: QuestionForm::Several { ids: true } })
        },
        agents::SPAWN_AGENT,
        agents::SEND_INPUT,
        agents::WAIT,
        agents::CLOSE_AGENT,
        language_servers::LSP,
    ],
};
