//! pi's tools: few and simple, for every model without a family of its own.
//!
//! Must not know how actions work: a row defines what a model sees, and passes the family's options to an
//! action.

use super::{agents, language_servers};
use crate::base::json::json;
use crate::patch::passes::Tolerance;
use crate::tools::builtin::actions::ask_user::{AskUser, QuestionForm};
use crate::tools::builtin::actions::commands::job::Job;
use crate::tools::builtin::actions::commands::shell::{Background, Shell, Timeout, WaitMode};
use crate::tools::builtin::actions::files::edit::{Edit, Form};
use crate::tools::builtin::actions::files::read::{Lines, Read};
use crate::tools::builtin::actions::files::write::Write;
use crate::tools::builtin::actions::plan::Plan;
use crate::tools::builtin::actions::search::find::{
    Find, IgnoreRules, LimitArgument, Matching, Order, Paths,
};
use crate::tools::builtin::actions::search::grep::{Grep, Matches};
use crate::tools::builtin::actions::search::list::{Entries, List};
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::schema::{flag, number, object, one_of, text, texts};
use crate::tools::builtin::tool_set::ToolSet;
use crate::tools::output::limits;
use crate::tools::reading::style::ReadStyle;

/// The tool set.
pub static SET: ToolSet = ToolSet {
    id: "pi",
    tools: &[
        BuiltinTool {
            name: "read",
            description: "Read a text file, the text of a PDF document page by page, or look at an image (png, \
                 jpg, gif, webp, bmp). Text is cut after 2000 lines or 50 KB, whichever is first; use offset \
                 and limit to read on.",
            parameters: || {
                object(
                    &["path"],
                    json!({
                        "path": text("Path of the file, relative or absolute"),
                        "offset": number("First line to show, counted from 1"),
                        "limit": number("Lines to show at most"),
                    }),
                )
            },
            snippet: "Read text files and images",
            ..BuiltinTool::of(&Read {
                path: "path",
                lines: Lines::OffsetAndLimit,
                pages: false,
                style: ReadStyle::Plain,
            })
        },
        BuiltinTool {
            name: "bash",
            description: "Run a shell command in the workspace. Gives what it printed on both outputs, in \
                 order, cut to the last 2000 lines or 50 KB; longer output is kept whole and its name is \
                 given. Standard input is closed. There is no time-out unless one is given.",
            parameters: || {
                object(
                    &["command"],
                    json!({
                        "command": text("The command"),
                        "timeout": number("Seconds after which it is stopped"),
                    }),
                )
            },
            snippet: "Run shell commands",
            ..BuiltinTool::of(&Shell {
                command: "command",
                folder: None,
                timeout: Timeout::Seconds("timeout"),
                background: Background::Never,
                keeps_folder: false,
                wait_mode: WaitMode::UntilEnd,
            })
        },
        BuiltinTool {
            name: "edit",
            description: "Replace exact pieces of one file. Every oldText is matched against the file as it is \
                 now, not after earlier edits of the call, must occur exactly once and must not overlap \
                 another. Keep oldText short, with just enough lines to be unique; merge changes of \
                 neighbouring lines into one edit.",
            parameters: || {
                object(
                    &["path", "edits"],
                    json!({
                        "path": text("Path of the file, relative or absolute"),
                        "edits": {
                            "type": "array",
                            "items": object(&["oldText", "newText"], json!({
                                "oldText": text("Exact text to replace; must occur once in the file as it is now"),
                                "newText": text("Text to put there"),
                            })),
                            "minItems": 1,
                            "description": "One or more replacements",
                        },
                    }),
                )
            },
            snippet: "Replace exact pieces of files",
            ..BuiltinTool::of(&Edit {
                path: "path",
                form: Form::List,
                tolerance: Tolerance::Careful,
                read_first: false,
                creates: false,
                repeats_lines: false,
            })
        },
        BuiltinTool {
            name: "write",
            description: "Write a file: makes it, with its folders, or replaces it whole. To change parts of an \
                 existing file, use edit.",
            parameters: || {
                object(
                    &["path", "content"],
                    json!({
                        "path": text("Path of the file, relative or absolute"),
                        "content": text("The whole new content"),
                    }),
                )
            },
            snippet: "Make or replace whole files",
            ..BuiltinTool::of(&Write { path: "path", read_first: false })
        },
        BuiltinTool {
            name: "ls",
            description: "List a folder, hidden entries included. Folders end with a slash.",
            parameters: || {
                object(
                    &[],
                    json!({
                        "path": text("The folder; the working folder when left out"),
                        "limit": {"type": "integer", "minimum": 1, "description": "Entries at most (500)"},
                    }),
                )
            },
            snippet: "List folders",
            by_default: false,
            ..BuiltinTool::of(&List { path: "path", required: false, form: Entries::Names })
        },
        BuiltinTool {
            name: "grep",
            description: "Look for a regular expression in files; hidden files count, what .gitignore leaves \
                 out does not. Gives `file:line: text`, lines around a match as `file-line- text`.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("A regular expression, or a text with literal"),
                        "path": text("A folder or a file (the working folder)"),
                        "glob": text("Which files, such as `*.ts`, relative to path"),
                        "ignoreCase": flag("Whether case is overlooked (false)"),
                        "literal": flag("Whether the pattern is a text (false)"),
                        "context": number("Lines to show before and after each match (0)"),
                        "limit": number("Matches to give at most (100)"),
                    }),
                )
            },
            snippet: "Look for text in files",
            by_default: false,
            ..BuiltinTool::of(&Grep { path: "path", files: "glob", form: Matches::Lines })
        },
        BuiltinTool {
            name: "find",
            description: "Find files and folders by a glob pattern, such as `*.ts` anywhere or `src/**/*.ts`. \
                 Gives paths relative to the folder; folders end with a slash. What .gitignore leaves out is \
                 not found.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The glob pattern"),
                        "path": text("The folder (the working folder)"),
                        "limit": number("Paths to give at most (1000)"),
                    }),
                )
            },
            snippet: "Find files by name",
            by_default: false,
            ..BuiltinTool::of(&Find {
                path: "path",
                matching: Matching::Anywhere,
                folders: true,
                ignore_rules: IgnoreRules::Gitignore,
                order: Order::AsFound,
                limit: Some(LimitArgument {
                    argument: Some("limit"),
                    default_limit: 1000,
                    detail: "resultLimitReached",
                    remark: |shown, all| {
                        format!("The first {shown} of {all} paths. Use a larger limit or a narrower pattern.")
                    },
                }),
                bytes_max: Some(limits::BYTES_MAX),
                paths: Paths::BelowFolder,
                headline: false,
            })
        },
        BuiltinTool {
            name: "job",
            description: "Commands that run on while you do something else. start runs a command as a job, poll \
                 gives what a job printed since the last look and whether it still runs, input writes to its \
                 standard input, kill ends it, list names all jobs.",
            parameters: || {
                object(
                    &["action"],
                    json!({
                        "action": {"type": "string", "enum": ["start", "poll", "input", "kill", "list"]},
                        "command": text("For start: the command"),
                        "job": number("For poll, input and kill: the job's number"),
                        "text": text("For input: what to write, line feeds included"),
                        "wait": number("Seconds to listen: 1 when left out, at most 300"),
                    }),
                )
            },
            snippet: "Start, hear, feed and end commands that run on",
            by_default: false,
            ..BuiltinTool::of(&Job)
        },
        BuiltinTool {
            name: "ask_user",
            description: "Ask the user and wait for the answer. Only for what you cannot find out and what \
                 changes what you do; the user may choose an option or answer in other words.",
            parameters: || {
                object(
                    &["question"],
                    json!({
                        "question": text("The question"),
                        "options": texts("Answers to choose from"),
                        "multiple": flag("Several may be chosen"),
                    }),
                )
            },
            snippet: "Ask the user",
            by_default: false,
            ..BuiltinTool::of(&AskUser { form: QuestionForm::One })
        },
        BuiltinTool {
            name: "plan",
            description: "Keep the list of steps of a longer piece of work; each call replaces the whole list. \
                 At most one step is in progress.",
            parameters: || {
                object(
                    &["steps"],
                    json!({
                        "steps": {
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
            by_default: false,
            ..BuiltinTool::of(&Plan { list: "steps", step: "step" })
        },
        BuiltinTool { by_default: false, ..agents::SPAWN_AGENT },
        BuiltinTool { by_default: false, ..agents::SEND_INPUT },
        BuiltinTool { by_default: false, ..agents::WAIT },
        BuiltinTool { by_default: false, ..agents::CLOSE_AGENT },
        BuiltinTool { by_default: false, ..language_servers::LSP },
    ],
};
