//! Default settings. The table has the same values as text.

use std::collections::BTreeMap;

use super::{ServerDisplay, ServerTyping, Settings};

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: "auto".to_string(),
            keymap: "default".to_string(),
            model: None,
            provider: None,
            thinking: None,
            profile: "auto".to_string(),
            approval: None,
            budget: 0,
            retries: 5,
            retry_wait_max: 60,
            tool_rounds: 200,
            transport: "auto".to_string(),
            ca_file: None,
            keyring: false,
            tab_width: 4,
            auto_pairs: true,
            auto_completion: true,
            wrap_column: 80,
            line_numbers: true,
            relative_numbers: false,
            caret_line: true,
            match_brackets: true,
            whitespace: "off".to_string(),
            indent_guides: false,
            rulers: Vec::new(),
            max_line_length: 0,
            scroll_margin: 3,
            accessible: false,
            language_servers: true,
            diagnostics_after_edit: true,
            format_on_save: false,
            server_display: ServerDisplay::default(),
            scrollbar: true,
            soft_wrap: "prose".to_string(),
            restore: true,
            keep_undo: true,
            breadcrumbs: false,
            sticky_lines: false,
            tree_follow: false,
            rainbow_brackets: false,
            syntax_memory: 64,
            tab_line: "always".to_string(),
            notify: "auto".to_string(),
            images: "auto".to_string(),
            mouse: true,
            steering_mode: "one-at-a-time".to_string(),
            follow_up_mode: "one-at-a-time".to_string(),
            compaction: true,
            compaction_reserve_tokens: 16_384,
            compaction_keep_recent_tokens: 20_000,
            compaction_models: BTreeMap::new(),
            read_before_write: "family".to_string(),
            checkpoints: true,
            tool_limits: BTreeMap::new(),
            command_timeout_ms: 0,
            command_timeout_max_ms: 0,
        }
    }
}

impl ServerDisplay {
    /// Returns the bytes of memory that a language server may use; the largest number for any.
    pub fn memory_max(&self) -> u64 {
        let megabytes = self.language_server_memory as u64;
        if megabytes > 0 { megabytes << 20 } else { u64::MAX }
    }
}

impl Default for ServerDisplay {
    fn default() -> Self {
        Self {
            language_server_memory: 0,
            inlay_hints: true,
            semantic_tokens: true,
            color_swatches: true,
            code_lens: false,
            typing: ServerTyping::default(),
        }
    }
}
