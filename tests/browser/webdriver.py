"""A browser for tests: chromium driven by chromedriver over HTTP, with nothing but the standard library.

Places come from RANGESCOPE_CHROMIUM and RANGESCOPE_CHROMEDRIVER (default: the Debian packages').
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars=false",
]  # fmt: skip
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "PageDown": "\ue00f",
    "End": "\ue010", "Home": "\ue011", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
}  # fmt: skip


class Browser:
    """One browser window; use it with `with`."""

    def __init__(self, width=1440, height=900):
        self.width, self.height = width, height

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="rangescope-browser-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        driver = os.environ.get("RANGESCOPE_CHROMEDRIVER", "/usr/bin/chromedriver")
        self.driver = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.root = f"http://127.0.0.1:{port}"
        options = {
            "binary": os.environ.get("RANGESCOPE_CHROMIUM", "/usr/bin/chromium"),
            "args": [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={self.width},{self.height}"],
        }
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        for _ in range(150):
            try:
                if self._send("GET", "/status")["ready"]:
                    break
            except (OSError, KeyError):
                time.sleep(0.2)
        try:
            session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except BaseException:
            self._stop()
            raise
        self.root += f"/session/{session['sessionId']}"
        self.resize(self.width, self.height)
        return self

    def __exit__(self, *_):
        try:
            self._send("DELETE", "")
        except OSError:
            pass
        self._stop()

    def _stop(self):
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.root + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{value['error']}: {value['message']}") from None

    def resize(self, width, height):
        """The size of what the page sees, not of the window."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def dark(self, dark):
        self.cdp(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def open(self, path, fragment=""):
        self._send("POST", "/url", {"url": f"file://{path}{fragment}"})
        self.wait("document.documentElement.dataset.ready === 'true'")

    def leave(self):
        """Goes away from the page, so that it is loaded anew even if only its fragment differs."""
        self._send("POST", "/url", {"url": "about:blank"})

    def run(self, script, *arguments):
        """The value of a JavaScript expression; arguments are `arguments[0]` and so on."""
        return self._send("POST", "/execute/sync", {"script": f"return ({script});", "args": list(arguments)})

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > end:
                raise AssertionError(f"never came true: {condition}")
            time.sleep(0.02)

    def later(self, script):
        """The value that a JavaScript promise comes to; in it `settle()` waits until what was asked for is drawn."""
        settle = "const settle = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));"
        script = f"const done = arguments[0]; {settle} ({script}).then(done, (error) => done(String(error)));"
        return self._send("POST", "/execute/async", {"args": [], "script": script})

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.later("settle()")

    def find(self, selector):
        return self._send("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """A real click in the middle of an element."""
        origin = {ELEMENT: self.find(selector)}
        self._actions(
            {
                "type": "pointer",
                "id": "mouse",
                "parameters": {"pointerType": "mouse"},
                "actions": [
                    {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin},
                    {"type": "pointerDown", "button": 0},
                    {"type": "pointerUp", "button": 0},
                ],
            }
        )
        self.settle()

    def hover(self, selector):
        self._actions(
            {
                "type": "pointer",
                "id": "mouse",
                "parameters": {"pointerType": "mouse"},
                "actions": [
                    {
                        "type": "pointerMove",
                        "duration": 0,
                        "x": 0,
                        "y": 0,
                        "origin": {ELEMENT: self.find(selector)},
                    }
                ],
            }
        )
        self.settle()

    def press(self, *keys):
        """Keys by name (`Enter`, `Down`) or as single characters, one after the other."""
        pressed = []
        for key in keys:
            value = KEYS.get(key, key)
            pressed += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._actions({"type": "key", "id": "keyboard", "actions": pressed})
        self.settle()

    def type(self, text):
        self.press(*text)

    def _actions(self, source):
        self._send("POST", "/actions", {"actions": [source]})

    def choose(self, selector, value):
        """Chooses an option of a select, as a user's choice is told to the page."""
        self.run(
            "(() => { const s = document.querySelector(arguments[0]); s.value = arguments[1]; "
            "s.dispatchEvent(new Event('change', {bubbles: true})); })()",
            selector,
            value,
        )
        self.settle()

    def text(self, selector):
        return self.run("document.querySelector(arguments[0])?.textContent ?? null", selector)

    def count(self, selector):
        return self.run("document.querySelectorAll(arguments[0]).length", selector)

    def console(self):
        """What the page wrote to the console since the last call, errors of policy and scripts included."""
        return self._send("POST", "/se/log", {"type": "browser"})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._send("GET", "/screenshot")))

    def pdf(self):
        return base64.b64decode(self._send("POST", "/print", {}))

    def cdp(self, command, **parameters):
        return self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})
