//! Replays a web server's log against limits: who would have been refused, and for how long?
//!
//! ```text
//! cargo run --release -p tokenweir --example replay --features std -- \
//!     tests/data/access.log --limit "10/min" --key client
//! ```
//!
//! Reads Common or Combined Log Format from a file, or from standard input if the file is `-`. Each
//! key has limiters of its own, which begin full at its first request. The exit status is 2 if there
//! is nothing to replay or the arguments are wrong.

mod args;
mod log;
mod replay;
mod report;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use args::{Arguments, Wanted};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("replay: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let arguments = match args::parse(lexopt::Parser::from_env())? {
        Wanted::Replay(arguments) => arguments,
        Wanted::Help => return printed(|out| out.write_all(args::HELP.as_bytes())),
    };
    let Arguments { file, limits, key } = &arguments;
    let log = log::read(file, *key)?;
    let outcome = replay::replay(&log.requests, limits);
    printed(|out| report::write(out, &arguments, &log, &outcome))
}

/// Writes to standard output; that nobody reads on, as in `replay … | head -1`, is no error.
fn printed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write the report: {error}"))
        }
        _ => Ok(()),
    }
}
