//! Claude Code's tools, for Anthropic's models.
//!
//! Must not know how actions work: a row defines what a model sees, and passes the family's options to an
//! action.

use super::{agents, language_servers};
use crate::base::json::json;
use crate::patch::passes::Tolerance;
use crate::tools::builtin::actions::agent::SpawnAgent;
use crate::tools::builtin::actions::ask_user::{AskUser, QuestionForm};
use crate::tools::builtin::actions::commands::bash_output::BashOutput;
use crate::tools::builtin::actions::commands::kill_shell::KillShell;
use crate::tools::builtin::actions::commands::shell::{Background, Shell, Timeout, WaitMode};
use crate::tools::builtin::actions::files::edit::{Edit, Form};
use crate::tools::builtin::actions::files::notebook_edit::NotebookEdit;
use crate::tools::builtin::actions::files::read::{Lines, Read};
use crate::tools::builtin::actions::files::write::Write;
use crate::tools::builtin::actions::plan::Plan;
use crate::tools::builtin::actions::search::find::{
    Find, IgnoreRules, LimitArgument, Matching, Order, Paths,
};
use crate::tools::builtin::actions::search::grep::{Grep, Matches};
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::schema::{flag, integer, number, object, one_of, text};
use crate::tools::builtin::tool_set::ToolSet;
use crate::tools::interaction::delegation;
use crate::tools::output::defaults;
use crate::tools::output::limits::Limits;
use crate::tools::reading::style::ReadStyle;
use crate::tools::running::LIMITS as COMMAND_LIMITS;

