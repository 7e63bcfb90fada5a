#!/usr/bin/env python3
"""Lane "Page": the HTML page in a real browser.

    page.py PAGE_EXAMPLE [--shots FOLDER] [REPORT.json...]

PAGE_EXAMPLE is the example `page` of the crate rangescope-report, which makes the pages that are
looked at; reports given are opened too. Environment: RANGESCOPE_CHROMIUM, RANGESCOPE_CHROMEDRIVER.
"""

import argparse
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "browser"))

import checks
from webdriver import Browser


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("example")
    arguments.add_argument("reports", nargs="*")
    arguments.add_argument("--shots", help="screenshots of every page go here")
    options = arguments.parse_args()

    failed = []
    with tempfile.TemporaryDirectory(prefix="rangescope-page-") as folder, Browser() as browser:
        pages = {name: made(options.example, arguments, folder, name) for name, arguments in {
            "small": ["--regions", "20"], "many": ["--regions", "5000"], "kernels": ["--kernels", "3000", "50"],
            "hostile": ["--hostile"], "compared": ["--compared", "60"],
        }.items()}  # fmt: skip
        for report in options.reports:
            name = Path(report).stem
            pages[name] = made(options.example, [report], folder, name)

        tests = [(page, check) for page, check in checks.CHECKS if page in pages]
        tests += [(page, check) for page in pages for check in checks.FOR_ALL]
        for page, check in tests:
            name = f"{check.__name__} ({page})"
            try:
                browser.resize(1440, 900)
                browser.dark(False)
                browser.open(pages[page])
                browser.settle()
                check(browser, pages[page])
                quiet(browser)
                print(f"ok      {name}")
            except Exception:  # noqa: BLE001 - every failure is reported, none ends the lane
                failed.append(name)
                print(f"FAILED  {name}\n{traceback.format_exc()}")
        for page, path in pages.items():
            measured(browser, page, path)
            if options.shots:
                shots(browser, page, path, Path(options.shots))

    print(f"page: {len(tests)} checks of {len(pages)} pages, {len(failed)} failed")
    sys.exit(1 if failed else 0)


def made(example, arguments, folder, name):
    path = Path(folder) / f"{name}.html"
    with path.open("wb") as out:
        subprocess.run([example, *arguments], stdout=out, check=True)
    return path


def quiet(browser):
    """Nothing may be on the console: no error, no warning, no word of the policy."""
    said = browser.console()
    assert not said, said


def measured(browser, name, path):
    """Prints what was measured; judges nothing."""
    browser.open(path)
    browser.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
    paint = browser.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = browser.run("performance.getEntriesByName('ready')[0].startTime")
    elements = browser.count("*")
    print(f"measured {name}: {path.stat().st_size / 1e6:.1f} MB, script done after {ready:.0f} ms, "
          f"first view after {paint:.0f} ms, {elements} elements")  # fmt: skip


def shots(browser, name, path, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in ((1440, 900), (800, 600)):
        for dark in (False, True):
            browser.resize(width, height)
            browser.dark(dark)
            browser.open(path)
            browser.settle()
            browser.screenshot(folder / f"{name}-{width}-{'dark' if dark else 'light'}.png")


if __name__ == "__main__":
    main()
