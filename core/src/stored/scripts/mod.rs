//! What stores run: the script for Redis, the functions and statements for PostgreSQL, and the numbers that
//! all adapters must agree on. `docs/stores.md` says how they are used.

use crate::checksum;

/// The script that writes the states of one key or several if none has changed.
pub const COMPARE_AND_SET_LUA: &str = include_str!("compare_and_set.lua");

/// Makes the table and the functions; can be run again at any time.
pub const SCHEMA_SQL: &str = include_str!("schema.sql");

/// How much longer than needed a state is kept, in milliseconds: the server's clock may be set while it is.
pub const MARGIN_MS: u64 = 1_000;

/// How long a state is kept that must not expire, in milliseconds: a year of 365 days since the last
/// writing, so that no key stays for ever.
pub const LONGEST_MS: u64 = 31_536_000_000;

/// For how long a refusal may be answered without asking the store, in milliseconds, unless the user says
/// otherwise: until then a reset, a refund or new limits of another process may be missed.
pub const RECHECK_MS: u64 = 1_000;

/// The hash slot of a key on a Redis Cluster: that of the part between its first `{` and the next `}`, if
/// there is anything between them, otherwise of all of it. By the specification of Redis Cluster.
///
/// ```
/// use tokenweir::stored::scripts::hash_slot;
///
/// assert_eq!(hash_slot("tokenweir:{api}:user:1"), hash_slot("tokenweir:{api}:all"));
/// ```
#[must_use]
pub fn hash_slot(key: &str) -> u16 {
    let tag = key
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    let hashed = match tag {
        Some((tag, _)) if !tag.is_empty() => tag,
        _ => key,
    };
    // 16 384 slots.
    checksum::crc16_xmodem(hashed.as_bytes()) & 0x3fff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slots_are_those_of_redis() {
        // What CLUSTER KEYSLOT says.
        let slots = [
            ("foo", 12182),
            ("123456789", 12739),
            ("{user1000}.following", 3443),
            ("{user1000}.followers", 3443),
            ("foo{}{bar}", 8363),
            ("foo{{bar}}zap", 4015),
            ("foo{bar}{zap}", 5061),
            ("foo{bar", 15278),
        ];
        for (key, slot) in slots {
            assert_eq!(hash_slot(key), slot, "{key}");
        }
    }
}
