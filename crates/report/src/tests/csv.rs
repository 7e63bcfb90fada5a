//! Kernels as CSV.

use rangescope_model::document::LaunchShape;

use super::support::exported;
use crate::formats::csv;
use rangescope_testing::documents::sample::{document, kernel, region};

#[test]
fn one_row_per_region_and_kernel() {
    let mut one = region(&["A"], 1.0, 1.0);
    one.set.kernels = vec![kernel("k<1>(int, \"x\")\n", 3, 0.75, 0.75)];
    one.set.kernels[0].launch_shapes.push(LaunchShape {
        grid: Some([2, 3, 4]),
        block: Some([64, 1, 1]),
        calls: 1,
        ..LaunchShape::default()
    });
    one.set.kernels[0].metrics.pop();
    let text = exported(csv::write, &document(vec![one]));
    insta::assert_snapshot!(text.replace("\r\n", "⏎\n"), @r#"
    kernel_name,function,kind,calls,total_ms,mean_ms,min_ms,max_ms,share,device,grid,block,shape_calls,region,domain,region_kind,scope,basis,simulated,sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed⏎
    "k<1>(int, ""x"")
    ",k,kernel,3,0.75,0.25,0.25,0.25,0.75,0,108x1x1;2x3x4,256x1x1;64x1x1,3;1,A,<default domain>,push_pop,aggregate,kernel,false,50,⏎
    fill(int *),fill,kernel,1,0.5,0.5,0.5,0.5,1,0,108x1x1,256x1x1,1,,,,aggregate,kernel,false,50,25⏎
    "#);
}

#[test]
fn without_kernels_only_the_heads_are_written() {
    let mut document = document(Vec::new());
    document.reports.clear();
    let text = exported(csv::write, &document);
    assert_eq!(text, csv::COLUMNS.join(",") + "\r\n");
}

#[test]
fn a_name_is_no_formula_and_a_number_stays_one() {
    let mut one = region(&["=1+1"], 1.0, 1.0);
    one.domain = "@d".to_owned();
    one.set.kernels = vec![kernel("-k()", 1, -0.5, 1.0)];
    let mut document = document(vec![one]);
    document.simulated = true;
    let text = exported(csv::write, &document);
    let row = text.lines().nth(1).unwrap();
    assert!(row.starts_with("'-k(),'-k,kernel,1,-0.5,"), "{row}");
    assert!(row.contains(",'=1+1,'@d,push_pop,aggregate,kernel,true,"), "{row}");
}
