//! The integration tests, one binary. One line of purpose each:

#![allow(unreachable_pub, reason = "a test binary has no outside")]
#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

/// Fifteen tasks and a smoke test for each family of models with tools of its own.
mod agent_parity;
/// What a host sees of the loop: agents of an agent, limits, failures, the end.
mod agents;
mod agents_at_work;
/// The Anthropic adapter over a real socket.
mod anthropic;
/// The codex binary judges patches.
mod apply_patch;
/// Which module may import which, and where the outside world may be touched.
mod architecture;
/// Where providers are asked.
mod base_urls;
/// The adapter of Amazon Bedrock over a real socket.
mod bedrock;
/// Where the keys of Amazon's cloud come from.
mod bedrock_keys;
/// The benchmarks still run.
mod benches;
/// Every command on marked texts.
mod cancelling;
/// Random trees and many jumps.
mod checkpoint_trees;
/// States of a workspace on real disks.
mod checkpoints;
mod cli_commands;
mod cli_theme;
mod commands;
/// Conversations that become too long.
mod compaction;
/// Summaries that fail and are asked for again.
mod compaction_retries;
/// The same as others see it.
mod compaction_seen;
/// Every dialect runs the same cases.
mod conformance;
/// Every dialect goes on with every other's conversation.
mod conformance_history;
/// What the next request holds, and how a user changes it.
mod contexts;
/// What `bowline doctor` reports of homes that are broken.
mod doctor;
/// The text of PDF documents.
mod documents;
/// GNU Emacs judges the kill ring.
mod emacs;
/// What a host does with the library.
mod embedding;
/// A place is ready before its session and given back behind it.
mod embedding_environments;
/// Who watches a session sees all of it, and of the next one.
mod embedding_watchers;
/// Every place passes one suite.
mod environment;
/// The page of a session in a real browser.
mod export_page;
/// What hosts may build on is written down.
mod face;
/// Names that are no UTF-8, control characters in arguments, terminals that cannot draw.
mod file_names_not_utf8;
mod folders;
/// Tools that take free text, as functions.
mod free_text;
/// Damaged bytes for everything that reads them.
mod fuzz;
/// Damaged lines of programs that drive this one.
mod fuzz_rpc;
/// Damaged sessions and questions about them.
mod fuzz_sessions;
mod fuzz_tools;
/// The adapter of Google's Generative Language API over a real socket.
mod google;
/// The adapter of Vertex AI over a real socket, and its credentials.
mod google_vertex;
/// Language servers in print mode and over RPC.
mod headless_servers;
/// Logins and lists of models at the screen.
mod ide_access;
/// The screens for screen readers.
mod ide_accessible;
/// A user and the agent at one desk.
mod ide_agent;
/// Errors after edits of the agent.
mod ide_agent_errors;
/// Moves by the agent next to jobs of the user on files.
mod ide_agent_moves;
/// The tool for language servers in the editor: the agent asks the servers of the user about the same unsaved text.
mod ide_agent_servers;
mod ide_agent_settings;
/// Whatever is pressed, nothing breaks.
mod ide_anything;
/// The same while the agent works.
mod ide_anything_agent;
/// The question whether a call may run.
mod ide_approval;
/// Files and settings that are not as they should be.
mod ide_bad_input;
/// Cards of tool calls in the conversation.
mod ide_cards;
/// Names, brackets, outline and motions by the syntax tree.
mod ide_code;
/// Lines, words, pairs and numbers by commands.
mod ide_commands;
mod ide_completion;
/// What the next request holds, on the screen.
mod ide_context;
/// A user works with many cursors.
mod ide_cursors;
/// Two texts side by side.
mod ide_diff;
/// Unsent messages outlive the program.
mod ide_drafts;
/// A user edits files.
mod ide_editing;
/// Completions at the editor's caret, and signatures.
mod ide_editor_completion;
/// Encodings are kept and can be chosen.
mod ide_encodings;
/// A second Escape in each key map.
mod ide_escape;
/// The file tree: the shown file in it, letters of git, the filter.
mod ide_file_tree;
/// Files made, moved and deleted from the tree.
mod ide_files;
/// What differs from git's text.
mod ide_git;
/// Edits of much text, beside the loop.
mod ide_heavy;
/// The Helix key map.
mod ide_helix;
/// The pages of the documentation within the program.
mod ide_help;
/// Registers, marks, jumps.
mod ide_history_search;
/// Files that ignore rules exclude.
mod ide_ignored_files;
mod ide_image_files;
mod ide_images;
/// Background commands of the agent, watched in the terminal pane.
mod ide_jobs;
/// Keys of commands, changed and looked up.
mod ide_key_editor;
/// Language servers in the editor.
mod ide_language_servers;
mod ide_large;
mod ide_locations;
mod ide_long;
/// The mouse in a text.
mod ide_mouse;
/// The agent's title row, zoom, and borders that can be moved.
mod ide_panes;
/// Long pastes into the prompt.
mod ide_pastes;
/// The screen of what the session may do.
mod ide_permissions;
/// Keys in pickers, and rows marked together.
mod ide_pickers;
/// Plugins of the editor, and whether those of a project may run.
mod ide_plugins;
/// Pickers: files beside their lists, letters that match.
mod ide_previews;
/// What can be typed into the prompt beside messages.
mod ide_prompt;
/// The agent asks the user.
mod ide_questions;
/// Messages that wait for the agent: edited, reordered, deleted.
mod ide_queue;
/// Files that were shown before.
mod ide_recent_files;
/// Unsaved text outlives the program.
mod ide_recovery;
/// What was open comes back.
mod ide_restore;
/// Files as the session knew them, brought back.
mod ide_restore_view;
/// Failed model calls that are retried.
mod ide_retries;
/// What the agent changed, hunk by hunk.
mod ide_review;
/// Rows that are not lines.
mod ide_rows;
/// EditorConfig.
mod ide_rules;
/// Typing, saving, renaming and reading again at the same time.
mod ide_saving;
/// What the screen looks like.
mod ide_screens;
/// A user looks for text and replaces it.
mod ide_search;
/// The mouse in the conversation.
mod ide_selection;
/// What language servers show in and beside texts: hints, colors, lenses, links, folds.
mod ide_server_annotations;
/// Diagnostics in the file tree, in the status line, in their list, and below their line.
mod ide_server_diagnostics;
/// Edits that language servers make: rename, code actions, formatting.
mod ide_server_edits;
/// What language servers hear of files: created, moved, deleted, saved, changed on the disk.
mod ide_server_files;
/// Formatters, code actions on save, formatting on type and linked names.
mod ide_server_saving;
/// Screens of language servers, wide and narrow.
mod ide_server_screens;
/// Symbols, uses of names and hierarchies from language servers.
mod ide_server_symbols;
/// What language servers want of the window, and what they use.
mod ide_server_window;
/// Other sessions in the session tree.
mod ide_session_forest;
/// The session tree as a pane beside the text.
mod ide_session_pane;
/// The tree of a session and the list of all sessions.
mod ide_sessions;
/// The settings screen and the files behind it.
mod ide_settings;
/// Text through commands of the shell.
mod ide_shell;
/// Snippets and their stops.
mod ide_snippets;
/// What is shown first, and its keys.
mod ide_start;
/// The segments of the status line.
mod ide_status;
/// The size of the window, and a clock that is set.
mod ide_surroundings;
/// Code has colors.
mod ide_syntax;
/// Shells in the terminal pane.
mod ide_task_panics;
mod ide_terminal;
/// Themes: the picker, the setting, the terminal's background.
mod ide_themes;
/// Messages above the status line, and their log.
mod ide_toasts;
/// A user and the agent in the same files.
mod ide_together;
/// All files at once.
mod ide_transcript;
/// Ten steps for those who are new here.
mod ide_tutor;
/// Undo beyond one step.
mod ide_undo;
/// The undo tree of a saved file outlives the program.
mod ide_undo_store;
/// What the editor shows beside the text.
mod ide_view;
/// The Vim key map.
mod ide_vim;
/// Files that somebody else changes.
mod ide_watching;
/// Several views of texts.
mod ide_windows;
mod ide_workspace;
/// JSON mode and what is piped into it.
mod json_lines;
/// Keys of other programs.
mod keymaps;
/// Logins and the renewal of tokens.
mod logins;
/// Every cell of the matrix of the LLM layer names a test that exists.
mod long_outputs;
/// The table of methods of the language server protocol and the code agree.
mod lsp_methods;
/// The built-in table of language servers.
mod lsp_table;
mod matrix;
/// Documents and sounds over every wire.
mod media;
/// The Mistral adapter over a real socket.
mod mistral;
/// Adapters against somebody else's mock of the servers.
mod mockllm;
/// Every scenario of that mock, for the library and for the program.
mod mockllm_scenarios;
/// The adapters of the Responses wire over a real socket.
mod network_targets;
/// The Chat Completions adapter over a real socket.
mod openai;
/// Every dialect does what the others do, seen from the library's highest layer.
mod parity;
/// What rules say about calls of every family's tools.
mod permission_links;
mod permission_paths;
mod permissions;
mod pi_sessions;
/// The pictures of the README.
mod pictures;
/// `bowline -p` as a process.
mod previews;
mod print;
/// How `bowline -p` and `--mode json` end at limits and where nothing can be written.
mod print_ends;
/// What `bowline -p` asks again.
mod print_retries;
mod profiles;
/// The program's file, as the system loads it.
mod program_file;
/// What a screen reader gets from the stream of the terminal.
mod pty_accessible;
/// Where copied text goes.
mod pty_clipboard;
/// The colors that the terminal gets.
mod pty_colors;
/// `bowline doctor` leaves the terminal as it was.
mod pty_doctor;
/// The prompt in the user's own editor.
mod pty_editor;
mod pty_flows;
/// Five tasks of a new user.
mod pty_new_user;
/// A panic of the loop in a real terminal.
mod pty_panic;
/// Unsaved text after a kill.
mod pty_recovery;
/// A terminal that takes no output.
mod pty_stalled;
/// The user's stories on the built binary.
mod pty_stories;
/// A real shell in the terminal pane of the built binary.
mod pty_terminal;
/// Kills, signals, hang-ups and servers that fail, on the built binary.
mod pty_trouble;
/// Whatever a path leads to, tools that show files answer.
mod read_only_oracle;
mod reading;
/// Lists of models, asked for and kept.
mod refresh;

