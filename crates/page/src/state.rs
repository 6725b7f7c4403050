//! Scripts that hold the state of the framework that draws a page: as JSON, or assigned.

/// Maximum bytes of such scripts per page.
pub(crate) const MOST_BYTES: usize = 2 << 20;
/// Minimum bytes per script: smaller ones hold settings.
pub(crate) const LEAST_BYTES: usize = 500;

/// What scripts begin with that assign a framework's state.
const ASSIGNMENTS: &[&str] = &[
    "window.__NUXT__",
    "window.__NEXT_DATA__",
    "window.__INITIAL_STATE__",
    "window.__INITIAL_DATA__",
    "window.__PRELOADED_STATE__",
    "window.__APOLLO_STATE__",
    "window.__STATE__",
    "window.__DATA__",
    "window.__REDUX_STATE__",
    "window.__remixContext",
    "window.INITIAL_STATE",
    "window['__INITIAL_STATE__']",
    "window[\"__INITIAL_STATE__\"]",
    "self.__next_f.push",
    "__NUXT__=",
    "var __INITIAL_STATE__",
];

/// Whether a script's text assigns a state.
pub(crate) fn is_state(text: &str) -> bool {
    let text = text.trim_start();
    ASSIGNMENTS.iter().any(|start| text.starts_with(start))
}
