//! Extracts the commands from a text, with the grammar of bash. Texts in words, as after `sh -c`, are not
//! parsed here.

use tree_sitter::{Node, Parser};

use super::script::{BACKGROUND, FUNCTION, Script, SimpleCommand, UNKNOWN_FILE, VARIABLE, Word};
use super::{heredoc, tokens};

/// Maximum bytes of a text that is parsed.
pub(super) const BYTES_MAX: usize = 10_000;
/// Deeper nesting is not read.
pub(super) const DEPTH_MAX: usize = 60;

const UNREAD: &str = "a command line that cannot be read";
const UNLIKE: &str = "a text that shells read differently";

/// Types of nodes that are words.
const WORDS: [&str; 15] = [
    "word",
    "string",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "number",
    "expansion",
    "simple_expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
    "brace_expression",
    "concatenation",
    "extglob_pattern",
    "regex",
];

/// Nodes that only contain commands.
const HOLDERS: [&str; 17] = [
    "program",
    "list",
    "pipeline",
    "subshell",
    "compound_statement",
    "do_group",
    "if_statement",
    "elif_clause",
    "else_clause",
    "while_statement",
    "for_statement",
    "case_statement",
    "case_item",
    "negated_command",
    "redirected_statement",
    "command_substitution",
    "process_substitution",
];

/// Nodes in which a line feed would end the command.
const ONE_LINE: [&str; 8] = [
    "command",
    "variable_assignment",
    "variable_assignments",
    "file_redirect",
    "herestring_redirect",
    "declaration_command",
    "unset_command",
    "test_command",
];

/// Returns all commands in a text. Never fails: unparsable text is unresolved.
pub(in crate::tools::command) fn read(text: &str) -> Script {
    let mut script = Script::default();
    let strange =
        |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || (c.is_whitespace() && !c.is_ascii());
    // A line continued within a word joins tokens that the grammar separates.
    let joins = text.match_indices("\\\n").any(|(at, _)| !text[..at].ends_with([' ', '\t']));
    if text.len() > BYTES_MAX || text.contains(strange) || joins {
        script.mark_unresolved(UNREAD);
        return script;
    }
    let mut parser = Parser::new();
    let tree = match parser.set_language(&tree_sitter_bash::LANGUAGE.into()) {
        Ok(()) => parser.parse(text, None),
        Err(_) => None,
    };
    let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else {
        script.mark_unresolved(UNREAD);
        return script;
    };
    if let Some(reason) = tokens::find_problem(text, tree.root_node()) {
        script.mark_unresolved(reason);
        return script;
    }
    let mut reader = Reader { text, script, depth: 0 };
    reader.visit(tree.root_node());
    reader.script
}

struct Reader<'t> {
    text: &'t str,
    script: Script,
    depth: usize,
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

impl<'t> Reader<'t> {
    fn source(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// Handles a node that is not a word of a command.
    fn visit(&mut self, node: Node<'_>) {
        if self.depth >= DEPTH_MAX {
            return self.script.mark_unresolved("a command line nested too deeply");
        }
        self.depth += 1;
        self.neighbors(node);
        if node.kind().ends_with("_redirect") && names_variable(&self.text[..node.start_byte()]) {
            self.script.mark_unresolved(VARIABLE);
        }
        match node.kind() {
            "comment" => {}
            "command" => self.command(node),
            "declaration_command" | "unset_command" => self.built_in(node),
            "test_command" => self.test(node),
            "variable_assignment" => {
                let name = self.assignment(node);
                self.script.commands.push(SimpleCommand { sets: vec![name], words: Vec::new() });
            }
            "variable_assignments" => children(node).into_iter().for_each(|child| self.visit(child)),
            "file_redirect" => self.redirection(node),
            "herestring_redirect" => self.inner(node),
            "heredoc_redirect" => self.here_document(node),
            "function_definition" => {
                // Its name may be that of a program, and it may call itself endlessly.
                self.script.mark_unresolved(FUNCTION);
                children(node)
                    .into_iter()
                    .filter(|child| child.is_named() && child.kind() != "word")
                    .for_each(|child| self.visit(child));
            }
            kind if HOLDERS.contains(&kind) => self.inner(node),
            _ => self.script.mark_unresolved(UNLIKE),
        }
        self.depth -= 1;
    }

    /// Checks adjacent words, which are one word for a shell, and line feeds, which end a command.
    fn neighbors(&mut self, node: Node<'_>) {
        let is_one_line = ONE_LINE.contains(&node.kind());
        let glued = |child: Node<'_>| {
            WORDS.contains(&child.kind()) || matches!(child.kind(), "command_name" | "variable_assignment")
        };
        for pair in children(node).windows(2) {
            let gap = &self.text[pair[0].end_byte()..pair[1].start_byte()];
            let touch = gap.is_empty() && glued(pair[0]) && glued(pair[1]);
            if touch || (is_one_line && gap.replace("\\\n", "").contains('\n')) {
                self.script.mark_unresolved(UNLIKE);
            }
        }
    }

