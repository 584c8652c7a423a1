//! `duet run --live`: the page of a run. The runs here end by themselves only where a test says so;
//! the others simulate for an hour, and are ended when a test has what it needs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::desk::Desk;

/// Links between GPUs that need 1000 cycles for a byte.
const LONG: &str = "run --system cpelide-4-small --set machine.gpus=2 \
    --set placement.policy=interleave --set gpu_link.bytes_per_ns=0.001 \
    --workload stream --set workload.size=32768";

/// A run with a page.
struct Live {
    run: Child,
    port: u16,
    token: String,
}

impl Live {
    fn start(desk: &Desk, words: &str) -> Self {
        let mut run = Command::new(env!("CARGO_BIN_EXE_duet"))
            .args(words.split_whitespace())
            .arg("--live")
            .current_dir(desk.file(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(run.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.strip_prefix("live page: http://127.0.0.1:").expect(&line);
        let (port, token) = rest.trim_end().split_once('/').expect(&line);
        let token = token.strip_suffix('/').expect(&line).to_string();
        assert!(token.len() == 32 && token.chars().all(|c| c.is_ascii_hexdigit()), "{line}");
        Self { port: port.parse().unwrap(), run, token }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// The status and the body of an answer.
    fn ask(&self, request: &str) -> (String, String) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
        let (status, _) = head.split_once("\r\n").unwrap();
        (status.strip_prefix("HTTP/1.1 ").unwrap().to_string(), body.to_string())
    }

    fn get(&self, path: &str) -> (String, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port))
    }

    /// The state after this one.
    fn state(&self, after: u64) -> Value {
        let (status, body) = self.get(&format!("/{}/state?after={after}", self.token));
        assert_eq!(status, "200 OK", "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// The first state of which this holds.
    fn state_with(&self, holds: impl Fn(&Value) -> bool) -> Value {
        let mut state = self.state(0);
        while !holds(&state) {
            assert_eq!(state["verdict"], Value::Null, "{state}");
            state = self.state(state["number"].as_u64().unwrap());
        }
        state
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.run.kill();
        let _ = self.run.wait();
    }
}

/// Follows a run to its last state, or until its server is gone.
fn follow(port: u16, token: &str) {
    let mut number = 0;
    while let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
        let path = format!("/{token}/state?after={number}");
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut answer = String::new();
        let sent = stream.write_all(request.as_bytes());
        if sent.and_then(|()| stream.read_to_string(&mut answer)).is_err() {
            return;
        }
        let Some((_, body)) = answer.split_once("\r\n\r\n") else { return };
        let state: Value = serde_json::from_str(body).unwrap();
        if let Some(verdict) = state["verdict"].as_str() {
            assert!(verdict.starts_with("PASS "), "{verdict}");
            assert_eq!(state["accesses"][0], state["accesses"][1], "{state}");
            return;
        }
        number = state["number"].as_u64().unwrap();
    }
}

/// Results, counters and the printed table, of models, of several threads and of several GPUs.
#[test]
fn a_run_with_a_page_is_the_run_without() {
    let desk = Desk::on_any_build("live_same");
    let size = "--workload stream --set workload.size=16384";
    for (name, words) in [
        ("one", format!("--system cpelide-4-small {size}")),
        ("gpus", format!("--system rec-4gpu-small {size}")),
        ("stc", "--system stc-8cu-small --workload bfs".to_string()),
    ] {
        let without = desk.passes(&format!("run {words} --json {name}.json --audit {name}.txt"));
        let words = format!("run {words} --json {name}-live.json --audit {name}-live.txt");
        let mut run = Command::new(env!("CARGO_BIN_EXE_duet"))
            .args(words.split_whitespace())
            .arg("--live")
            .current_dir(desk.file(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(run.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("live page: http://127.0.0.1:").expect(&line);
        let (port, token) = address.trim_end_matches('/').split_once('/').expect(&line);
        let (port, token) = (port.parse().unwrap(), token.to_string());
        let reader = thread::spawn(move || follow(port, &token));
        let left = run.wait_with_output().unwrap();
        reader.join().unwrap();
        assert_eq!(left.status.code(), Some(0), "{name}");
        assert_eq!(String::from_utf8(left.stdout).unwrap(), without.stdout, "{name}");
        for ending in ["json", "system.toml", "txt"] {
            let [one, other] = [name.to_string(), format!("{name}-live")]
                .map(|name| desk.read(&format!("{name}.{ending}")));
            // A file names itself.
            assert_eq!(one, other.replace(&format!("{name}-live"), name), "{name}.{ending}");
        }
        // Nothing else is printed.
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "{name}");
    }
}

#[test]
fn states_show_progress_throughput_occupancy_and_waits() {
    let desk = Desk::on_any_build("live_state");
    let live = Live::start(&desk, LONG);
    // The links are what all wait for in the end.
    let waits = |state: &Value| state["ends"].as_array().is_some_and(|ends| !ends.is_empty());
    let state = live.state_with(waits);
    assert_eq!(state["ends"][0]["name"], "gpu_links", "{state}");
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value} in {state}"));
    for (field, all) in [("accesses", 3 * 6 * 32768), ("kernels", 12), ("groups", 1536)] {
        let (done, of) = (number(&state[field][0]), number(&state[field][1]));
        assert!(done < of && of == all, "{field}: {done} of {of}");
    }
    assert_eq!(state["running"], serde_json::json!(["copy"]));
    assert!(number(&state["cycle"]) > 0 && number(&state["accesses"][0]) > 0);
    let names: Vec<_> = state["levels"].as_array().unwrap().iter().map(|l| &l["name"]).collect();
    assert_eq!(names.len(), 8, "{state}");
    assert_eq!((names[0], names[5]), (&Value::from("L1"), &Value::from("DRAM")));
    let used = |name: &str| {
        let all = state["occupancy"].as_array().unwrap();
        let one = all.iter().find(|one| one["name"] == name).expect(name);
        (number(&one["used"]), number(&one["of"]), number(&one["full"]))
    };
    let (held, of, full) = used("requests to L2");
    assert!(full > 0 && held > 0 && held <= of, "{state}");
    // 8 CUs with 80 MSHRs each.
    assert_eq!(used("L1 MSHRs").1, 640);
    let waves = state["waves"].as_array().unwrap();
    assert!(waves.iter().map(|wave| number(&wave[1])).sum::<u64>() > 0);
    // Both directions of time: a later state is no earlier one.
    let later = live.state(number(&state["number"]));
    assert!(number(&later["number"]) > number(&state["number"]));
    assert!(number(&later["cycle"]) >= number(&state["cycle"]));
}

/// A request without the token or with another Host gets nothing; what is too long or breaks off
/// ends that connection alone; several readers are answered.
#[test]
fn what_is_not_asked_properly_is_refused_and_the_run_goes_on() {
    let desk = Desk::on_any_build("live_refused");
    let live = Live::start(&desk, LONG);
    let token = live.token.clone();
    let page = format!("/{token}/");
    let wrong = format!("/{}/", "0".repeat(32));
    for path in ["/", "/favicon.ico", &wrong, &format!("/{token}/../{token}/"), "/etc/passwd"] {
        let (status, body) = live.get(path);
        assert_eq!((&status[..], body.contains(&token)), ("404 Not Found", false), "{path}");
    }
    let foreign = format!("GET {page} HTTP/1.1\r\nHost: rebound.example:{}\r\n\r\n", live.port);
    assert_eq!(live.ask(&foreign).0, "403 Forbidden");
    assert_eq!(live.ask(&format!("GET {page} HTTP/1.1\r\n\r\n")).0, "403 Forbidden");
    let post = format!("POST {page} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(live.ask(&post).0, "405 Method Not Allowed");
    let long = format!("GET {page} HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(8192));
    assert_eq!(live.ask(&long[..8192]).0, "431 Request Header Fields Too Large");
    // Some that send nothing, half a request, or take no answer.
    let idle = [(); 2].map(|()| live.connect());
    for part in ["", "GET /", &format!("GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n")] {
        let mut stream = live.connect();
        stream.write_all(part.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
    }
    let mut stream = live.connect();
    stream.write_all(format!("GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    stream.read_exact(&mut [0; 10]).unwrap();
    drop(stream);
    // Two readers, each with states of its own that follow each other.
    let live = &live;
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut number = 0;
                for _ in 0..3 {
                    let next = live.state(number)["number"].as_u64().unwrap();
                    assert!(next > number, "{next} after {number}");
                    number = next;
                }
            });
        }
    });
    let (status, body) = live.get(&page);
    assert_eq!(status, "200 OK");
    assert!(body.starts_with("<!DOCTYPE html>"), "{body}");
    for outside in ["https:", " src=", "@import", "url("] {
        assert!(!body.contains(outside), "{outside}");
    }
    drop(idle);
}

#[test]
fn a_port_in_use_is_a_warning() {
    let desk = Desk::on_any_build("live_port");
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let words = "run --system cpelide-4-small --workload reuse";
    let left = desk.duet(&format!("{words} --live={port}"));
    assert_eq!(left.status, 0, "{}", left.stderr);
    assert!(left.last_line().starts_with("PASS reuse: "), "{}", left.stdout);
    let expected = format!("duet: warning: --live: port {port}: Address");
    assert!(left.stderr.starts_with(&expected), "{}", left.stderr);
    assert!(left.stderr.ends_with("; the run goes on without its page\n"), "{}", left.stderr);
    assert_eq!(left.stderr.lines().count(), 1, "{}", left.stderr);
    desk.refuses(2, &format!("{words} --live=65536"), &["65536", "--live"]);
    desk.refuses(2, "compare --system cpelide-4-small --workload reuse --live", &["--live"]);
}

/// The page as a browser shows it, where there is one.
#[test]
fn a_browser_shows_the_state() {
    let desk = Desk::on_any_build("live_browser");
    let mut browser = Command::new("chromium");
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--dump-dom",
    ]);
    browser.arg(format!("--user-data-dir={}", desk.file("profile").display()));
    if let Err(problem) = Command::new("chromium").arg("--version").output() {
        println!("skipped: chromium: {problem}");
        return;
    }
    let live = Live::start(&desk, LONG);
    live.state_with(|state| state["ends"].as_array().is_some_and(|ends| !ends.is_empty()));
    browser.arg(format!("http://127.0.0.1:{}/{}/", live.port, live.token));
    let shown = browser.output().unwrap();
    let dom = String::from_utf8(shown.stdout).unwrap();
    for part in [
        "stream on cpelide-4-small",
        "id=\"status\" aria-live=\"polite\" class=\"\">running<",
        ">loads and atomics</dt><dd>",
        " of 589\u{202f}824 (",
        "<dt>kernel</dt><dd>copy</dd>",
        ">DRAM</span>",
        ">L2 MSHRs</span>",
        "<td>gpu_links</td>",
        "title=\"wait until their CU can issue: ",
    ] {
        assert!(dom.contains(part), "{part} in {dom}");
    }
}
