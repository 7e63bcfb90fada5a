//! What warps wait for.

use super::kinds::{Cause, Outcome, Unit};
use super::recognise::{Rule, after};

/// The reason is in the first words; those behind it speak of other reasons, too.
const REASON: usize = 120;

pub(super) static RULES: &[Rule] = &[Rule {
    ids: &["CPIStall"],
    part: |text| after(text, "being stalled ", REASON),
    rows: &[
        (
            &["scoreboard dependency", "MIO operation|MIO (memory"],
            stall(
                "stall-short-scoreboard",
                "Shorten the wait for shared memory and special functions: warps wait for their results",
            ),
        ),
        (
            &["scoreboard dependency", "L1TEX"],
            stall(
                "stall-long-scoreboard",
                "Hide or shorten the wait for global, local and texture memory: warps wait for loads",
            ),
        ),
        (
            &["sibling warps"],
            stall(
                "stall-barrier",
                "Let the warps of a block arrive together: they wait for each other at barriers",
            ),
        ),
        (
            &["local/global instruction queue|queue for local and global"],
            stall(
                "stall-lg-throttle",
                "Issue fewer, wider accesses to global and local memory: their queue is full",
            )
            .relieves(Unit::L1),
        ),
        (
            &["MIO instruction queue|MIO (memory input/output) instruction queue"],
            stall(
                "stall-mio-throttle",
                "Issue fewer, wider accesses to shared memory and fewer special functions: their queue is full",
            ),
        ),
        (
            &["L1TEX instruction queue|queue for texture operations"],
            stall(
                "stall-tex-throttle",
                "Issue fewer texture and surface accesses: their queue is full",
            )
            .relieves(Unit::L1),
        ),
        (
            &["math execution pipeline|execution pipe to be available"],
            Outcome::advice(
                "stall-math-pipe-throttle",
                "Take instructions off the busiest pipe: warps wait for it",
                Cause::BusyPipe,
            )
            .relieves(Unit::Compute),
        ),
        (
            &["EXIT"],
            stall(
                "stall-drain",
                "Write less, or in fewer accesses, at the end of the kernel: warps that are done wait for their stores",
            ),
        ),
        (
            &["fixed latency|fixed-latency"],
            stall(
                "stall-wait",
                "Give each warp more independent instructions: warps wait for the instruction before",
            ),
        ),
        (
            &["immediate constant cache|IMC"],
            stall(
                "stall-imc-miss",
                "Let the threads of a warp read the same few constants: warps wait for constant memory",
            ),
        ),
        (
            &["instruction fetched|fetch an instruction"],
            stall(
                "stall-no-instruction",
                "Keep the code small and its jumps near: warps wait for instructions to be fetched",
            ),
        ),
        (
            &["branch target"],
            stall("stall-branch-resolving", "Branch less: warps wait for the targets of jumps"),
        ),
        (
            &["memory barrier"],
            stall("stall-membar", "Use fewer and narrower memory fences: warps wait at them"),
        ),
        (
            &["sleep state"],
            stall("stall-sleeping", "Sleep less and shorter: warps wait because they were told to"),
        ),
        (
            &["WARPGROUP|GMMA"],
            stall(
                "stall-warpgroup-arrive",
                "Do other work while warpgroups multiply matrices: warps wait for them",
            ),
        ),
        (
            &["being selected by|select the warp to issue"],
            Outcome::note(
                "stall-not-selected",
                "Warps are ready and wait for their turn: there are warps enough",
            ),
        ),
        (
            &["dispatch stall"],
            Outcome::note(
                "stall-dispatch",
                "Warps wait because the dispatcher holds instructions back",
            ),
        ),
        (
            &["miscellaneous"],
            Outcome::note(
                "stall-misc",
                "Warps wait for reasons that the hardware does not tell apart",
            ),
        ),
        (
            &["top stall locations"],
            Outcome::note(
                "stall-locations",
                "ncu points to the samples that show where warps wait",
            ),
        ),
    ],
}];

const fn stall(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::FewReadyWarps)
}
