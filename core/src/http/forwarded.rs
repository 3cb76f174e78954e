//! The addresses in `X-Forwarded-For` and `Forwarded` (RFC 7239), and addresses as text.

use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};

/// The entries of `X-Forwarded-For`, one for each address added.
///
/// An empty entry is kept: a proxy may not have known an address, and leaving its entry out would
/// move the ones a client made up into its place.
pub(super) fn x_forwarded_for<'a>(lines: &[&'a str]) -> Vec<Option<IpAddr>> {
    let lines = lines.iter().filter(|line| !trim(line).is_empty());
    lines
        .flat_map(|line: &&'a str| line.split(','))
        .map(address)
        .collect()
}

/// The `for` of each element of `Forwarded`; `None` if the field is malformed anywhere.
///
/// A quote that a client leaves open makes the whole malformed: what trusted proxies add after it
/// has an even number of quotes, so that it cannot be closed.
pub(super) fn forwarded(lines: &[&str]) -> Option<Vec<Option<IpAddr>>> {
    let mut entries = Vec::new();
    for line in lines.iter().filter(|line| !trim(line).is_empty()) {
        for element in split(line, ',')? {
            let mut found = None;
            for pair in split(element, ';')? {
                let Some((name, value)) = pair.split_once('=') else {
                    continue;
                };
                if trim(name).eq_ignore_ascii_case("for") && found.replace(value).is_some() {
                    return None;
                }
            }
            entries.push(found.and_then(node));
        }
    }
    Some(entries)
}

/// An address as it is written: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`,
/// `[2001:db8::1]:4711`, a zone (`%eth0`) left out; an IPv4 address in IPv6 as IPv4.
pub(super) fn address(text: &str) -> Option<IpAddr> {
    let text = trim(text);
    let address = if let Some((bracketed, port)) =
        text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
    {
        // A port must be one, or absent.
        let valid = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        let address = without_zone(bracketed).parse().ok().filter(|_| valid)?;
        IpAddr::V6(address)
    } else if let Ok(address) = without_zone(text).parse() {
        address
    } else {
        match text.parse().ok()? {
            SocketAddr::V4(address) => IpAddr::V4(*address.ip()),
            SocketAddr::V6(_) => return None,
        }
    };
    Some(address.to_canonical())
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// A zone belongs to the machine that saw the address.
fn without_zone(text: &str) -> &str {
    match text.split_once('%') {
        Some((address, zone)) if address.contains(':') && !zone.is_empty() => address,
        _ => text,
    }
}

/// A node of RFC 7239 section 6: an address, in quotes if it has a colon; not `unknown`, and not a
/// name made up to hide it.
fn node(value: &str) -> Option<IpAddr> {
    let value = trim(value);
    let Some(quoted) = value.strip_prefix('"') else {
        return if value.contains(':') {
            None
        } else {
            address(value)
        };
    };
    let mut plain = String::new();
    let mut characters = quoted.strip_suffix('"')?.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => characters.next()?,
            character => character,
        });
    }
    address(&plain)
}

/// The parts between separators that are not in quotes; `None` if a quote stays open.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut rest, mut quoted, mut escaped) = (text, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if character == separator && !quoted => {
                let start = text.len().saturating_sub(rest.len());
                let (part, tail) = rest.split_at_checked(at.saturating_sub(start))?;
                parts.push(part);
                rest = tail.strip_prefix(separator)?;
            }
            _ => {}
        }
    }
    parts.push(rest);
    (!quoted).then_some(parts)
}

/// Without the white space of a field around it.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_in_quotes_do_not_separate() {
        assert_eq!(split("a,b", ','), Some(["a", "b"].into()));
        assert_eq!(
            split(r#""a,\",b",c"#, ','),
            Some([r#""a,\",b""#, "c"].into())
        );
        assert_eq!(split(r#"a,"b"#, ','), None);
        assert_eq!(split(r#""a\"#, ','), None);
        assert_eq!(split("", ','), Some([""].into()));
    }
}
