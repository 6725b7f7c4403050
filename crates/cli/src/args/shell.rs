//! `gleaner completions` and `gleaner man`: shell completions and manual pages.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// What `gleaner completions --help` says at its end.
const COMPLETIONS_HELP: &str = "\
Once for all sessions:

  gleaner completions bash > ~/.local/share/bash-completion/completions/gleaner
  gleaner completions zsh > ~/.zfunc/_gleaner      # where fpath has ~/.zfunc
  gleaner completions fish > ~/.config/fish/completions/gleaner.fish";

#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct Completions {
    /// Shell that reads the script
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// What `gleaner man --help` says at its end.
const MAN_HELP: &str = "\
Once for all sessions:

  gleaner man --out ~/.local/share/man/man1";

#[derive(Debug, Args)]
#[command(after_long_help = MAN_HELP)]
pub(crate) struct Man {
    /// Command to describe, such as build or templates mine [default: gleaner]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// Write one file NAME.1 per command and subcommand into this folder instead of printing one page
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}