mod responses;
/// Sessions that know how the files were.
mod restore_files;
/// RPC mode, driven by pi's own client.
mod rpc;
/// A host that serves its own session, driven by pi's own client.
mod rpc_host;
/// Lines as programs in other languages write them.
mod rpc_lines;
/// What both modes of lines say of a run.
mod rpc_rendered;
/// A hundred thousand commands.
mod rpc_soak;
/// Pipes that close, readers that stop, and others who would write there.
mod rpc_streams;
/// What is asked before commands run.
mod running;
mod session_crashes;
mod session_model;
/// Files brought back from the command line.
mod sessions_restore;
mod sockets;

/// Ways back past what the user changed, past failures and past agents at work.
mod restore_without_a_user;
mod secrets_withheld;
/// The editor with the language servers of `tests/servers`.
mod server_stories;
/// The texts of language servers: as ours after any edits, and whole whenever a server goes wrong.
mod server_texts;
/// Reads our own source for the law tests.
mod source;
/// What several tests need: a program in a pseudo terminal.
mod support;
/// What code looks like in every language.
mod syntax_scopes;
/// Rows and files agree.
mod tables;
/// Module docs, lengths, names, leftover notes.
mod tidy;
/// One tool, run once by hand.
mod tool;
/// The tool for language servers without a screen: `bowline tool lsp` as a process.
mod tool_language_servers;
/// The file and search tools of every family.
mod tools;
/// Files that somebody else changes while a model works on them.
mod tools_stale;
/// The terminal is given back on every way out.
mod tui_term;
/// The official data of Unicode.
mod unicode;
/// The Vim key map against Neovim.
mod vim;
/// Faults of the Vim key map that were mended.
mod vim_faults;
/// Neovim judges random scripts for the Vim key map.
mod vim_random;
mod vim_tabs;
/// Answers that come in one piece.
mod whole_answers;
/// The words that the field uses.
mod words;
