//! Replacements in texts of every line ending.
