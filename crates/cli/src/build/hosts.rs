//! Several processes that build one corpus: the file of hosts, and finding each other.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use gleaner_cluster::{Group, GroupConfig, GroupSecret, Traffic};
use gleaner_corpus::Identity;
use serde::Serialize;

use super::unfinished::Unfinished;
use crate::args::Processes;
use crate::terminal::console::{self, Say};

const SECRET: &str = "GLEANER_SECRET";

pub(crate) struct GroupPlace {
    hosts: Vec<String>,
    process: usize,
    secret: Option<GroupSecret>,
}

/// Reads where the processes are; nothing where this is one by itself.
pub(crate) fn place(arguments: &Processes) -> Result<Option<GroupPlace>> {
    let (Some(file), Some(process)) = (&arguments.hosts, arguments.process) else {
        return Ok(None);
    };
    let (hosts, process) = (read(file)?, usize::from(process));
    if process >= hosts.len() {
        bail!(
            "no process {process} in '{}', which has {}: use --process 0 to {}",
            file.display(),
            counted(hosts.len()),
            hosts.len() - 1
        );
    }
    let secret = secret(arguments.secret_file.as_deref())?;
    let other = hosts.iter().find(|host| !is_this_machine(host));
    if let (Some(other), None, 2..) = (other, &secret, hosts.len()) {
        bail!(
            "'{other}' in '{}' is another machine, so the processes need a secret: set {SECRET} to the same text for \
             all of them, or give --secret-file FILE (`openssl rand -hex 32` makes one)",
            file.display()
        );
    }
    Ok(Some(GroupPlace {
        hosts,
        process,
        secret,
    }))
}

/// The secret of the group, if there is one. Space around it is no part of it: files end with a line end.
fn secret(file: Option<&Path>) -> Result<Option<GroupSecret>> {
    let (bytes, from) = match (file, std::env::var_os(SECRET)) {
        (Some(file), _) => {
            let shown = format!("'{}'", file.display());
            let bytes = std::fs::read(file);
            (
                bytes.with_context(|| format!("could not read the secret in {shown}"))?,
                shown,
            )
        }
        (None, Some(value)) => (value.into_encoded_bytes(), SECRET.to_owned()),
        (None, None) => return Ok(None),
    };
    match bytes.trim_ascii() {
        b"" => bail!("the secret in {from} is empty: `openssl rand -hex 32` makes one"),
        secret => Ok(Some(GroupSecret::new(secret))),
    }
}

/// Whether a host of the list is an address that no other machine reaches.
fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let address = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Finds the other processes; none where there are no others.
pub(crate) fn join(
    GroupPlace {
        hosts,
        process,
        secret,
    }: GroupPlace,
    arguments: &Processes,
    identity: &Identity,
    stop: &Arc<AtomicBool>,
    print: Say,
) -> Result<Option<Group>> {
    if hosts.len() == 1 {
        return Ok(None);
    }
    let group = Group::join(GroupConfig {
        hosts,
        process,
        identity: identity.clone(),
        secret,
        connect_timeout: arguments.connect_timeout,
        silence: arguments.peer_timeout,
        stop: Arc::clone(stop),
        print,
    })?;
    Ok(Some(group))
}

fn counted(lines: usize) -> String {
    match lines {
        1 => "one line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

fn read(file: &Path) -> Result<Vec<String>> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("could not read the hosts in '{shown}'"))?;
    parse(&shown, &text)
}

/// The hosts of a file, one a line; empty lines and what follows a # do not count.
fn parse(shown: &str, text: &str) -> Result<Vec<String>> {
    let mut hosts: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(fault) = fault(line) {
            bail!(
                "'{shown}' line {number}: '{line}' {fault}: write a host and a port, such as crawler1:2101"
            );
        }
        if let Some(before) = hosts.iter().position(|host| host == line) {
            bail!(
                "'{shown}' line {number}: '{line}' is process {before} already: name each host and port once"
            );
        }
        hosts.push(line.to_owned());
    }
    if hosts.is_empty() {
        bail!("'{shown}' has no host: write one line host:port per process");
    }
    Ok(hosts)
}

