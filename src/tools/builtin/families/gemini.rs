//! gemini-cli's tools, for Google's models.
//!
//! Must not know how actions work: a row defines what a model sees, and passes the family's options to an
//! action.

use super::{agents, language_servers};
use crate::base::json::json;
use crate::patch::passes::Tolerance;
use crate::tools::builtin::actions::ask_user::{AskUser, QuestionForm};
use crate::tools::builtin::actions::commands::shell::{Background, Shell, Timeout, WaitMode};
use crate::tools::builtin::actions::files::edit::{Edit, Form};
use crate::tools::builtin::actions::files::read::{Lines, Read};
use crate::tools::builtin::actions::files::read_many::ReadMany;
use crate::tools::builtin::actions::files::write::Write;
use crate::tools::builtin::actions::plan::Plan;
use crate::tools::builtin::actions::search::find::{Find, IgnoreRules, Matching, Order, Paths};
use crate::tools::builtin::actions::search::grep::{Grep, Matches};
use crate::tools::builtin::actions::search::list::{Entries, List};
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::schema::{flag, integer, object, one_of, text, texts};
use crate::tools::builtin::tool_set::ToolSet;
use crate::tools::output::defaults;
use crate::tools::reading::style::ReadStyle;
use crate::tools::running::LIMITS as COMMAND_LIMITS;

