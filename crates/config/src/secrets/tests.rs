//! What is hidden and, as important, what is not.

use std::ffi::OsString;

use super::{MASK, Secrets};
use crate::settings::keys;

fn arguments(secrets: &Secrets, words: &str) -> String {
    let words: Vec<OsString> = words.split('|').map(OsString::from).collect();
    let masked = secrets.mask_arguments(&words);
    masked.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join("|")
}

#[test]
fn arguments_that_name_a_secret_are_masked() {
    let secrets = Secrets::default();
    for (given, expected) in [
        ("app|--api-key=hunter2", "app|--api-key=#"),
        ("app|--token|hunter2|x", "app|--token|#|x"),
        ("env|TOKEN=hunter2|app", "env|TOKEN=#|app"),
        ("env|HF_TOKEN=two words|app", "env|HF_TOKEN=#|app"),
        ("curl|-H|Authorization: Bearer hunter2", "curl|-H|Authorization: #"),
        ("curl|-H|X-Api-Key: hunter2", "curl|-H|X-Api-Key: #"),
        ("curl|https://me:hunter2@host/x?y=1", "curl|https://#@host/x?y=1"),
        ("curl|https://host/x?access_token=hunter2&y=1", "curl|https://host/x?access_token=#&y=1"),
        ("sh|-c|PW=1 app --password hunter2 -n 3", "sh|-c|PW=1 app --password # -n 3"),
        ("sh|-c|a; API_KEY='two words' app", "sh|-c|a; API_KEY=# app"),
        ("app|{\"apiKey\": \"hunter2\", \"n\": 3}", "app|{\"apiKey\": #, \"n\": 3}"),
        ("app|model.credentials.user=hunter2", "app|model.credentials.user=#"),
        ("app|--PassWord|hunter2", "app|--PassWord|#"),
        ("app|--use-auth|--size|3", "app|--use-auth|--size|3"),
        ("app|--secret=", "app|--secret="),
    ] {
        assert_eq!(arguments(&secrets, given), expected.replace('#', MASK), "{given}");
    }
}

#[test]
fn what_is_not_secret_stays() {
    let secrets = Secrets::default();
    for given in [
        "app|--max-tokens|512|--tokenizer=gpt2|--author|me|--keyboard|us",
        "app|a=b|c: d|https://host/path@2|--size 3|user@host",
        "python|-c|print(1)|--num_tokens=3|time: 10:30",
    ] {
        assert_eq!(arguments(&secrets, given), given);
    }
    // A key or an option of the table whose value would be masked could not be resumed.
    for key in keys() {
        assert!(!key.path.split('.').any(|part| secrets.is_secret(part)), "{}", key.path);
        assert!(!key.option.is_some_and(|option| secrets.is_secret(option.name)), "{}", key.path);
    }
}

#[test]
fn patterns_and_known_values_mask_more() {
    let mut secrets = Secrets::new(&["sk-[a-z]+".to_owned(), "^--run-id$".to_owned()]).unwrap();
    secrets.add("known-value");
    secrets.add("12");
    assert_eq!(secrets.mask("a sk-abc b known-value 12"), format!("a {MASK} b {MASK} 12"));
    assert_eq!(arguments(&secrets, "app|--run-id=7"), format!("app|--run-id={MASK}"));
    // An option that a pattern matches may itself be what is meant.
    assert_eq!(arguments(&secrets, "app|--run-id|7"), format!("app|{MASK}|{MASK}"));
    // A pattern that is the secret itself does not give it away.
    let literal = Secrets::new(&["hunter2".to_owned()]).unwrap();
    assert_eq!(
        literal.mask_override("pipeline.artifacts.redact=[hunter2]"),
        format!("pipeline.artifacts.redact=[{MASK}]")
    );
    assert!(Secrets::new(&["(".to_owned()]).unwrap_err().to_string().contains("redact"));
}

#[test]
fn overrides_of_variables_are_masked_whatever_they_are_called() {
    let secrets = Secrets::default();
    for (given, expected) in [
        ("+pipeline.workload.env.X=hunter2", "+pipeline.workload.env.X=#"),
        ("pipeline.workload.env={X:hunter2}", "pipeline.workload.env=#"),
        ("pipeline.workload={env:{X:hunter2}}", "pipeline.workload=#"),
        ("+vars.api_key=hunter2", "+vars.api_key=#"),
        ("+vars.api_key=${oc.env:KEY}", "+vars.api_key=${oc.env:KEY}"),
        ("pipeline.ncu.enable=true", "pipeline.ncu.enable=true"),
        ("~pipeline.workload.env.X", "~pipeline.workload.env.X"),
    ] {
        let expected = expected.replace('#', MASK);
        assert_eq!(secrets.mask_override(given), expected);
    }
}

#[test]
fn any_text_is_survived_and_masking_twice_changes_nothing() {
    let secrets = Secrets::new(&["x*".to_owned(), "é".to_owned()]).unwrap();
    for text in [
        "",
        "=",
        "token=",
        "token='",
        "é token: é",
        "token=\"é",
        "--token é",
        "a://é@",
        "token: Bearer",
        "key=\u{2028}x",
    ] {
        let once = secrets.mask(text).into_owned();
        assert_eq!(secrets.mask(&once), once, "{text:?}");
    }
}
