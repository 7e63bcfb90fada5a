#!/usr/bin/env python3
"""Lane "Page": the HTML page in a real browser.

    page.py PAGE_EXAMPLE RANGESCOPE [--shots FOLDER] [--only TEXT] [--results REPORT.ncu-rep...] [REPORT.json...]

PAGE_EXAMPLE is the example `page` of the crate rangescope-report, which makes the pages that are
looked at; reports given are opened too. What the page advises is compared with `RANGESCOPE advice`. Environment: RANGESCOPE_CHROMIUM, RANGESCOPE_CHROMEDRIVER.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "browser"))

import checks
from webdriver import Browser


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("example")
    arguments.add_argument("rangescope")
    arguments.add_argument("reports", nargs="*")
    arguments.add_argument("--results", nargs="*", default=[], help="reports of ncu with counts by instruction")
    arguments.add_argument("--shots", help="screenshots of every page go here")
    arguments.add_argument("--only", help="checks whose name holds this")
    options = arguments.parse_intermixed_args()

    failed = []
    with tempfile.TemporaryDirectory(prefix="rangescope-page-") as folder, Browser() as browser:
        pages = {name: made(options.example, arguments, folder, f"{name}.html") for name, arguments in {
            "small": ["--regions", "20"], "many": ["--regions", "5000"], "kernels": ["--charts", "--kernels", "3000", "50"],
            "hostile": ["--hostile"], "source": ["--source", "--regions", "20"], "compared": ["--compared", "60"], "bare": ["--kernels-only"],
            "layers": ["--charts", "--layers", "32"],
        }.items()}  # fmt: skip
        for report in options.results:
            pages[Path(report).stem] = rendered(options.rangescope, report, folder)
            checks.REPORTS[Path(report).stem] = report
            checks.SOURCES[Path(report).stem] = json.loads(subprocess.check_output([options.rangescope, "source", report, "--format", "json"]))
        families = made(options.example, ["--document", "--families"], folder, "families.json")
        ranks = made(options.example, ["--document", "--ranks", "10000", "300"], folder, "ranks.json")
        tests = []
        for report in [families, ranks, *map(Path, options.reports)]:
            pages[report.stem] = made(options.example, [report], folder, f"{report.stem}.html")
            checks.DOCUMENTS[report.stem] = json.loads(report.read_bytes())
            advice = [options.rangescope, "advice", report, "--format", "json"]
            checks.ADVICE[report.stem] = json.loads(subprocess.check_output(advice))
        checks.PROGRAM.append(options.rangescope)
        for wanted, check in checks.CHECKS:
            places = {checks.EVERY: pages, checks.WITH_ADVICE: checks.ADVICE, checks.WITH_SOURCE: checks.SOURCES}.get(wanted, [wanted])
            tests += [(page, check) for page in places if page in pages and (not options.only or options.only in check.__name__)]
        for page, check in tests:
            name = f"{check.__name__} ({page})"
            begin = time.monotonic()
            try:
                browser.resize(1440, 900)
                browser.dark(False)
                browser.leave()
                browser.open(pages[page])
                browser.settle()
                check(browser, pages[page])
                quiet(browser)
                print(f"ok      {name} {time.monotonic() - begin:.1f} s")
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
    path = Path(folder) / name
    with path.open("wb") as out:
        subprocess.run([example, *arguments], stdout=out, check=True)
    return path


def rendered(rangescope, report, folder):
    path = Path(folder) / f"{Path(report).stem}.html"
    subprocess.run([rangescope, "report", report, "--format", "html", "--out", path], check=True, stderr=subprocess.DEVNULL)
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
    """The page as it opens, its source, and the charts of one; the page follows size and theme without being opened anew."""
    folder.mkdir(parents=True, exist_ok=True)
    browser.leave()
    browser.open(path)
    for part, tab, place in (("", None, None), ("-source", "#view-tab-source", ".views"), ("-charts", "#panel-tab-charts", ".panel")):
        if (tab is not None and browser.count(tab) == 0) or (part == "-charts" and name != "layers"):
            continue
        browser.run("arguments[0] && document.querySelector(arguments[0]).click()", tab)
        for width, height in ((390, 844), (1100, 800), (1920, 1080)):
            for dark in (False, True):
                browser.resize(width, height)
                browser.dark(dark)
                browser.run("arguments[0] && document.querySelector(arguments[0]).scrollIntoView()", place)
                browser.settle()
                browser.screenshot(folder / f"{name}{part}-{width}-{'dark' if dark else 'light'}.png")


if __name__ == "__main__":
    main()
