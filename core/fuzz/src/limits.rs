//! Limits as text: no input panics, an error points into the text, what is formatted parses to the
//! same, and what limits allow can be said.

use tokenweir::Limits;

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else {
        return;
    };
    match Limits::parse(text) {
        Ok(limits) => {
            let formatted = limits.to_string();
            assert!(
                limits
                    .explain()
                    .starts_with(&limits.iter().next().expect("one").to_string())
            );
            assert_eq!(Limits::parse(&formatted), Ok(limits), "{formatted}");
        }
        Err(error) => {
            let columns = text.chars().count();
            assert!((1..=columns + 1).contains(&error.column), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
}
