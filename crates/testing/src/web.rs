//! A small web on one port of this machine: hosts with pages, and with the traps that crawlers meet.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::{Head, Server};

/// Pages of the ordinary hosts: each has links to the ten that follow from its number.
pub const PAGES: u64 = 40;
/// The hosts.
pub const HOSTS: [&str; 3] = ["a.test", "b.test", "c.test"];

/// A request: what was asked for, and when.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Without scheme and port: `a.test/p/1`.
    pub url: String,
    /// When it came.
    pub time: Instant,
    /// Its headers.
    pub head: Head,
}

/// What a server answers: header lines and a body.
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Header lines, each with its end; the length is added.
    pub lines: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// A page, status 200.
    pub fn html(body: impl Into<String>) -> Reply {
        Reply {
            status: 200,
            lines: "Content-Type: text/html; charset=utf-8\r\n".to_owned(),
            body: body.into().into_bytes(),
        }
    }

    /// With another header line.
    pub fn with(mut self, line: &str) -> Reply {
        self.lines += &format!("{line}\r\n");
        self
    }

    /// With another status.
    pub fn status(mut self, status: u16) -> Reply {
        self.status = status;
        self
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let length = self.body.len();
        let head = format!(
            "HTTP/1.1 {} Reason\r\n{}Content-Length: {length}\r\n\r\n",
            self.status, self.lines
        );
        out.write_all(&[head.as_bytes(), &self.body].concat())
    }
}

/// The small web.
pub struct Site {
    server: Server,
    hits: Arc<Mutex<Vec<Hit>>>,
}

impl Site {
    /// Of ordinary pages and all traps.
    pub fn start() -> Site {
        Site::of(|_| None)
    }

    /// With other answers of one's own, by URL without the scheme and the port.
    pub fn of(own: impl Fn(&Hit) -> Option<Reply> + Send + Sync + 'static) -> Site {
        let hits: Arc<Mutex<Vec<Hit>>> = Arc::default();
        let log = Arc::clone(&hits);
        let server = Server::start(move |stream| serve(stream, &log, &own));
        Site { server, hits }
    }

    /// The port of all hosts.
    pub fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// A URL of a host.
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port())
    }

    /// All requests so far.
    pub fn hits(&self) -> Vec<Hit> {
        self.hits.lock().unwrap().clone()
    }

    /// How often each URL was asked for.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for hit in self.hits() {
            *counts.entry(hit.url).or_default() += 1;
        }
        counts
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<Hit>>, own: &impl Fn(&Hit) -> Option<Reply>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut out = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let head = Head::read_whole(&mut reader)?;
        let host = head.header("host").unwrap_or_default().split(':').next();
        let hit = Hit {
            url: format!("{}/{}", host.unwrap_or_default(), head.target),
            time: Instant::now(),
            head,
        };
        let before = log
            .lock()
            .unwrap()
            .iter()
            .filter(|other| other.url == hit.url)
            .count();
        log.lock().unwrap().push(hit.clone());
        match own(&hit) {
            Some(reply) => reply.write(&mut out)?,
            None => answer(&hit, before, &mut out)?,
        }
    }
}

