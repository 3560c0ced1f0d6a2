//! The command line: arguments in, one mode out. Layer 8: may import everything.
