//! The arguments.

use std::path::PathBuf;

use lexopt::prelude::*;
use tokenweir::{LimitSyntaxError, Limits};

pub(crate) const HELP: &str = "\
Replays a web server's log against limits.

Usage: replay FILE --limit LIMITS [--key KEY]

  FILE             a log in Common or Combined Log Format, or - for standard input
  --limit LIMITS   such as \"10/min\", \"100/hour; 5/10s\" or \"cycle 10/60s\"; where there are
                   several, all must have a token, and none pays when one refuses
  --key KEY        what has limits of its own: client (the default), path, status, or all
                   for one set of limits over all requests
  -h, --help       this text
";

pub(crate) enum Wanted {
    Help,
    Replay(Arguments),
}

pub(crate) struct Arguments {
    pub(crate) file: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) key: Key,
}

/// What has limits of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Client,
    Path,
    Status,
    All,
}

impl Key {
    const NAMES: [(&'static str, Self); 4] = [
        ("client", Self::Client),
        ("path", Self::Path),
        ("status", Self::Status),
        ("all", Self::All),
    ];

    pub(crate) fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, key)| *key == self);
        named.map_or("", |(name, _)| name)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let named = Self::NAMES.iter().find(|(name, _)| *name == text);
        named
            .map(|(_, key)| *key)
            .ok_or_else(|| format!("--key is client, path, status or all, not {text:?}"))
    }
}

pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Wanted, String> {
    let (mut file, mut limits, mut key) = (None, None, Key::Client);
    while let Some(argument) = parser.next().map_err(usage)? {
        match argument {
            Short('h') | Long("help") => return Ok(Wanted::Help),
            Long("limit") => limits = Some(parse_limits(&text(&mut parser)?)?),
            Long("key") => key = Key::parse(&text(&mut parser)?)?,
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(usage(other.unexpected())),
        }
    }
    Ok(Wanted::Replay(Arguments {
        file: file.ok_or_else(|| usage("a log file is needed"))?,
        limits: limits.ok_or_else(|| usage("--limit is needed"))?,
        key,
    }))
}

fn text(parser: &mut lexopt::Parser) -> Result<String, String> {
    parser
        .value()
        .and_then(|value| value.string())
        .map_err(usage)
}

fn parse_limits(text: &str) -> Result<Limits, String> {
    Limits::parse(text).map_err(|error| located(text, &error))
}

/// The error with the text and a mark below the place.
fn located(text: &str, error: &LimitSyntaxError) -> String {
    let mark = " ".repeat(error.column - 1);
    // The mark keeps its place also where the text has a line break or a tab.
    let text = text.replace(char::is_control, " ");
    format!("--limit, {error}\n  {text}\n  {mark}^")
}

fn usage(problem: impl std::fmt::Display) -> String {
    format!("{problem}; see --help")
}
