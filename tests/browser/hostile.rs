//! Pages that want to do something to their reader. In the viewer they do nothing: no script of theirs runs, nothing is loaded or
//! sent, and a click leads nowhere.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Duration;

use gleaner_render::browser::{Browser, Event, Launch};
use serde_json::json;

use super::desk::{Service, Tab, with_browser};

/// A server that counts who comes.
struct Trap {
    port: u16,
    counts: Arc<Counts>,
    thread: Option<JoinHandle<()>>,
}

/// Connections count whether a request follows or not.
#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    requests: AtomicUsize,
    is_over: AtomicBool,
}

impl Trap {
    fn set() -> Trap {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let counts = Arc::<Counts>::default();
        let own = Arc::clone(&counts);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if own.is_over.load(SeqCst) {
                    return;
                }
                own.connections.fetch_add(1, SeqCst);
                let counts = Arc::clone(&own);
                std::thread::spawn(move || counts.answer(stream.unwrap(), port));
            }
        });
        Trap {
            port,
            counts,
            thread: Some(thread),
        }
    }

    /// Connections and requests since the last call.
    fn take(&self) -> (usize, usize) {
        let Counts {
            connections,
            requests,
            ..
        } = &*self.counts;
        (connections.swap(0, SeqCst), requests.swap(0, SeqCst))
    }
}

