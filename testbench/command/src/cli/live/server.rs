//! The server of a live page: it answers GET of two paths below the token, and nothing else.
//!
//! It is reached on the loopback interface alone. What another user, or a page of another site in
//! the user's browser, can send it is refused: without the token there is no page, and a request
//! with a foreign `Host` (DNS rebinding) gets nothing. A request has a limit in bytes and in time;
//! a reader that goes away in the middle of an answer ends that answer alone.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::page;
use super::readings::{Reading, Readings};
use super::state::{About, State};

/// Requests that are answered at a time. A browser opens connections ahead of its requests.
const WORKERS: usize = 8;
/// Bytes of a request.
const LIMIT: usize = 8192;
/// Time for a request to arrive, and for an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(2);
/// Of each answer: no cache keeps it, it loads nothing from elsewhere, and no other site receives
/// its address, which holds the token.
const HEADERS: &str = "Connection: close\r\nCache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n";

/// What is served.
pub struct Site {
    pub token: String,
    pub about: About,
    pub readings: Readings,
}

/// Answers from now on, on threads of its own.
pub fn serve(site: &Arc<Site>, listener: &Arc<TcpListener>) {
    for _ in 0..WORKERS {
        let (site, listener) = (site.clone(), listener.clone());
        let named = thread::Builder::new().name("live page".into());
        // Fewer are enough.
        let _ = named.spawn(move || {
            for stream in listener.incoming() {
                match stream {
                    // Nothing depends on a reader.
                    Ok(stream) => drop(site.answer(stream)),
                    // No file descriptor is free, say: not again at once.
                    Err(_) => thread::sleep(PATIENCE),
                }
            }
        });
    }
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Page,
    /// The first reading after this one.
    State(u64),
}

/// Why a request is refused: the status of the answer.
type Refused = &'static str;

impl Site {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let asked = match receive(&mut stream)? {
            Some(request) => asked(&request, &self.token),
            None => Err("431 Request Header Fields Too Large"),
        };
        match asked {
            Ok(Asked::Page) => {
                // A page begins with the newest reading that there is.
                let mut sent = Ok(());
                self.readings.answer(0, |reading| {
                    let text = page::page(&self.about, &self.json(reading));
                    sent = send(&mut stream, "200 OK", "text/html; charset=utf-8", &text);
                });
                sent
            }
            Ok(Asked::State(seen)) => {
                let mut sent = Ok(());
                self.readings.answer(seen, |reading| {
                    sent = send(&mut stream, "200 OK", "application/json", &self.json(reading));
                });
                sent
            }
            Err(status) => send(&mut stream, status, "text/plain", &format!("{status}\n")),
        }
    }

    fn json(&self, reading: &Reading) -> String {
        let state = State::of(&self.about, self.readings.facts(), reading);
        serde_json::to_string(&state).expect("plain data")
    }
}

/// A request, as far as the empty line that ends its headers; none where it is too long. Errors: it
/// does not arrive in time.
fn receive(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let deadline = Instant::now() + PATIENCE;
    let (mut request, mut part) = (Vec::new(), [0; 1024]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() >= LIMIT {
            return Ok(None);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let most = part.len().min(LIMIT - request.len());
        match stream.read(&mut part[..most])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => request.extend_from_slice(&part[..read]),
        }
    }
    Ok(Some(request))
}

/// What a request asks for. A wrong token is no such page, whatever else is wrong.
fn asked(request: &[u8], token: &str) -> Result<Asked, Refused> {
    let text = str::from_utf8(request).map_err(|_| "400 Bad Request")?;
    let mut lines = text.split("\r\n");
    let words: Vec<_> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = words[..] else {
        return Err("400 Bad Request");
    };
    let mut hosts = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    if !hosts.next().is_some_and(is_local) || hosts.next().is_some() {
        return Err("403 Forbidden");
    }
    let missing = "404 Not Found";
    let below = target.strip_prefix('/').and_then(|rest| rest.strip_prefix(token));
    let asked = match below.ok_or(missing)? {
        "/" => Asked::Page,
        below => {
            let seen = below.strip_prefix("/state?after=").ok_or(missing)?;
            Asked::State(seen.parse().map_err(|_| missing)?)
        }
    };
    if method == "GET" { Ok(asked) } else { Err("405 Method Not Allowed") }
}

/// Whether a `Host` is this computer, by a name that no other site can have. Any port: it may be
/// forwarded.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        Some(_) => return false,
        None => host,
    };
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

fn send(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{HEADERS}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_are_answered_on_this_computer_alone() {
        let of = |line: &str, host: &str| {
            asked(format!("{line}\r\nAccept: */*\r\n{host}\r\n\r\n").as_bytes(), "abc")
        };
        let local = "Host: 127.0.0.1:80";
        assert_eq!(of("GET /abc/ HTTP/1.1", local), Ok(Asked::Page));
        assert_eq!(of("GET /abc/state?after=7 HTTP/1.1", local), Ok(Asked::State(7)));
        for host in ["host:LOCALHOST:9000", "Host: localhost", "HOST:  127.0.0.1 "] {
            assert_eq!(of("GET /abc/ HTTP/1.1", host), Ok(Asked::Page), "{host}");
        }
        for target in [
            "/",
            "/ab/",
            "/abc",
            "/abd/",
            "/abc/../abc/",
            "//abc/",
            "/abc/state",
            "abc/",
            "/abc/state?after=",
            "/abc/state?after=-1",
            "/abc/state?after=7&x",
            "/favicon.ico",
            "/abc/state?after=18446744073709551616",
            "http://127.0.0.1/abc/",
        ] {
            let refused = of(&format!("GET {target} HTTP/1.1"), local);
            assert_eq!(refused, Err("404 Not Found"), "{target}");
        }
        for host in [
            "Host: duet.example:80",
            "Host: 127.0.0.1.example",
            "Host: localhost.example:80",
            "Host: 127.0.0.1:80:80",
            "Host: [::1]:80",
            "Host:",
            "X-Host: 127.0.0.1",
            "Host: 127.0.0.1\r\nHost: duet.example",
            "Host: 127.0.0.1:x",
        ] {
            assert_eq!(of("GET /abc/ HTTP/1.1", host), Err("403 Forbidden"), "{host}");
        }
        for line in ["GET /abc/", "GET  /abc/ HTTP/1.1", "GET /abc/ HTTP/2", "", "GET"] {
            assert_eq!(of(line, local), Err("400 Bad Request"), "{line}");
        }
        assert_eq!(of("POST /abc/ HTTP/1.1", local), Err("405 Method Not Allowed"));
        assert_eq!(asked(b"GET /abc/ HTTP/1.1\xff\r\n\r\n", "abc"), Err("400 Bad Request"));
    }
}
