//! Chromium without a window, over the DevTools protocol: a pipe with a JSON text each way, and a zero byte
//! after each text. It needs no other program and no library.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The variable that names the browser. Where it is set, a browser that is missing fails and is not skipped.
pub(crate) const NAMED: &str = "WARPPROOF_CHROMIUM";
/// Names of the browser.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// No answer takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    output: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// Pages that were loaded.
    loads: usize,
    /// What the page asked for, and the errors of its script.
    pub(crate) requests: Vec<String>,
    pub(crate) errors: Vec<String>,
}

/// The browser of this machine, if there is one.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(NAMED) {
        return Some(named.into());
    }
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

impl Browser {
    /// Starts it, with a new profile in `folder`.
    pub(crate) fn start(program: &Path, folder: &Path) -> Self {
        // Chromium reads descriptor 3 and writes descriptor 4.
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null";
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(program).args([
            "--headless=new",
            // The pages are our own, and root has no sandbox.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--force-device-scale-factor=1",
            "--window-size=1280,900",
            "--remote-debugging-pipe",
        ]);
        command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(std::fs::File::create(folder.join("chromium.log")).expect("the folder is writable"));
        let mut child = command.spawn().expect("there is a shell");
        let (input, pipe) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for text in BufReader::new(pipe).split(0) {
                let Ok(Ok(message)) = text.map(|text| serde_json::from_slice(&text)) else { return };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (requests, errors) = (Vec::new(), Vec::new());
        let mut browser = Self { child, input, output, session: None, number: 0, loads: 0, requests, errors };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", attach)["sessionId"].clone();
        browser.session = session.as_str().map(str::to_string);
        for domain in ["Page.enable", "Runtime.enable", "Network.enable"] {
            browser.ask(domain, json!({}));
        }
        browser
    }

    /// Asks for something and waits for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut message = json!({ "id": number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let sent = self.input.write_all(format!("{message}\0").as_bytes());
        sent.expect("the browser has not ended; chromium.log says why");
        let answer = self.wait(|message| message["id"] == number);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a message, and notes what the others tell.
    fn wait(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.output.recv_timeout(PATIENCE);
            let message = message.expect("the browser answers within a minute; chromium.log may say why");
            match message["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    self.requests
                        .push(message["params"]["request"]["url"].as_str().unwrap_or("?").to_string());
                }
                Some("Page.loadEventFired") => self.loads += 1,
                Some("Runtime.exceptionThrown") => self.errors.push(message.to_string()),
                _ => {}
            }
            if is(&message) {
                return message;
            }
        }
    }

    /// Opens a file, with what comes after its name, and waits until it is loaded.
    pub(crate) fn open(&mut self, page: &Path, rest: &str) {
        // Without this a change of the rest alone would load nothing.
        self.load("about:blank");
        self.load(&format!("file://{}{rest}", page.display()));
    }

    fn load(&mut self, url: &str) {
        self.ask("Page.navigate", json!({ "url": url }));
        self.wait(|message| message["method"] == "Page.loadEventFired");
    }

    /// The value of an expression on the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let params = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.ask("Input.dispatchKeyEvent", params);
        }
    }

    /// Clicks into the middle of an element.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }}); \
             const r = e.getBoundingClientRect(); return {{ x: r.x + r.width / 2, y: r.y + r.height / 2 }} }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({ "type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", params);
        }
    }

    /// Clicks on a link and waits until the page is loaded that it leads to.
    pub(crate) fn follow(&mut self, selector: &str) {
        let before = self.loads;
        self.click(selector);
        if self.loads == before {
            self.wait(|message| message["method"] == "Page.loadEventFired");
        }
    }

    /// A picture of what is in view, as base64.
    pub(crate) fn picture(&mut self) -> String {
        let answer = self.ask("Page.captureScreenshot", json!({ "format": "png" }));
        answer["data"].as_str().expect("a picture").to_string()
    }

    /// How many colours a picture has, as the browser decodes it.
    pub(crate) fn colours(&mut self, picture: &str) -> u64 {
        let count = format!(
            "new Promise((done) => {{ const image = new Image(); image.onload = () => {{ \
             const canvas = new OffscreenCanvas(image.width, image.height); const c = canvas.getContext('2d'); \
             c.drawImage(image, 0, 0); \
             const words = new Uint32Array(c.getImageData(0, 0, image.width, image.height).data.buffer); \
             done(new Set(words).size) }}; image.src = 'data:image/png;base64,{picture}' }})"
        );
        self.value(&count).as_u64().expect("a number")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It is of no use any more, whatever becomes of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a base64 text.
pub(crate) fn bytes(base64: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = base64.bytes().filter(|c| *c != b'=').map(|c| digit(c).into()).collect();
    let group = |four: &[u32]| {
        let word = four.iter().enumerate().fold(0, |word, (at, digit)| word | digit << (18 - 6 * at));
        word.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
