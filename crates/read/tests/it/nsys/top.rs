//! Lists of kernels for a following stage.

use super::damage::file;
use rangescope_model::select::RegionSelector;
use rangescope_read::nsys::{Database, TopKernels, TopRequest, top_kernels};
use rangescope_testing::nsys::Export;

fn export() -> Export {
    let mut export = Export::with_tables(false);
    export.push("prefill", 1, 0, 100);
    export.push("decode", 1, 200, 300);
    export.push("attn", 1, 220, 250);
    export.kernel("gemm", 1, 10, 20, 70);
    export.kernel("gemm", 1, 230, 240, 10);
    export.kernel("softmax", 1, 230, 240, 15);
    export.kernel("copy", 1, 400, 410, 5);
    export
}

fn list(request: &TopRequest) -> TopKernels {
    let (path, _folder) = export().close();
    top_kernels(&Database::open(&path).unwrap(), request).unwrap()
}

fn selectors(texts: &[&str]) -> Vec<RegionSelector> {
    RegionSelector::parse(&texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()).unwrap()
}

#[test]
fn the_longest_kernels_come_first() {
    let all = list(&TopRequest { top: 2, ..TopRequest::default() });
    assert_eq!(all.demangled_names(), ["void gemm<int>(T1)", "void softmax<int>(T1)"]);
    assert_eq!((all.kernels[0].calls, all.kernels[0].total_ns, all.total_ns), (2, 80, 100));
    assert_eq!(all.kernels[0].share, 0.8);
    assert_eq!(all.kernels[0].regions, ["prefill", "decode::attn"]);
    assert!(all.regions.is_empty());
}

#[test]
fn the_lists_of_ranks_become_one() {
    let whole = || list(&TopRequest { top: usize::MAX, ..TopRequest::default() });
    let mut other = whole();
    other.kernels.retain(|kernel| kernel.base_name != "softmax");
    other.kernels[1].regions = vec!["elsewhere".to_owned()];
    other.total_ns -= 15;
    let merged = TopKernels::merged([whole(), other], 2);
    assert_eq!(merged.demangled_names(), ["void gemm<int>(T1)", "void softmax<int>(T1)"]);
    let all: Vec<_> = merged.kernels.iter().map(|one| (one.calls, one.total_ns)).collect();
    assert_eq!((all, merged.total_ns), (vec![(4, 160), (1, 15)], 185));
    assert_eq!(merged.kernels[0].share, 160.0 / 185.0);

    let all = TopKernels::merged([whole()], usize::MAX);
    assert_eq!((all.kernels, all.notes), (whole().kernels, whole().notes));
    assert!(TopKernels::merged([], 3).kernels.is_empty());
}

#[test]
fn regions_narrow_the_list() {
    let decode = TopRequest { top: 5, by_region: false, selectors: selectors(&["dec*"]) };
    let decode = list(&decode);
    assert_eq!(decode.demangled_names(), ["void softmax<int>(T1)", "void gemm<int>(T1)"]);
    assert_eq!((decode.total_ns, decode.kernels[1].calls), (25, 1));
    assert_eq!(decode.selectors, ["dec*"]);

    let nothing = list(&TopRequest { top: 5, by_region: false, selectors: selectors(&["nope"]) });
    assert!(nothing.kernels.is_empty());

    let (path, _folder) = export().close();
    let request = TopRequest { top: 5, by_region: false, selectors: selectors(&["ncu:A/"]) };
    let error = top_kernels(&Database::open(&path).unwrap(), &request).unwrap_err();
    assert!(error.to_string().contains("selects results of ncu"));
}

#[test]
fn every_region_has_its_own_kernels() {
    let each = list(&TopRequest { top: 1, by_region: true, selectors: Vec::new() });
    let regions: Vec<_> = each
        .regions
        .iter()
        .map(|region| (region.region.as_str(), region.total_ns, region.kernels.join(",")))
        .collect();
    assert_eq!(
        regions,
        [
            ("decode", 25, "void softmax<int>(T1)".to_owned()),
            ("decode::attn", 25, "void softmax<int>(T1)".to_owned()),
            ("prefill", 70, "void gemm<int>(T1)".to_owned()),
        ]
    );
    assert_eq!(each.demangled_names(), ["void gemm<int>(T1)", "void softmax<int>(T1)"]);
}

#[test]
fn a_list_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let list = list(&TopRequest { top: 2, by_region: true, selectors: Vec::new() });
    let mut bytes = Vec::new();
    list.write(&mut bytes).unwrap();
    let path = file(folder.path(), "top.json", &bytes);
    assert_eq!(TopKernels::read(&path).unwrap(), list);

    let by_hand = br#"{"schema_version": 1, "kernels": [{"name": "f<int>"}, {"name": "g", "base_name": "h"}]}"#;
    let by_hand = TopKernels::read(&file(folder.path(), "hand.json", by_hand)).unwrap();
    assert_eq!(by_hand.demangled_names(), ["f<int>", "g"]);
    for (text, expected) in [
        ("", "is no list of kernels: EOF"),
        ("[1]", "is no list of kernels"),
        (r#"{"kernels": []}"#, "missing field `schema_version`"),
        (r#"{"schema_version": 2}"#, "of format 2, known is 1"),
        (r#"{"schema_version": 1, "kernels": [{"name": ""}]}"#, "kernel 1 has no name"),
        (r#"{"schema_version": 1, "kernels": [{"names": ""}]}"#, "missing field `name`"),
        ("SQLite format 3\0", "it is an export of nsys"),
    ] {
        let path = file(folder.path(), "bad.json", text.as_bytes());
        let error = TopKernels::read(&path).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.hint().is_some());
    }
    assert!(TopKernels::read(&folder.path().join("missing")).is_err());
}