/// The answer of the small web for a URL that was asked for so often before.
fn answer(hit: &Hit, before: usize, out: &mut TcpStream) -> io::Result<()> {
    let (host, path) = hit.url.split_at(hit.url.find('/').unwrap_or_default());
    let port = out.local_addr()?.port();
    let words: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match words.as_slice() {
        ["robots.txt"] => Reply::html("User-agent: *\nDisallow: /kept/\nSitemap: /map.xml.gz\n")
            .with("X-Kind: robots")
            .write(out),
        [""] => home(host, port).write(out),
        ["p", number] => page(host, port, number).write(out),
        ["map.xml.gz"] => sitemap(host, port).write(out),
        ["kept", _] => Reply::html("kept").write(out),
        // Months without end.
        ["calendar", month] => {
            let next = month.parse::<u64>().unwrap_or_default() + 1;
            Reply::html(format!("<a href=/calendar/{next}>next</a>")).write(out)
        }
        // Each page has links with a new id of a session.
        ["s", id, ..] => {
            let number = u64::from_str_radix(&id[..12.min(id.len())], 16).unwrap_or_default();
            let id = |salt: u64| format!("{:012x}1a2b3c", (number * 31 + salt) & 0xffff_ffff_ffff);
            let links = (1..4).map(|salt| format!("<a href=/s/{}/view>x</a>", id(salt)));
            Reply::html(links.collect::<String>()).write(out)
        }
        ["loop", number] => {
            let next = (number.parse::<u64>().unwrap_or_default() + 1) % 3;
            Reply::html("")
                .status(302)
                .with(&format!("Location: /loop/{next}"))
                .write(out)
        }
        ["chain", number] => {
            let next = number.parse::<u64>().unwrap_or_default() + 1;
            Reply::html("")
                .status(301)
                .with(&format!("Location: /chain/{next}"))
                .write(out)
        }
        ["busy"] if before == 0 => Reply::html("").status(503).with("Retry-After: 1").write(out),
        ["endless"] => endless(out),
        ["drip"] => drip(out),
        ["lying"] => {
            out.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>short",
            )?;
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        ["chunked"] => out.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTRANSFER-encoding: chunked\r\n\r\n\
              7\r\n<p>one \r\n6;x=y\r\nharbor\r\n0\r\n\r\n",
        ),
        ["gzip"] => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            gzip.write_all(b"<p>packed <a href=/found-in-gzip>x</a>")?;
            let mut reply = Reply::html("").with("Content-Encoding: gzip");
            reply.body = gzip.finish()?;
            reply.write(out)
        }
        ["picture"] => Reply {
            status: 200,
            lines: "Content-Type: image/png\r\n".to_owned(),
            body: vec![0; 1000],
        }
        .write(out),
        ["busy" | "found-in-gzip"] => Reply::html("<p>here").write(out),
        _ => Reply::html("<p>nothing here").status(404).write(out),
    }
}

fn home(host: &str, port: u16) -> Reply {
    let mut links =
        "<a href=/p/0>pages</a><a href=/kept/1>kept</a><a rel=nofollow href=/p/nofollow>x</a>".to_owned();
    if host == HOSTS[0] {
        for trap in [
            "calendar/1",
            "s/0123456789ab1a2b3c/view",
            "loop/0",
            "chain/0",
            "busy",
            "endless",
            "drip",
            "lying",
            "chunked",
            "gzip",
            "picture",
            "missing",
            "x/x/x/x/x",
        ] {
            links += &format!("<a href=/{trap}>x</a>");
        }
        links += &format!("<a href=http://127.0.0.1:{port}/private>x</a>");
        links += "<a href=http://other.example/>x</a>";
    }
    Reply::html(links)
}

fn page(host: &str, port: u16, number: &str) -> Reply {
    let Some(number) = number.parse().ok().filter(|&number: &u64| number < PAGES) else {
        return Reply::html("no").status(404);
    };
    let children = (number * 10 + 1..=number * 10 + 10).filter(|&child| child < PAGES);
    let mut links: String = children
        .map(|child| format!("<a href=/p/{child}?PHPSESSID={child}#top>{child}</a>"))
        .collect();
    for other in HOSTS {
        links += &format!("<a href=http://{other}:{port}/p/{number}>x</a>");
    }
    Reply::html(format!(
        "<title>{number}</title><p>Page {number} of {host}.</p>{links}"
    ))
    .with(&format!("ETag: \"{host}-{number}\""))
}

fn sitemap(host: &str, port: u16) -> Reply {
    let map = format!("<urlset><url><loc>http://{host}:{port}/p/by-map</loc></url></urlset>");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(map.as_bytes()).unwrap();
    Reply {
        status: 200,
        lines: "Content-Type: application/x-gzip\r\n".to_owned(),
        body: gzip.finish().unwrap(),
    }
}

fn endless(out: &mut TcpStream) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")?;
    loop {
        out.write_all(&[b'x'; 8192])?;
    }
}

fn drip(out: &mut TcpStream) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")?;
    loop {
        out.write_all(b".")?;
        std::thread::sleep(Duration::from_millis(50));
    }
}