    /// Handles the words and commands in a node.
    fn inner(&mut self, node: Node<'_>) {
        for child in children(node) {
            match child.kind() {
                "&" => self.script.mark_unresolved(BACKGROUND),
                "((" => self.script.mark_unresolved("arithmetic that can run commands"),
                "variable_name" => {
                    let sets = vec![self.source(child).to_string()];
                    self.script.commands.push(SimpleCommand { sets, words: Vec::new() });
                }
                kind if WORDS.contains(&kind) => {
                    self.word(child);
                }
                _ if child.is_named() => self.visit(child),
                _ => {}
            }
        }
    }

    fn command(&mut self, node: Node<'_>) {
        let mut part = SimpleCommand::default();
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => {
                    self.neighbors(child);
                    part.sets.push(self.assignment(child));
                }
                "command_name" => part.words.extend(children(child).into_iter().map(|name| self.word(name))),
                kind if WORDS.contains(&kind) => part.words.push(self.word(child)),
                "$" => part.words.push(Word::plain("$")),
                "file_redirect" | "herestring_redirect" => self.visit(child),
                _ => self.script.mark_unresolved(UNLIKE),
            }
        }
        self.script.commands.push(part);
    }

    /// Handles `export`, `unset` and similar, which the grammar knows by name.
    fn built_in(&mut self, node: Node<'_>) {
        let mut part = SimpleCommand::default();
        for (n, child) in children(node).into_iter().enumerate() {
            match child.kind() {
                "variable_assignment" => {
                    self.assignment(child);
                    part.words.push(Word::dynamic(self.source(child)));
                }
                kind if WORDS.contains(&kind) => part.words.push(self.word(child)),
                _ if n == 0 => part.words.push(Word::plain(self.source(child))),
                _ => part.words.push(Word::dynamic(self.source(child))),
            }
        }
        self.script.commands.push(part);
    }

    /// Handles `[ … ]` and `[[ … ]]`: only forms that the grammar and a shell parse alike.
    fn test(&mut self, node: Node<'_>) {
        let is_wide = self.source(node).starts_with("[[");
        let mut part =
            SimpleCommand { sets: Vec::new(), words: vec![Word::plain(if is_wide { "[[" } else { "[" })] };
        let mut open: Vec<Node<'_>> = children(node).into_iter().rev().collect();
        while let Some(at) = open.pop() {
            let kind = at.kind();
            let counts = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];
            if WORDS.contains(&kind) {
                part.words.push(self.word(at));
            } else if at.child_count() > 0 {
                self.neighbors(at);
                open.extend(children(at).into_iter().rev());
            } else {
                let token = self.source(at);
                // Numbers in `[[` are arithmetic, in which an index can be a substitution.
                let runs = if is_wide {
                    counts.contains(&token)
                } else {
                    token == "-v" || token.contains(['&', '|', '<', '>', ';', '(', ')'])
                };
                if runs {
                    self.script.mark_unresolved(UNLIKE);
                }
                if !matches!(token, "[" | "[[") {
                    part.words.push(Word::plain(token));
                }
            }
        }
        if self.source(node).contains('\n') {
            self.script.mark_unresolved(UNLIKE);
        }
        self.script.commands.push(part);
    }

    /// Returns the name of the variable; handles commands in its value.
    fn assignment(&mut self, node: Node<'_>) -> String {
        let mut name = String::new();
        for child in children(node) {
            match child.kind() {
                "variable_name" if name.is_empty() => name = self.source(child).to_string(),
                "=" | "+=" => {}
                kind if WORDS.contains(&kind) => {
                    self.word(child);
                }
                _ => self.script.mark_unresolved("a variable that holds more than a text"),
            }
        }
        name
    }

    fn redirection(&mut self, node: Node<'_>) {
        let mut operator = "";
        let mut files = Vec::new();
        for child in children(node) {
            match child.kind() {
                "file_descriptor" => {}
                kind if WORDS.contains(&kind) => files.push(self.word(child)),
                kind => operator = kind,
            }
        }
        let file = match <[Word; 1]>::try_from(files) {
            Ok([file]) => file,
            Err(files) if files.is_empty() => return,
            // After the file name, these are words of the command.
            Err(_) => return self.script.mark_unresolved("words behind a redirection"),
        };
        let is_handle = file.is_exact && (file.text == "-" || file.text.chars().all(|c| c.is_ascii_digit()));
        let is_harmless = file.is_exact && ["/dev/null", "/dev/stdout", "/dev/stderr"].contains(&&*file.text);
        if operator == "<" {
            let bare = file.text.replace(['"', '\'', '\\'], "");
            let net = ["/dev/tcp", "/dev/udp"].iter().any(|place| bare.starts_with(place));
            if net || (!file.is_exact && file.is_dynamic) {
                self.script.mark_unresolved(UNKNOWN_FILE);
            }
            self.script.reads.push(file);
        } else if !(is_harmless || (is_handle && matches!(operator, ">&" | "<&"))) {
            self.script.writes.push(file);
        }
    }

    fn here_document(&mut self, node: Node<'_>) {
        if let Some(reason) = heredoc::find_problem(self.text, node) {
            self.script.mark_unresolved(reason);
        }
        for child in children(node) {
            match child.kind() {
                "heredoc_body" => self.substitutions(child),
                "heredoc_start" | "heredoc_end" | "file_descriptor" => {}
                kind if WORDS.contains(&kind) => self.script.mark_unresolved("words behind a here-document"),
                _ if child.is_named() => self.visit(child),
                _ => {}
            }
        }
    }

    /// Substitutions in a text.
    fn substitutions(&mut self, node: Node<'_>) {
        for child in children(node) {
            if WORDS.contains(&child.kind()) {
                self.word(child);
            }
        }
    }

    fn word(&mut self, node: Node<'_>) -> Word {
        let mut word = Word::plain("");
        let raw = self.source(node);
        if raw == "[" {
            return Word::plain(raw);
        }
        self.append_text(node, &mut word);
        if raw.contains('{') && (raw.contains(',') || raw.contains("..")) && self.braces(node) {
            return Word::dynamic(raw);
        }
        if !word.is_exact {
            word.text = raw.to_string();
        }
        word
    }

    /// Whether there are unquoted braces, which the shell may expand to several words.
    fn braces(&self, node: Node<'_>) -> bool {
        match node.kind() {
            "word" => tokens::unescaped(self.source(node)).contains(['{', '}']),
            "concatenation" => children(node).into_iter().any(|child| self.braces(child)),
            _ => false,
        }
    }

    fn append_text(&mut self, node: Node<'_>, word: &mut Word) {
        let raw = self.source(node);
        match node.kind() {
            "word" | "number" | "extglob_pattern" | "regex" if node.child_count() == 0 => bare(raw, word),
            "raw_string" => word.text.push_str(&raw[1..raw.len() - 1]),
            "ansi_c_string" => word.text.push_str(&raw[2..raw.len() - 1]),
            // Without a translation it is the literal text.
            "translated_string" => {
                (word.is_dynamic, word.is_exact) = (true, false);
                self.string_substitutions(node);
            }
            "string" => {
                if self.string_substitutions(node) {
                    (word.is_dynamic, word.is_exact) = (true, false);
                } else {
                    quoted(&raw[1..raw.len() - 1], &mut word.text);
                }
            }
            "concatenation" => {
                let parts = children(node);
                let touch = parts.windows(2).all(|pair| pair[0].end_byte() == pair[1].start_byte());
                if !touch || self.depth >= DEPTH_MAX {
                    return self.script.mark_unresolved(UNLIKE);
                }
                self.depth += 1;
                for part in parts {
                    self.append_text(part, word);
                }
                self.depth -= 1;
            }
            "$" => word.text.push('$'),
            "command_substitution" | "process_substitution" => {
                (word.is_dynamic, word.is_exact) = (true, false);
                let is_old = raw.starts_with('`') || raw.starts_with("$`");
                if is_old && raw.contains('\\') {
                    self.script.mark_unresolved(UNLIKE);
                }
                self.visit(node);
            }
            "simple_expansion" | "brace_expression" => (word.is_dynamic, word.is_exact) = (true, false),
            "expansion" => {
                (word.is_dynamic, word.is_exact) = (true, false);
                let name = &raw[2..raw.len() - 1];
                let name = name.strip_prefix('#').unwrap_or(name);
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.script.mark_unresolved("an expansion that can run commands");
                }
            }
            "arithmetic_expansion" => {
                (word.is_dynamic, word.is_exact) = (true, false);
                if raw.chars().any(|c| !(c.is_ascii_digit() || " $()+-*/%".contains(c))) {
                    self.script.mark_unresolved("arithmetic that can run commands");
                }
            }
            _ => self.script.mark_unresolved(UNLIKE),
        }
    }

    /// Handles substitutions in a quoted text; returns whether there are any.
    fn string_substitutions(&mut self, node: Node<'_>) -> bool {
        let mut found = false;
        for child in children(node) {
            match child.kind() {
                "\"" | "string_content" | "$" => {}
                "string" => found |= self.string_substitutions(child),
                kind if WORDS.contains(&kind) => {
                    found = true;
                    self.word(child);
                }
                _ => self.script.mark_unresolved(UNLIKE),
            }
        }
        found
    }
}

/// Whether the text before a redirection is `{name}`: then the variable is set, even `PATH`.
fn names_variable(before: &str) -> bool {
    let name = before.strip_suffix('}').and_then(|before| before.rsplit_once('{'));
    name.is_some_and(|(before, _)| !before.ends_with('$'))
}

/// Adds unquoted text. A pattern expands to file names: without a prefix to any word, after `-` to any
/// option.
fn bare(raw: &str, word: &mut Word) {
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => word.text.extend(chars.next()),
            c => {
                let is_pattern = matches!(c, '*' | '?' | '[');
                word.is_dynamic |= is_pattern && (word.text.is_empty() || word.text.starts_with('-'));
                let is_home = c == '~' && word.text.is_empty();
                word.is_exact &= !is_pattern && !is_home;
                word.text.push(c);
            }
        }
    }
}

/// Text between double quotes.
fn quoted(raw: &str, text: &mut String) {
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                Some('\n') | None => {}
                Some(c) => text.extend(['\\', c]),
            },
            c => text.push(c),
        }
    }
}
