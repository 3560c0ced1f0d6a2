//! Data model of editing: open files ([`buffers`]), windows, jumps, search results, file tree, views.
//!
//! Imports `text`, `syntax` and `base`. Must not know commands, tasks, features or how anything is drawn.

pub mod age;
pub mod agent;
pub mod buffers;
pub mod completion;
pub mod diagnostic_counts;
pub mod diagnostics;
pub mod draft;
pub mod file_labels;
pub mod file_list;
pub mod file_tree;
pub mod find_state;
pub mod image_labels;
pub mod jumps;
pub mod line_notes;
pub mod listeners;
pub mod occurrences;
pub mod pane_sizes;
pub mod pastes;
pub mod prompt;
pub mod results;
pub mod saved_windows;
pub mod server_view;
pub mod text_area;
pub mod view;
pub mod window_id;
pub mod windows;
