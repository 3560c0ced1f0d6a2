//! Arguments to `cli::run`, its result to an exit code.

fn main() {
    std::process::exit(bowline::cli::run::run());
}
