//! Credentials from `~/.aws`, which the S3 client does not read by itself.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;

type Env = BTreeMap<String, String>;

/// Variables that name a source of credentials; if one is set, no file is read.
const EXPLICIT: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
    "AWS_METADATA_ENDPOINT",
];

/// The environment variable for each setting of a profile.
const NAMES: [(&str, &str); 4] = [
    ("aws_access_key_id", "AWS_ACCESS_KEY_ID"),
    ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"),
    ("aws_session_token", "AWS_SESSION_TOKEN"),
    ("region", "AWS_REGION"),
];

/// The settings of the user's profile (`AWS_PROFILE`, else `default`) that the environment does
/// not have.
///
/// # Errors
///
/// [`Error::Credentials`] if a file exists and cannot be read, or no file has the profile that was
/// requested.
pub(crate) fn settings(bucket: &str, env: &Env) -> Result<Env, Error> {
    let mut found = Env::new();
    let profile = env.get("AWS_PROFILE").map_or("default", String::as_str);
    let files = [
        file(env, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
        file(env, "AWS_CONFIG_FILE", ".aws/config"),
    ];
    let explicit = EXPLICIT.iter().any(|name| env.contains_key(*name));
    let mut known = false;
    for path in files.iter().flatten() {
        let Some(section) = section(bucket, path, profile)? else {
            continue;
        };
        known = true;
        let wanted = |name: &str| !explicit || name == "AWS_REGION";
        found.extend(
            section
                .into_iter()
                .filter(|(name, _)| wanted(name) && !has(env, name)),
        );
    }
    if !known && !explicit && env.contains_key("AWS_PROFILE") {
        let detail = format!("there is no profile '{profile}' in ~/.aws; set AWS_PROFILE to one that is");
        return Err(Error::Credentials(bucket.to_owned(), detail));
    }
    Ok(found)
}

fn has(env: &Env, name: &str) -> bool {
    env.contains_key(name) || (name == "AWS_REGION" && env.contains_key("AWS_DEFAULT_REGION"))
}

fn file(env: &Env, variable: &str, default: &str) -> Option<PathBuf> {
    let home = || env.get("HOME").map(|home| Path::new(home).join(default));
    env.get(variable).map(PathBuf::from).or_else(home)
}

fn section(bucket: &str, path: &Path, profile: &str) -> Result<Option<Env>, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(parse(&text, profile)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let detail = format!("could not read '{}': {error}", path.display());
            Err(Error::Credentials(bucket.to_owned(), detail))
        }
    }
}

/// The settings under `[profile]` or `[profile NAME]`; `None` where there is no such section.
fn parse(text: &str, profile: &str) -> Option<Env> {
    let mut within = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let name = header.trim();
            within = name.strip_prefix("profile ").unwrap_or(name).trim() == profile;
            if within {
                found.get_or_insert_with(Env::new);
            }
        } else if let (true, Some((key, value))) = (within, line.split_once('=')) {
            let name = NAMES.iter().find(|(theirs, _)| *theirs == key.trim());
            if let (Some((_, ours)), Some(found)) = (name, &mut found) {
                found.insert((*ours).to_owned(), value.trim().to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".aws")).unwrap();
        let credentials = "# mine\n[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[other]\naws_access_key_id = C\n";
        std::fs::write(home.path().join(".aws/credentials"), credentials).unwrap();
        std::fs::write(
            home.path().join(".aws/config"),
            "[default]\nregion = r1\n[profile other]\nregion=r2\n",
        )
        .unwrap();
        home
    }

    #[test]
    fn a_profile_fills_what_the_environment_lacks() {
        let home = home();
        let home = home.path().to_str().unwrap();
        let of =
            |pairs: &[(&str, &str)]| settings("s3://b", &env(&[&[("HOME", home)], pairs].concat())).unwrap();
        assert_eq!(
            of(&[]),
            env(&[
                ("AWS_ACCESS_KEY_ID", "A"),
                ("AWS_SECRET_ACCESS_KEY", "B"),
                ("AWS_REGION", "r1")
            ])
        );
        assert_eq!(
            of(&[("AWS_PROFILE", "other")]),
            env(&[("AWS_ACCESS_KEY_ID", "C"), ("AWS_REGION", "r2")])
        );
        assert_eq!(of(&[("AWS_ACCESS_KEY_ID", "X")]), env(&[("AWS_REGION", "r1")]));
        assert_eq!(
            of(&[("AWS_SKIP_SIGNATURE", "true"), ("AWS_REGION", "r9")]),
            Env::new()
        );
    }

    #[test]
    fn what_cannot_be_used_is_reported() {
        let home = home();
        let folder = home.path().to_str().unwrap();
        let error = settings("s3://b", &env(&[("HOME", folder), ("AWS_PROFILE", "absent")])).unwrap_err();
        assert!(
            error.to_string().contains("there is no profile 'absent'"),
            "{error}"
        );
        let error = settings("s3://b", &env(&[("AWS_SHARED_CREDENTIALS_FILE", folder)])).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot read the credentials for 's3://b': could not read"),
            "{error}"
        );
    }
}
