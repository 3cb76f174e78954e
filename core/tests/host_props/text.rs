//! Text and back.

use proptest::prelude::*;
use tokenweir::{Limit, Limits};

use crate::strategies::{config, limits};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn formatted_limits_parse_to_the_same(limits in limits()) {
        let text = limits.to_string();
        prop_assert_eq!(Limits::parse(&text).map_err(|error| format!("{text}: {error}")), Ok(limits));
    }

    #[test]
    fn every_limit_is_called_differently(limits in limits()) {
        for index in 0..limits.len() {
            prop_assert_eq!(limits.position(limits.name(index)), Some(index));
            if let Some(name) = limits.get(index).and_then(Limit::name) {
                prop_assert_eq!(limits.name(index), name);
            }
        }
    }

    #[test]
    fn any_limits_can_be_explained(limits in limits()) {
        let text = limits.explain();
        for limit in &limits {
            let said = format!("{limit}\n  ");
            prop_assert!(text.contains(&said), "{} is not in {}", limit, text);
        }
        let most = format!("at most {}", limits.most_within(86_400_000_000_000));
        prop_assert!(text.contains(most.as_str()), "{} is not in {}", most, text);
    }

    #[test]
    fn any_text_is_limits_or_an_error_within_it(text in any::<String>()) {
        check_text(&text)?;
    }

    #[test]
    fn text_of_the_right_words_is_limits_or_an_error_within_it(
        words in proptest::collection::vec(proptest::sample::select(vec![
            "10", "0.5", "1_0", "18446744073709551616", "/", "per", "s", "µs", "weeks", "burst",
            "initial", "aligned", "adaptive", "at", "from", "interval", "cycle", ";", ",", ":", "a",
            "\"", "\\", " ", "\n", "é", "-", ".",
        ]), 0..12),
        spaced in any::<bool>(),
    ) {
        check_text(&words.join(if spaced { " " } else { "" }))?;
    }
}

fn check_text(text: &str) -> Result<(), TestCaseError> {
    match Limits::parse(text) {
        Ok(limits) => {
            let formatted = limits.to_string();
            prop_assert_eq!(Limits::parse(&formatted), Ok(limits));
        }
        Err(error) => {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
            prop_assert_eq!(
                error.found.is_none(),
                error.column == text.chars().count() + 1
            );
        }
    }
    Ok(())
}
