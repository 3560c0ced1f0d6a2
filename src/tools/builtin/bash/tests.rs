//! The tool against real files.