fn fault(line: &str) -> Option<&'static str> {
    let Some((host, port)) = line.rsplit_once(':') else {
        return Some("has no port");
    };
    match () {
        () if host.is_empty() => Some("has no host"),
        () if host.contains(char::is_whitespace) => Some("is more than a host"),
        () if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) => {
            Some("is an address of IPv6 without [ and ]")
        }
        () if port.parse::<u16>().map_or(true, |port| port == 0) => Some("has no port from 1 to 65535"),
        () => None,
    }
}

/// Why a process ends; sent to the others.
pub(crate) fn why(error: &anyhow::Error) -> String {
    let of_build = error.downcast_ref::<Unfinished>();
    of_build.map_or_else(|| error.to_string(), |unfinished| unfinished.error.to_string())
}

/// The part of a summary that is about a group of processes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Together {
    pub(crate) process: usize,
    pub(crate) processes: usize,
    sent: Traffic,
}

impl Together {
    /// Before the processes have met, or where there is one.
    pub(crate) fn at(place: Option<&GroupPlace>) -> Together {
        Together {
            process: place.map_or(0, |place| place.process),
            processes: place.map_or(1, |place| place.hosts.len()),
            sent: Traffic::default(),
        }
    }

    pub(crate) fn of(group: &Group) -> Together {
        Together {
            process: group.process(),
            processes: group.processes(),
            sent: group.traffic(),
        }
    }

    /// Whether it is the process that sums up for all.
    pub(crate) fn is_first(&self) -> bool {
        self.process == 0
    }

    /// A line of the summary; empty for a single process.
    pub(crate) fn text(&self) -> String {
        if self.processes == 1 {
            return String::new();
        }
        let whose = match self.process {
            0 => "the counts are those of all",
            _ => "the counts are those of its share",
        };
        let [records, progress, heartbeats] =
            [self.sent.records, self.sent.progress, self.sent.heartbeats].map(console::bytes);
        format!(
            "process {} of {} ({whose}); sent: {records} part data, {progress} progress, {heartbeats} heartbeats\n",
            self.process, self.processes
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Result<Vec<String>, String> {
        parse("hosts", text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_host_a_line() {
        let text = "# the first rack\ncrawler1:2101\n\n  crawler2:2101 # slow\n[::1]:9\n";
        assert_eq!(
            hosts(text).unwrap(),
            ["crawler1:2101", "crawler2:2101", "[::1]:9"]
        );
    }

    #[test]
    fn other_machines_are_known_by_their_names() {
        for host in [
            "127.0.0.1:1",
            "127.9.9.9:1",
            "[::1]:1",
            "localhost:1",
            "LocalHost:1",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "crawler1:1",
            "10.0.0.1:1",
            "0.0.0.0:1",
            "[::]:1",
            "[fe80::1]:1",
            "localhost.example:1",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn a_secret_is_what_a_file_holds_but_for_space() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), " a b \n").unwrap();
        assert!(secret(Some(file.path())).unwrap().is_some());
        std::fs::write(file.path(), "\n").unwrap();
        let error = secret(Some(file.path())).unwrap_err().to_string();
        assert!(
            error.ends_with("is empty: `openssl rand -hex 32` makes one"),
            "{error}"
        );
        let error = secret(Some(Path::new("nowhere"))).unwrap_err().to_string();
        assert_eq!(error, "could not read the secret in 'nowhere'");
    }

    #[test]
    fn bad_lines_are_named() {
        let mend = ": write a host and a port, such as crawler1:2101";
        for (text, sentence) in [
            ("a:1\nb", format!("'hosts' line 2: 'b' has no port{mend}")),
            (
                "a:0",
                format!("'hosts' line 1: 'a:0' has no port from 1 to 65535{mend}"),
            ),
            (":7", format!("'hosts' line 1: ':7' has no host{mend}")),
            (
                "a b:7",
                format!("'hosts' line 1: 'a b:7' is more than a host{mend}"),
            ),
            (
                "::1:7",
                format!("'hosts' line 1: '::1:7' is an address of IPv6 without [ and ]{mend}"),
            ),
            (
                "a:1\n#\na:1",
                "'hosts' line 3: 'a:1' is process 0 already: name each host and port once".to_owned(),
            ),
            (
                "# nobody\n",
                "'hosts' has no host: write one line host:port per process".to_owned(),
            ),
        ] {
            assert_eq!(hosts(text).unwrap_err(), sentence);
        }
    }
}
