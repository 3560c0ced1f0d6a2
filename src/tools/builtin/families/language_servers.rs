//! Tool row for language servers, shared by all families.
//!
//! Must not know how servers are asked.

use crate::base::json::json;
use crate::tools::builtin::actions::language_servers::ask::{ACTIONS, AskServers};
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::schema::{flag, integer, object, one_of, text};

/// Asks language servers.
pub const LSP: BuiltinTool = BuiltinTool {
    name: "lsp",
    description: "Ask the language servers of a file: what is wrong in it (diagnostics), where a name is defined or \
         used, its type and documentation (hover), what calls it \
         (calls), and the symbols of a file, or of the project that match query. They know what names mean, which a text search does not: prefer \
         them for following and renaming symbols. rename changes a symbol in all files, rename_file moves a file and \
         updates what refers to it; both change the files unless apply is false. code_actions lists quick fixes and \
         refactorings; with apply=true and query, a number or title, it applies one. status lists the servers, reload \
         starts them again, request sends any request of the protocol.",
    parameters: || {
        object(
            &["action"],
            json!({
                "action": one_of(&ACTIONS, "What to do"),
                "file": text("The file; for diagnostics also a glob"),
                "line": integer("Line of the symbol, from 1"),
                "symbol": text("The name in that line, or in the file if no line is given; name#2 is its second occurrence"),
                "query": text("For symbols a name, for calls incoming or outgoing, for code_actions number or title, for reload the server, for request the method"),
                "new_name": text("The new name, or the new path for rename_file"),
                "apply": flag("Whether to make the change: by default yes for rename and rename_file, no for code_actions"),
                "timeout": integer("Seconds to wait for servers, 5 to 300 (default 20)"),
                "payload": text("For request: its parameters as JSON (default: file and position)"),
            }),
        )
    },
    arg_aliases: &[
        ("path", "file"),
        ("file_path", "file"),
        ("filePath", "file"),
        ("newName", "new_name"),
        ("operation", "action"),
    ],
    snippet: "Ask language servers for definitions, references, diagnostics; rename symbols",
    ..BuiltinTool::of(&AskServers)
};
