//! Drawings as pixels.

use rangescope_report::plot::{Kind, PlotRequest, png};
use rangescope_testing::documents::hostile;
use rangescope_testing::documents::tree::with_work;

use super::{serving, svg};

#[test]
fn every_drawing_becomes_the_same_picture_each_time() {
    for (kind, document) in Kind::ALL
        .into_iter()
        .flat_map(|kind| [(kind, serving()), (kind, with_work(hostile::document()))])
    {
        let drawing = svg(&document, &PlotRequest::new(kind));
        let picture = png(&drawing).unwrap();
        assert!(picture.starts_with(b"\x89PNG"), "{kind:?}");
        assert_eq!(picture, png(&drawing).unwrap(), "{kind:?}");
    }
}

#[test]
fn png_has_two_pixels_for_each() {
    let request = PlotRequest { width: 640, height: Some(480), ..PlotRequest::new(Kind::Kernels) };
    let file = png(&svg(&serving(), &request)).unwrap();
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (1280, 960));
}

#[test]
fn letters_are_in_the_png_and_not_those_of_the_machine() {
    let drawing = |words: &str| {
        let text = format!(
            r#"<text x="4" y="14" font-size="12" font-family="Roboto, Arial">{words}</text>"#
        );
        png(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20">{text}</svg>"#
        ))
        .unwrap()
    };
    let [nothing, some, other] = ["", "iii", "mmm"].map(drawing);
    assert!(nothing != some && some != other);
    let request = PlotRequest::new(Kind::Icicle);
    let svg = svg(&serving(), &request);
    let without_text: String = svg.lines().filter(|line| !line.starts_with("<text")).collect();
    assert!(png(&svg).unwrap().len() > 2 * png(&without_text).unwrap().len());
}
