//! Drawings of documents made up for tests: golden files, hostile names, sizes and errors.

#[cfg(feature = "png")]
mod png;

use rangescope_model::document::RegionDocument;
use rangescope_report::plot::{ColourMetric, Kind, PlotError, PlotRequest, bars, draw};
use rangescope_testing::documents::hostile;
use rangescope_testing::documents::tree::{self, of_rows, row, with_work};

/// The drawing's own run: two stages of a model, with work for a roofline.
fn serving() -> RegionDocument {
    with_work(tree::serving())
}

fn simulated() -> RegionDocument {
    RegionDocument { simulated: true, ..serving() }
}

/// So many regions with work, none in another.
fn many_points(regions: u32) -> RegionDocument {
    let rows: Vec<_> = (0..regions)
        .map(|at| row(&[&format!("stage.{at}")], "k", 1, 0.5 + f64::from(at) * 0.37))
        .collect();
    with_work(of_rows(&rows))
}

/// The report of everything.
fn aggregate(document: &RegionDocument) -> usize {
    document.reports.len() - 1
}

fn svg(document: &RegionDocument, request: &PlotRequest) -> String {
    draw(document, request).unwrap()
}

/// The letters, with everything that is in none of them left out.
fn texts(svg: &str) -> Vec<String> {
    let lines = svg.lines().filter(|line| line.starts_with("<text"));
    lines
        .map(|line| {
            line.split_once('>').unwrap().1.strip_suffix("</text>").unwrap_or(line).to_owned()
        })
        .collect()
}

#[test]
fn golden_drawings() {
    let document = serving();
    for kind in Kind::ALL {
        insta::assert_snapshot!(
            format!("{}.svg", kind.name()),
            svg(&document, &PlotRequest::new(kind))
        );
    }
}

#[test]
fn golden_dark_and_simulated() {
    let request = PlotRequest {
        dark: true,
        colour_metric: ColourMetric::Dram,
        region: Some("decode".to_owned()),
        ..PlotRequest::new(Kind::Icicle)
    };
    insta::assert_snapshot!("icicle-dark-simulated.svg", svg(&simulated(), &request));
}

#[test]
fn golden_bars() {
    insta::assert_snapshot!(bars(&simulated(), 80));
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    for kind in Kind::ALL {
        let request = PlotRequest::new(kind);
        let (one, other) = (serving(), serving());
        assert_eq!(svg(&one, &request), svg(&other, &request));
    }
}

#[test]
fn simulated_data_is_marked_in_every_drawing() {
    for kind in Kind::ALL {
        let real = svg(&serving(), &PlotRequest::new(kind));
        let simulated = svg(&simulated(), &PlotRequest::new(kind));
        assert!(!real.contains("imulated") && simulated.contains(">simulated</text>"), "{kind:?}");
        assert!(simulated.contains("The data is simulated.</desc>"), "{kind:?}");
    }
}

