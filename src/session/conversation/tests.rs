//! A session and its file.