/// The tool set.
pub static SET: ToolSet = ToolSet {
    id: "gemini",
    tools: &[
        BuiltinTool {
            name: "read_file",
            description: "Show a file, a picture, or the text of a PDF document with its pages. At most 2000 \
                 lines are shown, lines of more than 2000 characters are cut; a note at the beginning says how \
                 to go on. Use start_line and end_line for a part of a long file.",
            parameters: || {
                object(
                    &["file_path"],
                    json!({
                        "file_path": text("Path of the file"),
                        "start_line": {"type": "integer", "description": "First line to show, counted from 1", "minimum": 1},
                        "end_line": {"type": "integer", "description": "Last line to show, itself included", "minimum": 1},
                    }),
                )
            },
            arg_aliases: &[("path", "file_path"), ("absolute_path", "file_path"), ("offset", "start_line")],
            limits: Some(defaults::READ),
            snippet: "Show files and pictures",
            ..BuiltinTool::of(&Read {
                path: "file_path",
                lines: Lines::StartAndEnd,
                pages: false,
                style: ReadStyle::NotesFirst,
            })
        },
        BuiltinTool {
            name: "read_many_files",
            description: "Show the files of which the paths match glob patterns, one after the other, each \
                 below a line with its path. Of each at most 2000 lines are shown.",
            parameters: || {
                object(
                    &["include"],
                    json!({
                        "include": {
                            "type": "array",
                            "items": {"type": "string"},
                            "minItems": 1,
                            "description": "Paths, or glob patterns relative to the workspace",
                        },
                        "exclude": texts("Glob patterns of files to leave out"),
                        "recursive": flag("Whether a folder stands for everything below it (true)"),
                        "useDefaultExcludes": flag("Leave out dependencies and what builds make (true)"),
                        "file_filtering_options": {
                            "type": "object",
                            "description": "Which ignore files count",
                            "properties": {"respect_git_ignore": flag("What .gitignore leaves out is left out (true)"), "respect_gemini_ignore": flag("What .geminiignore leaves out is left out (true)")},
                        },
                    }),
                )
            },
            arg_aliases: &[("paths", "include")],
            limits: Some(defaults::READ),
            snippet: "Show several files",
            ..BuiltinTool::of(&ReadMany)
        },
        BuiltinTool {
            name: "write_file",
            description: "Write a file: makes it, with its folders, or replaces it whole. To change parts of a \
                 file use replace.",
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
            name: "replace",
            description: "Replace a text in a file. old_string must be in the file exactly once, with at least \
                 three lines around the change, white space included, unless allow_multiple is set. With an \
                 empty old_string a new file is made.",
            parameters: || {
                object(
                    &["file_path", "instruction", "old_string", "new_string"],
                    json!({
                        "file_path": text("Path of the file"),
                        "instruction": text("What the change is for, in a sentence that is clear without the rest of the conversation"),
                        "old_string": text("The text to replace"),
                        "new_string": text("The text to put there"),
                        "allow_multiple": flag("Replace it wherever it stands (false)"),
                    }),
                )
            },
            arg_aliases: &[
                ("path", "file_path"),
                ("absolute_path", "file_path"),
                ("old_str", "old_string"),
                ("new_str", "new_string"),
            ],
            limits: Some(defaults::EDIT),
            snippet: "Replace exact texts in files",
            ..BuiltinTool::of(&Edit {
                path: "file_path",
                form: Form::Pair { everywhere: "allow_multiple", instruction: true },
                tolerance: Tolerance::Fuzzy,
                read_first: false,
                creates: true,
                repeats_lines: true,
            })
        },
        BuiltinTool {
            name: "grep_search",
            description: "Look for a regular expression in files. Gives a block for each file, with `L12:` \
                 before lines that match and `L11-` before lines around them.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The regular expression, or a text with fixed_strings"),
                        "dir_path": text("A folder or a file (the working folder)"),
                        "include_pattern": text("Which files, such as `*.{ts,tsx}`"),
                        "exclude_pattern": text("A regular expression; lines that it matches are left out"),
                        "names_only": flag("Give only the paths of files"),
                        "max_matches_per_file": {"type": "integer", "description": "Matches of one file at most", "minimum": 1},
                        "total_max_matches": {"type": "integer", "description": "Matches at most (100)", "minimum": 1},
                        "case_sensitive": flag("Whether upper and lower case differ (false)"),
                        "fixed_strings": flag("Whether the pattern is a text (false)"),
                        "context": integer("Lines to show before and after each match"),
                        "after": integer("Lines to show after each match"),
                        "before": integer("Lines to show before each match"),
                        "no_ignore": flag("Search what .gitignore leaves out, too (false)"),
                    }),
                )
            },
            arg_aliases: &[("path", "dir_path"), ("include", "include_pattern")],
            limits: Some(defaults::GREP),
            snippet: "Look for text in files",
            ..BuiltinTool::of(&Grep { path: "dir_path", files: "include_pattern", form: Matches::Blocks })
        },
        BuiltinTool {
            name: "glob",
            description: "Find files whose paths match a glob pattern such as `src/**/*.ts`. Gives absolute \
                 paths: what changed in the last 24 hours first, the newest at the top, then the rest by name.",
            parameters: || {
                object(
                    &["pattern"],
                    json!({
                        "pattern": text("The glob pattern, relative to dir_path"),
                        "dir_path": text("The folder (the working folder)"),
                        "case_sensitive": flag("Whether upper and lower case differ (false)"),
                        "respect_git_ignore": flag("What .gitignore leaves out is left out (true)"),
                        "respect_gemini_ignore": flag("What .geminiignore leaves out is left out (true)"),
                    }),
                )
            },
            arg_aliases: &[("path", "dir_path")],
            limits: Some(defaults::GLOB),
            snippet: "Find files by name",
            ..BuiltinTool::of(&Find {
                path: "dir_path",
                matching: Matching::FromFolder,
                folders: false,
                ignore_rules: IgnoreRules::ByArgument,
                order: Order::RecentFirst,
                limit: None,
                bytes_max: None,
                paths: Paths::Absolute,
                headline: true,
            })
        },
        BuiltinTool {
            name: "list_directory",
            description: "List what is in a folder, folders first. Names that match ignore patterns are left out.",
            parameters: || {
                object(
                    &["dir_path"],
                    json!({
                        "dir_path": text("The folder"),
                        "ignore": texts("Glob patterns of names to leave out"),
                        "file_filtering_options": {
                            "type": "object",
                            "description": "Which ignore files count",
                            "properties": {"respect_git_ignore": flag("What .gitignore leaves out is left out (true)"), "respect_gemini_ignore": flag("What .geminiignore leaves out is left out (true)")},
                        },
                    }),
                )
            },
            arg_aliases: &[("path", "dir_path")],
            limits: Some(defaults::GLOB),
            snippet: "List folders",
            ..BuiltinTool::of(&List { path: "dir_path", required: true, form: Entries::Marked })
        },
        BuiltinTool {
            name: "run_shell_command",
            description: "Run a command by `bash -c`. Gives its output, its exit code unless that is 0, and the \
                 processes that it left in the background. It is stopped after timeout_ms, and when it prints \
                 nothing for five minutes. With is_background nobody waits for it: let it write to a file what \
                 is to be read later.",
            parameters: || {
                object(
                    &["command"],
                    json!({
                        "command": text("The command"),
                        "description": text("What it does, for the user"),
                        "dir_path": text("Folder to run it in; the workspace when left out"),
                        "is_background": flag("Whether not to wait for its end"),
                        "delay_ms": integer("With is_background: milliseconds to listen to it before that"),
                        "timeout_ms": integer("Milliseconds after which it is stopped: 10000 when left out, at most 600000"),
                    }),
                )
            },
            limits: Some(COMMAND_LIMITS),
            snippet: "Run shell commands",
            ..BuiltinTool::of(&Shell {
                command: "command",
                folder: Some("dir_path"),
                timeout: Timeout::Millis("timeout_ms"),
                background: Background::Flag("is_background"),
                keeps_folder: false,
                wait_mode: WaitMode::Observed,
            })
        },
        BuiltinTool {
            name: "write_todos",
            description: "Keep the list of steps of a longer piece of work; each call replaces the whole list. \
                 At most one step is in progress.",
            parameters: || {
                object(
                    &["todos"],
                    json!({
                        "todos": {
                            "type": "array",
                            "items": object(&["description", "status"], json!({
                                "description": text("One step, in a few words"),
                                "status": one_of(&["pending", "in_progress", "completed", "cancelled", "blocked"], "How far it is"),
                            })),
                        },
                    }),
                )
            },
            snippet: "Keep a list of what is to be done",
            ..BuiltinTool::of(&Plan { list: "todos", step: "description" })
        },
        BuiltinTool {
            name: "ask_user",
            description: "Ask the user one to four questions and wait for the answers. Only for what you cannot \
                 find out yourself and what changes what you do.",
            parameters: || {
                object(
                    &["questions"],
                    json!({
                        "questions": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 4,
                            "items": object(&["question", "header", "type"], json!({
                                "question": text("The question"),
                                "header": text("Heading of at most 16 characters"),
                                "type": one_of(&["choice", "text", "yesno"], "What answers it"),
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
                                "placeholder": text("Shown where nothing is typed yet"),
                            })),
                        },
                    }),
                )
            },
            snippet: "Ask the user",
            ..BuiltinTool::of(&AskUser { form: QuestionForm::Several { ids: false } })
        },
        agents::SPAWN_AGENT,
        agents::SEND_INPUT,
        agents::WAIT,
        agents::CLOSE_AGENT,
        language_servers::LSP,
    ],
};
