//! `rangescope top-kernels`: the kernels that take most of the time, as a list that ncu can take as its filter.

use std::io::Write;

use rangescope_model::number::count;
use rangescope_model::select::RegionSelector;
use rangescope_model::text::visible;
use rangescope_read::nsys::{Database, TopKernels, TopRequest, top_kernels_renamed};
use rangescope_report::write_atomically;

use crate::args::{TextOrJson, TopKernelsArgs};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &TopKernelsArgs, ui: &Ui) -> Result<(), Failure> {
    let selectors = RegionSelector::parse(&args.regions)?;
    let request = TopRequest { top: args.top, by_region: args.by_region, selectors };
    let normaliser = args.names.normaliser()?;
    let rename = |name: &str| normaliser.renamed(name);
    let list = top_kernels_renamed(&Database::open(&args.file)?, &request, &rename)?;
    for note in &list.notes {
        ui.warn(note);
    }
    if let Some(path) = &args.out {
        write_atomically(path, |out| list.write(out))?;
        let kernels = count(list.kernels.len() as u64, "kernel", "kernels");
        ui.say(&format!("{kernels} written to {}", path.display()));
        return Ok(());
    }
    Ui::print(|out| match args.format {
        TextOrJson::Json => list.write(out),
        TextOrJson::Text => table(&list, out),
    })
}

fn table(list: &TopKernels, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{:>10} {:>6} {:>8}  kernel", "total ms", "share", "calls")?;
    for kernel in &list.kernels {
        let total_ms = kernel.total_ns as f64 / 1e6;
        let share = 100.0 * kernel.share;
        writeln!(
            out,
            "{total_ms:>10.3} {share:>5.1}% {:>8}  {}",
            kernel.calls,
            visible(&kernel.name)
        )?;
    }
    for region in &list.regions {
        writeln!(out, "\n{} ({:.3} ms)", visible(&region.region), region.total_ns as f64 / 1e6)?;
        for kernel in &region.kernels {
            writeln!(out, "  {}", visible(kernel))?;
        }
    }
    Ok(())
}