#[test]
fn drawings_are_accessible_and_legible() {
    for kind in Kind::ALL {
        let svg = svg(&serving(), &PlotRequest::new(kind));
        assert!(
            svg.contains(r#"role="img" aria-labelledby="#) && svg.contains("<desc id="),
            "{kind:?}"
        );
        for size in svg.split("font-size=\"").skip(1) {
            let size: f64 = size.split_once('"').unwrap().0.parse().unwrap();
            assert!(size >= 12.0, "{kind:?}: {size}");
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    let document = with_work(hostile::document());
    for kind in Kind::ALL {
        let svg = svg(&document, &PlotRequest::new(kind));
        let tags: Vec<&str> = svg
            .split('<')
            .skip(1)
            .map(|tag| tag.trim_start_matches('/').split([' ', '>', '/']).next().unwrap())
            .collect();
        let known = ["svg", "title", "desc", "rect", "g", "text", "line", "circle"];
        assert!(tags.iter().all(|tag| known.contains(tag)), "{kind:?}: {tags:?}");
        assert_eq!(hostile::acting(&svg), None, "{kind:?}");
        assert!(!svg.contains(['\u{fffe}', '\u{ffff}']), "{kind:?}");
        assert!(!svg.contains("onload='") && !svg.contains("onmouseover='"), "{kind:?}");
        // However long the names are, and the paths that are made of them; a column may have a few marks.
        let longest = svg.lines().map(str::len).max().unwrap();
        assert!(longest < 10_000, "{kind:?}: {longest}");
    }
    for line in bars(&document, 80).lines() {
        assert!(rangescope_model::text::width(line) <= 80, "{line}");
    }
}

#[test]
fn widths_are_inclusive_times() {
    let document = serving();
    let svg = svg(&document, &PlotRequest::new(Kind::Icicle));
    let report = &document.reports[aggregate(&document)];
    for region in &report.regions {
        let title = format!("<g><title>{}\n", region.name);
        let block = svg.split(&title).nth(1).unwrap().split("<rect").nth(1).unwrap();
        let width: f64 =
            block.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let expected = 920.0 * region.set.total_ms.unwrap() / report.totals.total_ms.unwrap();
        assert!((width - expected).abs() < 0.01, "{}: {width} and {expected}", region.name);
    }
    assert!(svg.contains("<title>in no region\n900 µs"));
}

#[test]
fn thousands_of_regions_and_levels() {
    for document in [tree::many_regions(2_000), tree::deep(500)] {
        let svg = svg(&document, &PlotRequest::new(Kind::Icicle));
        assert!(svg.contains("too small to draw"));
        assert!(svg.len() < 1_000_000);
        let text = bars(&document, 80);
        assert!(text.lines().count() < 70 && text.contains("lighter regions not shown"));
    }
}

#[test]
fn kernels_name_their_region() {
    let drawn = texts(&svg(&serving(), &PlotRequest::new(Kind::Kernels)));
    // Twice as long in decode as in prefill.
    assert!(drawn.contains(&"decode::norm +1".to_owned()), "{drawn:?}");
    assert!(drawn.contains(&"1,344".to_owned()), "{drawn:?}");
}

#[test]
fn a_region_can_be_drawn_alone() {
    for kind in Kind::ALL {
        let request = PlotRequest { region: Some("prefill".to_owned()), ..PlotRequest::new(kind) };
        let svg = svg(&serving(), &request);
        assert!(svg.contains("of prefill</title>") && !svg.contains("paged_attention"), "{kind:?}");
    }
}

#[test]
fn labels_of_the_roofline_do_not_overlap() {
    let svg = svg(&many_points(60), &PlotRequest::new(Kind::Roofline));
    let areas: Vec<(f64, f64, f64)> = svg
        .lines()
        .filter(|line| line.contains("paint-order"))
        .map(|line| {
            let number = |name: &str| -> f64 {
                line.split(name).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            let letters = line.split_once('>').unwrap().1.len() - "</text>".len();
            // Letters of this size are five pixels wide at least, but for a few.
            (number(" x=\""), number(" y=\""), letters as f64 * 5.0)
        })
        .collect();
    assert!(areas.len() > 8, "{}", areas.len());
    for (index, one) in areas.iter().enumerate() {
        for other in &areas[..index] {
            let apart = (one.1 - other.1).abs() >= 12.0
                || one.0 + one.2 <= other.0
                || other.0 + other.2 <= one.0;
            assert!(apart, "{one:?} {other:?}");
        }
    }
}

#[test]
fn errors_say_what_to_do() {
    let told = |document: &RegionDocument, request: PlotRequest| {
        let error: PlotError = draw(document, &request).unwrap_err();
        format!("{error}\n{}", error.hint().unwrap_or_default())
    };
    let plain = || PlotRequest::new(Kind::Roofline);
    let (serving, without_work) = (serving(), tree::serving());
    let nothing = of_rows(&[row(&["a"], "k", 1, 0.0)]);
    let all = [
        told(&without_work, plain()),
        told(&serving, PlotRequest { scope: Some("device:7".to_owned()), ..plain() }),
        told(&serving, PlotRequest { region: Some("decod".to_owned()), ..plain() }),
        told(&serving, PlotRequest { width: 10, ..plain() }),
        told(&nothing, plain()),
    ];
    insta::assert_snapshot!("errors", all.join("\n\n"));
}

#[test]
fn bubbles_are_where_the_axes_say() {
    let document = serving();
    let svg = svg(&document, &PlotRequest::new(Kind::Roofline));
    let attribute = |element: &str, name: &str| -> f64 {
        let value = element.split(&format!(" {name}=\"")).nth(1).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    };
    let tick = |words: &str, name: &str| {
        let end = format!(">{words}</text>");
        attribute(svg.lines().find(|line| line.ends_with(&end)).unwrap(), name)
    };
    let insight = rangescope_analyze::insight::Insight::of(&document);
    let points = rangescope_analyze::insight::roofline::region_points(
        &document,
        &insight,
        aggregate(&document),
    );
    assert_eq!(points.len(), document.reports[aggregate(&document)].regions.len());
    for named in points {
        let title = format!("<title>{}\n", named.name);
        // A ring comes before the bubble of the same point.
        let bubble = svg.split(&title).last().unwrap().split("<circle").nth(1).unwrap();
        let (one, ten) = (tick("1", "x"), tick("10", "x"));
        let x = one + (ten - one) * named.point.traffic[0].intensity.log10();
        let (tera, ten_tera) = (tick("1 Top/s", "y") - 4.0, tick("10 Top/s", "y") - 4.0);
        let y = tera + (ten_tera - tera) * (named.point.work / 1e12).log10();
        let (cx, cy) = (attribute(bubble, "cx"), attribute(bubble, "cy"));
        assert!((cx - x).abs() < 0.1 && (cy - y).abs() < 0.1, "{}: {cx} {cy}, {x} {y}", named.name);
    }
}

#[cfg(not(feature = "png"))]
#[test]
fn a_build_without_png_says_so() {
    use rangescope_report::plot::png;
    let refusal = png(&svg(&serving(), &PlotRequest::new(Kind::Icicle))).unwrap_err();
    assert!(matches!(refusal, PlotError::NoPng), "{refusal}");
}
