"""A headless Chromium, driven by the DevTools protocol over its pipe (NUL-ended JSON)."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def browser():
    return next((p for p in map(shutil.which, BROWSERS) if p), None)


class Chrome:
    def __init__(self, profile, width=1280, height=900, words=()):
        to_read, self.out = os.pipe()
        self.inp, to_write = os.pipe()

        def pipes():
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run",
             "--enable-precise-memory-info", "--disable-dev-shm-usage",
             "--window-size=%d,%d" % (width, height), *words, "about:blank"],
            close_fds=False, preexec_fn=pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.number = 0
        self.session = None
        self.said = []  # what the console was told, and requests beyond the page
        target = next(t for t in self.call("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(domain + ".enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0,
                  downloadThroughput=0, uploadThroughput=0)
        self.size(width, height)

    def message(self, timeout):
        end = time.monotonic() + timeout
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                raise TimeoutError("chromium does not answer")
            data = os.read(self.inp, 1 << 20)
            if not data:
                raise EOFError("chromium is gone")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def event(self, m):
        what, p = m["method"], m.get("params", {})
        if what == "Runtime.exceptionThrown":
            d = p["exceptionDetails"]
            self.said.append(d.get("exception", {}).get("description") or d["text"])
        elif what == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning"):
            self.said.append(" ".join(str(a.get("description", a.get("value"))) for a in p["args"]))
        elif what == "Log.entryAdded" and p["entry"]["level"] == "error":
            self.said.append(p["entry"]["text"])
        elif what == "Network.requestWillBeSent":
            url = p["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.said.append("request: " + url)

    def call(self, method, timeout=60, **params):
        self.number += 1
        me = self.number
        message = {"id": me, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            m = self.message(timeout)
            if "method" in m:
                self.event(m)
            elif m.get("id") == me:
                if "error" in m:
                    raise RuntimeError("%s: %s" % (method, m["error"]["message"]))
                return m["result"]

    def size(self, width, height, dark=False, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=ratio, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script, timeout=60):
        r = self.call("Runtime.evaluate", timeout, expression=script, awaitPromise=True,
                      returnByValue=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description"))
        return r["result"].get("value")

    def until(self, script, timeout=60):
        """The first truth of @script; its last value when time is over."""
        end = time.monotonic() + timeout
        script = "(v => v instanceof Node ? true : v)(%s)" % script
        while True:
            value = self.run(script)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.02)

    def open(self, path, fragment=""):
        self.call("Page.navigate", url="about:blank")
        self.until("location.href === 'about:blank'")
        self.call("Page.navigate", url="file://" + path + fragment)
        self.until("document.readyState === 'complete'", 60)

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                  buttons=0 if kind == "mouseReleased" else 1,
                  clickCount=0 if kind == "mouseMoved" else 1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def hover(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                "ArrowDown": 40}.get(key, 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code,
                  **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def shot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", 5)
        except (OSError, EOFError, RuntimeError, TimeoutError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.out)
        os.close(self.inp)
