//! Reading a log in Common or Combined Log Format.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use jiff::Timestamp;

use crate::args::Key;

/// A log, in the order of its instants.
pub(crate) struct Log {
    /// What standard error and the report call it.
    pub(crate) name: String,
    pub(crate) requests: Vec<Request>,
    pub(crate) bad: Vec<BadLine>,
}

/// A line of the log.
pub(crate) struct Request {
    /// Nanoseconds since the Unix epoch.
    pub(crate) at: u64,
    pub(crate) key: Box<str>,
}

/// A line that is no request.
pub(crate) struct BadLine {
    /// The first is line 1.
    pub(crate) number: usize,
    pub(crate) problem: &'static str,
}

/// Reads the file, or standard input for `-`.
pub(crate) fn read(path: &Path, key: Key) -> Result<Log, String> {
    let stdin = path.as_os_str() == "-";
    let name = match stdin {
        true => "standard input".into(),
        false => path.display().to_string(),
    };
    let read = |reader: &mut dyn BufRead| lines(reader, key);
    let read = match stdin {
        true => read(&mut io::stdin().lock()),
        false => File::open(path).and_then(|file| read(&mut BufReader::new(file))),
    };
    let (mut requests, bad) = read.map_err(|error| format!("cannot read {name}: {error}"))?;
    if requests.is_empty() {
        return Err(match bad.first() {
            None => format!("{name} is empty"),
            Some(BadLine { number, problem }) => format!(
                "{name} has no request in Common or Combined Log Format; line {number}: {problem}"
            ),
        });
    }
    // Servers write a request when it ends, with the time at which it began.
    requests.sort_by_key(|request| request.at);
    Ok(Log {
        name,
        requests,
        bad,
    })
}

fn lines(reader: &mut dyn BufRead, key: Key) -> io::Result<(Vec<Request>, Vec<BadLine>)> {
    let (mut requests, mut bad) = (Vec::new(), Vec::new());
    for (index, line) in reader.split(b'\n').enumerate() {
        let line = line?;
        // Clients send what they like: bytes that are not text do not make a line bad.
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        match request(&line, key) {
            Ok(request) => requests.push(request),
            Err(problem) => bad.push(BadLine {
                number: index + 1,
                problem,
            }),
        }
    }
    Ok((requests, bad))
}

/// `client identity user [day/month/year:hour:minute:second zone] "request" status size …`
fn request(line: &str, key: Key) -> Result<Request, &'static str> {
    let (before, rest) = line.split_once(" [").ok_or("no time in brackets")?;
    let client = before.split(' ').next().filter(|client| !client.is_empty());
    let client = client.ok_or("no client before the time")?;
    let (time, rest) = rest.split_once(']').ok_or("no end of the time")?;
    let at = nanoseconds(time)?;
    let rest = rest
        .trim_start()
        .strip_prefix('"')
        .ok_or("no request in quotes")?;
    let (asked, rest) = quoted(rest).ok_or("no end of the request")?;
    let status = rest.split_whitespace().next().unwrap_or_default();
    if status.len() != 3 || !status.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("no status after the request");
    }
    let key = match key {
        Key::Client => client,
        Key::Path => path(asked),
        Key::Status => status,
        Key::All => "all",
    };
    Ok(Request {
        at,
        key: key.into(),
    })
}

/// The text up to the closing quote and the text after it; `\` makes the next character a plain one.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mut plain = false;
    let end = text.find(|next| {
        let ends = next == '"' && !plain;
        plain = next == '\\' && !plain;
        ends
    })?;
    Some((&text[..end], &text[end + 1..]))
}

/// `GET /path?query HTTP/1.1`: the path without the query.
fn path(asked: &str) -> &str {
    let target = asked.split(' ').nth(1).unwrap_or(asked);
    target.split(['?', '#']).next().unwrap_or(target)
}

fn nanoseconds(time: &str) -> Result<u64, &'static str> {
    let time = Timestamp::strptime("%d/%b/%Y:%H:%M:%S %z", time)
        .map_err(|_| "the time is not one, such as 17/May/2015:10:05:03 +0000")?;
    u64::try_from(time.as_nanosecond()).map_err(|_| "the time is outside the years 1970 to 2554")
}