/// The tool set.
pub static SET: ToolSet = ToolSet {
    id: "anthropic",
    tools: &[
        BuiltinTool {
            name: "Read",
            description: "Show a file with line numbers as `cat -n` prints them, a picture, a notebook with its \
                 cells and outputs, or the text of a PDF document. At most 2000 lines are shown unless offset \
                 and limit ask for others. Of a PDF document of more than 10 pages name those to show with \
                 pages, at most 20 at a time. Read a file before you change it.",
            parameters: || {
                object(
                    &["file_path"],
                    json!({
                        "file_path": text("Path of the file, best an absolute one"),
                        "offset": integer("First line to show, counted from 1"),
                        "limit": integer("Lines to show at most (2000)"),
                        "pages": text("Pages of a PDF document, such as 3 or 1-5; at most 20"),
                    }),
                )
            },
            arg_aliases: &[("path", "file_path"), ("filePath", "file_path"), ("filename", "file_path")],
            limits: Some(defaults::READ),
            snippet: "Show files and pictures",
            ..BuiltinTool::of(&Read {
                path: "file_path",
                lines: Lines::OffsetAndLimit,
                pages: true,
                style: ReadStyle::Tabs,
            })
        },
        BuiltinTool {
            name: "Edit",
            description: "Replace a text in a file. old_string must be in the file exactly once, white space \
                 included and without line numbers, unless replace_all is set; add lines around it until it is \
                 unique. Read the file before. With an empty old_string a new file is made.",
            parameters: || {
                object(
                    &["file_path", "old_string", "new_string"],
                    json!({
                        "file_path": text("Path of the file, best an absolute one"),
                        "old_string": text("The text to replace"),
                        "new_string": text("The text to put there, another one than old_string"),
                        "replace_all": {"type": "boolean", "description": "Replace it wherever it stands (false)", "default": false},
                    }),
                )
            },
            arg_aliases: &[
                ("path", "file_path"),
                ("filePath", "file_path"),
                ("old_str", "old_string"),
                ("new_str", "new_string"),
                ("oldText", "old_string"),
                ("newText", "new_string"),
            ],
            limits: Some(defaults::EDIT),
            snippet: "Replace exact texts in files",
            ..BuiltinTool::of(&Edit {
                path: "file_path",
                form: Form::Pair { everywhere: "replace_all", instruction: false },
                tolerance: Tolerance::Careful,
                read_first: true,
                creates: true,
                repeats_lines: false,
            })
        },
        BuiltinTool {
            name: "Write",
            description: "Write a file: makes it, with its folders, or replaces it whole. A file that is there \
                 must have been read before. To change parts of a file use Edit.",
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
            ..BuiltinTool::of(&Write { path: "file_path", read_first: true })
        },
        BuiltinTool {
            name: "Glob",
            description: "Find files whose paths match a glob pattern such as `**/*.js`, the last changed \
                 first, at most 100. What .gitignore leaves out is found, too.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The glob pattern, relative to path"),
                        "path": text("The folder; leave it out for the working folder"),
                    }),
                )
            },
            arg_aliases: &[("file_path", "path"), ("glob", "pattern")],
            limits: Some(defaults::GLOB),
            snippet: "Find files by name",
            ..BuiltinTool::of(&Find {
                path: "path",
                matching: Matching::Glob,
                folders: false,
                ignore_rules: IgnoreRules::Nothing,
                order: Order::NewestFirst,
                limit: Some(LimitArgument {
                    argument: None,
                    default_limit: 100,
                    detail: "truncated",
                    remark: |shown, all| {
                        format!("{shown} of {all} files are shown. Use a narrower pattern or path.")
                    },
                }),
                bytes_max: None,
                paths: Paths::Absolute,
                headline: false,
            })
        },
        BuiltinTool {
            name: "Grep",
            description: "Look for a regular expression (syntax of Rust) in files; what .gitignore leaves out \
                 is not searched. Gives the paths of files, or with output_mode `content` their lines, or with \
                 `count` how many lines match.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The regular expression"),
                        "path": text("A folder or a file (the working folder)"),
                        "glob": text("Which files, such as `*.js` or `*.{ts,tsx}`"),
                        "type": text("Which kind of files, such as js, py, rust or go"),
                        "output_mode": one_of(&["content", "files_with_matches", "count"], "What to give (files_with_matches)"),
                        "-i": flag("Overlook case"),
                        "-n": flag("Give line numbers, with output_mode content (true)"),
                        "-o": flag("Give only what matches, with output_mode content"),
                        "-A": number("Lines to give after each match"),
                        "-B": number("Lines to give before each match"),
                        "-C": number("Lines to give before and after each match"),
                        "context": number("The same as -C"),
                        "head_limit": number("Lines or paths to give at most (250); 0 for all"),
                        "offset": number("Lines or paths to leave out at the front (0)"),
                        "multiline": flag("Let matches go over several lines"),
                    }),
                )
            },
            arg_aliases: &[("include", "glob"), ("case_insensitive", "-i"), ("file_path", "path")],
            limits: Some(defaults::GREP),
            snippet: "Look for text in files",
            ..BuiltinTool::of(&Grep { path: "path", files: "glob", form: Matches::Modes })
        },
        BuiltinTool {
            name: "NotebookEdit",
            description: "Replace, insert or delete one cell of a Jupyter notebook. Cells are named by the ids \
                 that Read shows. A new cell comes after the named one, or first. Read the notebook before.",
            parameters: || {
                object(
                    &["notebook_path", "new_source"],
                    json!({
                        "notebook_path": text("Path of the notebook"),
                        "cell_id": text("The cell"),
                        "new_source": text("The new text of the cell"),
                        "cell_type": one_of(&["code", "markdown"], "What the cell is; needed to insert one"),
                        "edit_mode": one_of(&["replace", "insert", "delete"], "What to do (replace)"),
                    }),
                )
            },
            arg_aliases: &[("file_path", "notebook_path"), ("path", "notebook_path")],
            limits: Some(defaults::EDIT),
            snippet: "Change cells of notebooks",
            ..BuiltinTool::of(&NotebookEdit)
        },
        BuiltinTool {
            name: "Bash",
            description: "Run a shell command in the workspace and give what it printed on both outputs, in \
                 order. Standard input is closed. A command begins in the folder where the last one ended, as \
                 long as that is in the workspace; variables and functions do not last. A command that has not \
                 ended at its timeout runs on in the background; so does one with run_in_background, at once. \
                 BashOutput shows what such a command prints, KillShell ends it.",
            parameters: || {
                object(
                    &["command"],
                    json!({
                        "command": text("The command"),
                        "timeout": number("Milliseconds to wait for it: 120000 when left out, at most 600000"),
                        "description": text("What it does, in five to ten words"),
                        "run_in_background": flag("Whether not to wait for it"),
                    }),
                )
            },
            arg_aliases: &[("timeout_ms", "timeout")],
            limits: Some(COMMAND_LIMITS),
            snippet: "Run shell commands",
            ..BuiltinTool::of(&Shell {
                command: "command",
                folder: None,
                timeout: Timeout::Millis("timeout"),
                background: Background::Flag("run_in_background"),
                keeps_folder: true,
                wait_mode: WaitMode::Background,
            })
        },
        BuiltinTool {
            name: "BashOutput",
            description: "Give what a command in the background printed since the last look, and whether it \
                 still runs. With a filter only lines that match it are given; the others are gone then.",
            parameters: || {
                object(
                    &["bash_id"],
                    json!({
                        "bash_id": text("The command, such as bash_1"),
                        "filter": text("A regular expression for lines"),
                    }),
                )
            },
            limits: Some(COMMAND_LIMITS),
            snippet: "Show what background commands printed",
            ..BuiltinTool::of(&BashOutput)
        },
        BuiltinTool {
            name: "KillShell",
            description: "End a command in the background and everything that it started.",
            parameters: || {
                object(
                    &["shell_id"],
                    json!({
                        "shell_id": text("The command, such as bash_1"),
                    }),
                )
            },
            snippet: "End background commands",
            ..BuiltinTool::of(&KillShell)
        },
        BuiltinTool {
            name: "TodoWrite",
            description: "Keep the list of steps of a longer piece of work; each call replaces the whole list. \
                 At most one step is in progress.",
            parameters: || {
                object(
                    &["todos"],
                    json!({
                        "todos": {
                            "type": "array",
                            "items": object(&["content", "status", "activeForm"], json!({
                                "content": text("One step, in a few words"),
                                "status": one_of(&["pending", "in_progress", "completed"], "How far it is"),
                                "activeForm": text("The step while it is being done"),
                            })),
                        },
                    }),
                )
            },
            snippet: "Keep a list of what is to be done",
            ..BuiltinTool::of(&Plan { list: "todos", step: "content" })
        },
        BuiltinTool {
            name: "AskUserQuestion",
            description: "Ask the user one to four questions and wait for the answers. Only for what you cannot \
                 find out yourself and what changes what you do. The user can always answer in other words.",
            parameters: || {
                object(
                    &["questions"],
                    json!({
                        "questions": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 4,
                            "items": object(&["question", "header", "options"], json!({
                                "question": text("The question"),
                                "header": text("Heading of at most 12 characters"),
                                "options": {
                                    "type": "array",
                                    "items": object(&["label", "description"], json!({
                                        "label": text("A few words"),
                                        "description": text("What it means"),
                                    })),
                                    "minItems": 2,
                                    "maxItems": 4,
                                },
                                "multiSelect": flag("Several may be chosen"),
                            })),
                        },
                    }),
                )
            },
            snippet: "Ask the user",
            ..BuiltinTool::of(&AskUser { form: QuestionForm::Several { ids: false } })
        },
        BuiltinTool {
            name: "Agent",
            description: "Have another agent do a task of its own, and get its last words. It sees nothing of \
                 this conversation, so the prompt must say everything that it needs, and what it is to answer. \
                 It works on the same files with the same tools. Several calls in one answer work at the same \
                 time. With run_in_background the call gives an id at once: wait, send_input and close_agent \
                 take it.",
            parameters: || {
                object(
                    &["description", "prompt"],
                    json!({
                        "description": text("The task in three to five words"),
                        "prompt": text("The task, in full"),
                        "model": text("Another model than yours"),
                        "run_in_background": flag("Do not wait for the answer"),
                        "name": text("By which it is spoken to"),
                    }),
                )
            },
            limits: Some(Limits { chars: 32_000, ..delegation::LIMITS }),
            snippet: "Have another agent do a part of the work",
            ..BuiltinTool::of(&SpawnAgent { task: "prompt", title: Some("description"), waits: true })
        },
        agents::SEND_INPUT,
        agents::WAIT,
        agents::CLOSE_AGENT,
        BuiltinTool { name: "LSP", ..language_servers::LSP },
    ],
};