impl Counts {
    /// Answers with a case, which does not count, or with a script.
    fn answer(&self, mut stream: TcpStream, port: u16) {
        let mut request = [0; 4096];
        let Ok(length @ 1..) = stream.read(&mut request) else {
            return;
        };
        let request = String::from_utf8_lossy(&request[..length]).into_owned();
        let case = request
            .strip_prefix("GET /case/")
            .and_then(|rest| rest.split(' ').next())
            .and_then(|number| CASES.get(number.parse::<usize>().ok()?));
        let (kind, body) = match case {
            Some((_, html)) => ("text/html; charset=utf-8", page(html, port)),
            None => {
                self.requests.fetch_add(1, SeqCst);
                ("text/javascript", "top.hacked=1;".to_owned())
            }
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // Fails if the browser has gone.
        stream.write_all((head + &body).as_bytes()).ok();
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        self.counts.is_over.store(true, SeqCst);
        TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// What a page tries: its name, and HTML. `TRAP` is the server that counts, `HACK` a script that shows that it ran.
const CASES: &[(&str, &str)] = &[
    ("script", "<script>HACK</script>"),
    ("script-file", "<script src=TRAP/a.js></script>"),
    (
        "module",
        "<script type=module>HACK</script><link rel=modulepreload href=TRAP/m.js>",
    ),
    (
        "import-map",
        r#"<script type=importmap>{"imports":{"a":"TRAP/a.js"}}</script>"#,
    ),
    (
        "speculation-rules",
        r#"<script type=speculationrules>{"prefetch":[{"source":"list","urls":["TRAP/s"]}]}</script>"#,
    ),
    ("image-error", "<img src=x onerror=\"HACK\">"),
    (
        "body-load",
        "<body onload=\"HACK\" onpageshow=\"HACK\" onfocus=\"HACK\">",
    ),
    (
        "svg-load",
        "<svg onload=\"HACK\"><animate onbegin=\"HACK\" attributeName=x dur=1s></svg>",
    ),
    (
        "svg-script",
        "<svg><script>HACK</script><script href=TRAP/a.js></script></svg>",
    ),
    (
        "svg-use",
        "<svg><use href=TRAP/a.svg#a></use><image href=TRAP/a.png></image><filter><feImage href=TRAP/b.png /></filter></svg>",
    ),
    (
        "svg-link",
        "<svg width=200 height=100><a href=TRAP/svg><rect width=200 height=100 id=hit></rect><text y=20>CLICK</text></a></svg>",
    ),
    (
        "svg-set",
        "<svg width=200 height=60><a><set attributeName=href to=javascript:HACK /><text y=20>CLICK</text></a></svg>",
    ),
    (
        "foreign-object",
        "<svg><foreignObject><iframe src=TRAP/f></iframe><img src=x onerror=\"HACK\"></foreignObject></svg>",
    ),
    (
        "mathml-link",
        "<math href=TRAP/m><mtext>CLICK</mtext></math><math><a href=javascript:HACK>CLICK</a></math>",
    ),
    ("script-link", "<a href=\"javascript:HACK\">CLICK</a>"),
    (
        "script-link-in-entities",
        "<a href=\"java&#10;script&colon;HACK\">CLICK</a>",
    ),
    ("link", "<a href=TRAP/link>CLICK</a>"),
    ("link-to-a-window", "<a href=TRAP/blank target=_blank>CLICK</a>"),
    ("link-to-the-top", "<a href=TRAP/top target=_top>CLICK</a>"),
    (
        "link-to-the-parent",
        "<a href=TRAP/parent target=_parent>CLICK</a>",
    ),
    ("link-with-ping", "<a href=# ping=TRAP/ping>CLICK</a>"),
    (
        "link-of-data",
        "<a href=\"data:text/html,<script>HACK</script>\">CLICK</a>",
    ),
    ("download", "<a href=TRAP/file download>CLICK</a>"),
    (
        "map",
        "<img usemap=#m width=300 height=60 alt=CLICK><map name=m><area shape=rect coords=0,0,300,60 href=TRAP/area></map>",
    ),
    (
        "refresh",
        "<meta http-equiv=refresh content='0;url=TRAP/refresh'>",
    ),
    (
        "refresh-by-script",
        "<meta http-equiv=refresh content='0;url=javascript:HACK'>",
    ),
    (
        "policy",
        "<meta http-equiv=Content-Security-Policy content=\"default-src *; script-src * 'unsafe-inline'\"><script>HACK</script>",
    ),
    ("cookie", "<meta http-equiv=Set-Cookie content=hacked=1>"),
    (
        "base",
        "<base href=TRAP/ target=_top><img src=a.png><a href=b>CLICK</a>",
    ),
    (
        "form",
        "<form action=TRAP/form method=post><button>CLICK</button></form>",
    ),
    (
        "form-by-field",
        "<form action=TRAP/form><input name=a autofocus><input type=submit value=CLICK></form>",
    ),
    (
        "button-with-address",
        "<form id=f></form><button form=f formaction=TRAP/button formtarget=_top>CLICK</button>",
    ),
    (
        "form-that-hides-methods",
        "<form onclick=\"HACK\"><input name=attributes><input name=removeAttribute><input name=getAttributeNames><input name=remove><input name=parentNode><img src=x onerror=\"HACK\"></form>",
    ),
    (
        "names-of-the-document",
        "<form name=body></form><img name=documentElement><img id=head name=head><form id=createElement name=querySelectorAll>CLICK</form>",
    ),
    (
        "image-button",
        "<form action=TRAP/ib><input type=image src=TRAP/ib.png alt=CLICK></form>",
    ),
    ("frame", "<iframe src=TRAP/frame></iframe>"),
    (
        "frame-of-a-document",
        "<iframe srcdoc=\"<script>HACK</script><img src=TRAP/s.png>\"></iframe>",
    ),
    ("frame-of-a-script", "<iframe src=\"javascript:HACK\"></iframe>"),
    (
        "frameset",
        "<frameset onload=\"HACK\"><frame src=TRAP/frameset></frameset>",
    ),
    (
        "object",
        "<object data=TRAP/object><embed src=TRAP/embed></object><applet code=TRAP/a></applet>",
    ),
    (
        "style-sheet",
        "<link rel=stylesheet href=TRAP/a.css><style>@import url(TRAP/b.css);</style>",
    ),
    (
        "style-picture",
        "<style>body{background:url(TRAP/c.png)} p::before{content:url(TRAP/d.png)}</style><p style='background-image:url(TRAP/e.png)'>a</p>",
    ),
    (
        "style-font",
        "<style>@font-face{font-family:a;src:url(TRAP/a.woff2)} body{font-family:a}</style>",
    ),
    (
        "style-that-covers",
        "<style>html,body,div{position:fixed;inset:0;z-index:2147483647;opacity:0}</style><div>CLICK</div>",
    ),
    (
        "connection-ahead",
        "<link rel=preconnect href=TRAP/ crossorigin><link rel=dns-prefetch href=TRAP/>",
    ),
    (
        "loads-ahead",
        "<link rel=prefetch href=TRAP/p><link rel=preload as=image href=TRAP/q><link rel=prerender href=TRAP/r><link rel=manifest href=TRAP/m><link rel=icon href=TRAP/i>",
    ),
    (
        "image",
        "<img src=TRAP/a.png srcset='TRAP/b.png 2x' lowsrc=TRAP/c.png><picture><source srcset=TRAP/d.png><img></picture>",
    ),
    (
        "background",
        "<body background=TRAP/b.png><table background=TRAP/t.png><tr><td background=TRAP/d.png>a</table>",
    ),
    (
        "sound-and-film",
        "<video src=TRAP/v poster=TRAP/p autoplay><track src=TRAP/t default></video><audio src=TRAP/a autoplay></audio>",
    ),
    (
        "end-of-the-field",
        "</textarea></title></style></script></iframe><script>HACK</script><img src=x onerror=\"HACK\">",
    ),
    (
        "comment",
        "<!--><script>HACK</script>--><!--[if IE]><script>HACK</script><![endif]-->",
    ),
    (
        "without-scripts",
        "<noscript><p title=\"</noscript><img src=x onerror='HACK'>\"></noscript>",
    ),
    (
        "template",
        "<template><script>HACK</script><img src=TRAP/t.png></template>",
    ),
    (
        "shadow",
        "<div><template shadowrootmode=open><style>@import url(TRAP/s.css)</style><img src=x onerror=\"HACK\"><script>HACK</script></template></div>",
    ),
    (
        "focus",
        "<input autofocus onfocus=\"HACK\"><div contenteditable autofocus tabindex=1 onfocus=\"HACK\">a</div>",
    ),
    (
        "toggle",
        "<details open ontoggle=\"HACK\"><summary>CLICK</summary></details><marquee onstart=\"HACK\">a</marquee>",
    ),
    (
        "popover",
        "<button popovertarget=p>CLICK</button><div popover id=p onbeforetoggle=\"HACK\">a</div><dialog open onclose=\"HACK\">a</dialog>",
    ),
    ("click", "<p onclick=\"HACK\" onmousedown=\"HACK\">CLICK</p>"),
];

const HACK: &str = "try{top.hacked=1}catch(e){}try{parent.document.title='hacked'}catch(e){}new Image().src='TRAP/hack';fetch('TRAP/fetch');alert(1)";

fn page(case: &str, port: u16) -> String {
    let case = case
        .replace("HACK", HACK)
        .replace("TRAP", &format!("http://127.0.0.1:{port}"));
    format!("{case}<p>The end of a page that is long enough to be shown beside its blocks.</p>")
}

/// What came of a page, in words; nothing if nothing did.
async fn harm(tab: &mut Tab, trap: &Trap) -> Vec<String> {
    let mut harm = Vec::new();
    for (what, is_so) in [
        (
            "a script ran",
            "window.hacked !== undefined || /hacked/.test(document.title)",
        ),
        (
            "the window went elsewhere",
            "location.pathname !== '/' || !location.hash.startsWith('#/page')",
        ),
        (
            "the frame went elsewhere",
            "document.querySelector('iframe').contentWindow.location.pathname !== '/frame.html'",
        ),
        ("a cookie was set", "document.cookie !== ''"),
        (
            "there is a frame in the frame",
            "document.querySelector('iframe').contentWindow.length > 0",
        ),
    ] {
        if tab.get(is_so).await == true {
            harm.push(what.to_owned());
        }
    }
    let came = trap.take();
    if came != (0, 0) {
        harm.push(format!("{came:?} connections and requests"));
    }
    harm.extend(tab.noise());
    harm
}

/// Number of tabs of the browser.
async fn tabs(tab: &Tab) -> usize {
    let targets = tab
        .page
        .session()
        .call("Target.getTargets", json!({}))
        .await
        .unwrap();
    let all = targets["targetInfos"].as_array().unwrap();
    all.iter().filter(|target| target["type"] == "page").count()
}

/// Clicks on what the page wants to have clicked, with the mouse; with the wheel, too.
async fn click_in_frame(tab: &Tab) {
    let place = tab
        .get(
            "(() => { const frame = document.querySelector('iframe'), outer = frame.getBoundingClientRect(), page = frame.contentDocument; \
             const found = [...page.querySelectorAll('*')].filter(node => /CLICK/.test(node.textContent + node.alt + node.value)).at(-1); \
             if (!found) return null; const inner = found.getBoundingClientRect(); \
             return [outer.x + inner.x + Math.min(inner.width / 2, 30), outer.y + inner.y + Math.min(inner.height / 2, 12)]; })()",
        )
        .await;
    if place.is_null() {
        return;
    }
    for button in ["left", "middle"] {
        for kind in ["mousePressed", "mouseReleased"] {
            let click =
                json!({"type": kind, "x": place[0], "y": place[1], "button": button, "clickCount": 1});
            tab.page
                .session()
                .call("Input.dispatchMouseEvent", click)
                .await
                .unwrap();
        }
    }
}

#[test]
fn hostile_pages_do_nothing_in_the_viewer() {
    with_browser(async |browser| {
        let trap = Trap::set();
        let service = Service::start::<&str>([]);
        let mut tab = Tab::open(&browser, &service, "#/page").await;
        let windows = tabs(&tab).await;
        let mut faults = Vec::new();
        for (name, case) in CASES {
            tab.get("document.querySelector('details.box').open = true").await;
            tab.get("document.querySelector('.pair')?.remove()").await;
            tab.paste(&page(case, trap.port)).await;
            // (Behind a set of frames a page has no text.)
            if *name != "frameset" {
                tab.wait_for_text(".block .words", "The end of a page").await;
            }
            if tab.get("document.activeElement.matches('iframe')").await == true {
                faults.push(format!("{name}: the focus was taken"));
            }
            click_in_frame(&tab).await;
            // That nothing comes shows only after some time.
            tokio::time::sleep(Duration::from_millis(60)).await;
            let harm = harm(&mut tab, &trap).await;
            if !harm.is_empty() {
                faults.push(format!("{name}: {harm:?}"));
            }
        }
        // What comes late, such as a refresh.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        faults.extend(harm(&mut tab, &trap).await);
        assert_eq!(tabs(&tab).await, windows, "windows were opened");
        assert!(faults.is_empty(), "{faults:#?}");
        tab.end().await;
    });
}

/// Without what the script takes out of a page, the sandbox and the policy of the frame hold alone: pages are written into it as they
/// are. (Links may lead the frame elsewhere within the service, and connections ahead are nothing that a policy knows.)
#[test]
fn the_frame_alone_runs_and_loads_nothing() {
    with_browser(async |browser| {
        let trap = Trap::set();
        let service = Service::start::<&str>([]);
        let mut tab = Tab::open(&browser, &service, "#/page").await;
        tab.paste("<p>A page.</p>").await;
        let mut faults = Vec::new();
        for (name, case) in CASES.iter().filter(|(name, _)| *name != "connection-ahead") {
            let html = json!(page(case, trap.port));
            tab.get(&format!(
                "new Promise(resolve => {{ const frame = document.querySelector('iframe'); frame.addEventListener('load', () => {{ \
                 const page = frame.contentDocument; page.open(); page.write({html}); page.close(); setTimeout(resolve, 30); }}, {{once: true}}); \
                 frame.src = '/frame.html'; }})"
            ))
            .await;
            // The console names what is blocked.
            tab.noise();
            let ran = tab
                .get("window.hacked !== undefined || /hacked/.test(document.title)")
                .await;
            // (Chromium connects to where a frame leads before it asks the policy, but requests nothing.)
            let (_, requests) = trap.take();
            if ran == true || requests > 0 {
                faults.push(format!("{name}: a script ran: {ran}, {requests} requests"));
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        tab.noise();
        tab.end().await;
    });
}

/// The trap catches: the same pages do what they want in a tab of their own.
#[test]
fn without_the_viewer_the_same_pages_do_harm() {
    with_browser(async |mut browser| {
        let trap = Trap::set();
        let (mut ran, mut requested) = (0, 0);
        for (number, _) in CASES.iter().enumerate() {
            // (A page can end the browser.)
            let page = match browser.new_page().await {
                Ok(page) => page,
                Err(_) => {
                    browser = Browser::launch(&Launch::default()).await.unwrap();
                    browser.new_page().await.unwrap()
                }
            };
            page.session().call("Page.enable", json!({})).await.ok();
            let mut events = page.session().events();
            let url = json!({"url": format!("http://127.0.0.1:{}/case/{number}", trap.port)});
            // (A page that closes its tab has no answer.)
            page.session().call("Page.navigate", url).await.ok();
            tokio::time::sleep(Duration::from_millis(120)).await;
            // A script that ran says so in a dialog.
            let dialog = |event: Event| event.method == "Page.javascriptDialogOpening";
            ran += usize::from(std::iter::from_fn(|| events.try_next()).any(dialog));
            requested += usize::from(trap.take().1 > 0);
            page.close().await.ok();
        }
        assert!(
            ran > 4 && requested > 10,
            "{ran} ran, {requested} requested something"
        );
    });
}
