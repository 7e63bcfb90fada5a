//! Pipes of the multiprocessors, floating-point arithmetic and threads that do nothing.

use super::kinds::{Cause, Outcome, Unit};
use super::recognise::{Rule, whole};

/// So ncu says that a pipe is full; `No pipeline is over-utilized` says the opposite.
const FULL: &str = "over-utilized and likely";

pub(super) static RULES: &[Rule] = &[
    Rule {
        ids: &["HighPipeUtilization"],
        part: whole,
        rows: &[
            (
                &["under-utilized"],
                Outcome::advice(
                    "pipes-idle",
                    "Keep more instructions in flight: all compute pipes are mostly idle",
                    Cause::FewReadyWarps,
                ),
            ),
            (
                &[FULL, "FP64 is the highest|by its FP64 sub-pipeline"],
                Outcome::advice(
                    "pipe-full-fp64",
                    "Take double arithmetic off the FP64 pipe: it is nearly full",
                    Cause::DoublePrecision,
                )
                .relieves(Unit::Fp64),
            ),
            (
                &[
                    FULL,
                    "Tensor is the highest|Tensor (FP) is the highest|Tensor (INT) is the highest|Tensor (DP) is the highest|by its Tensor",
                ],
                full(
                    "pipe-full-tensor",
                    "Take matrix multiplications off the tensor pipe: it is nearly full",
                    Unit::Tensor,
                ),
            ),
            (
                &[FULL, "FP16 is the highest|FMA (FP16) is the highest"],
                full(
                    "pipe-full-fp16",
                    "Take half-precision arithmetic off its pipe: it is nearly full",
                    Unit::Fp16,
                ),
            ),
            (
                &[FULL, "FMA is the highest"],
                full(
                    "pipe-full-fma",
                    "Take multiplications and additions off the FMA pipe: it is nearly full",
                    Unit::Fma,
                ),
            ),
            (
                &[FULL, "ALU is the highest"],
                full(
                    "pipe-full-alu",
                    "Take integer and logic instructions off the ALU pipe: it is nearly full",
                    Unit::Alu,
                ),
            ),
            (
                &[FULL, "XU is the highest"],
                full(
                    "pipe-full-xu",
                    "Use fewer special functions and conversions: the XU pipe is nearly full",
                    Unit::Xu,
                ),
            ),
            (
                &[FULL, "LSU is the highest"],
                full(
                    "pipe-full-lsu",
                    "Issue fewer, wider loads and stores: the LSU pipe is nearly full",
                    Unit::Lsu,
                ),
            ),
            (
                &[FULL, "TEX is the highest"],
                full(
                    "pipe-full-tex",
                    "Issue fewer texture accesses: the TEX pipe is nearly full",
                    Unit::Tex,
                ),
            ),
            (
                &[FULL, "Uniform is the highest"],
                full(
                    "pipe-full-uniform",
                    "Take work off the uniform pipe: it is nearly full",
                    Unit::Uniform,
                ),
            ),
            (
                &[FULL],
                full(
                    "pipe-full",
                    "Take work off the busiest pipe: it is nearly full",
                    Unit::Compute,
                ),
            ),
            (
                &["might become a bottleneck"],
                Outcome::note("pipe-well-used", "One compute pipe is well used, and has room"),
            ),
            (
                &[
                    "should not be a bottleneck|No pipeline is over-utilized|No compute pipeline is over-utilized",
                ],
                Outcome::note("pipes-with-room", "No compute pipe is near its limit"),
            ),
        ],
    },
    Rule {
        ids: &["SlowPipeLimiter"],
        part: whole,
        rows: &[(
            &["slow pipeline"],
            full(
                "pipe-slow",
                "Move work from the slow pipe to others: it is busy while few instructions are issued",
                Unit::Compute,
            ),
        )],
    },
    Rule {
        ids: &["FPInstructions"],
        part: whole,
        rows: &[
            (
                &["non-fused FP64"],
                Outcome::advice(
                    "unfused-fp64",
                    "Fuse multiplications and additions: many double ones are separate",
                    Cause::UnfusedFloat,
                )
                .relieves(Unit::Fp64),
            ),
            (
                &["non-fused FP32"],
                Outcome::advice(
                    "unfused-fp32",
                    "Fuse multiplications and additions: many float ones are separate",
                    Cause::UnfusedFloat,
                )
                .relieves(Unit::Fma),
            ),
        ],
    },
    Rule {
        ids: &["SOLFPRoofline"],
        part: whole,
        rows: &[
            (
                &["consider using 32-bit"],
                Outcome::advice(
                    "double-arithmetic",
                    "Use float where it suffices: much of the arithmetic is double",
                    Cause::DoublePrecision,
                )
                .relieves(Unit::Fp64),
            ),
            (
                &["consider using integer"],
                Outcome::note(
                    "float-and-double-busy",
                    "Float and double arithmetic are both near their peaks",
                ),
            ),
            (
                &["lower than the fp64 pipeline|lower than the FP64 pipeline"],
                Outcome::note(
                    "fp64-pipe-inefficient",
                    "The double pipe does less arithmetic than its time would allow",
                ),
            ),
            (
                &["The ratio of peak float"],
                Outcome::note(
                    "roofline-ratio",
                    "Achieved float and double arithmetic beside their peaks",
                ),
            ),
        ],
    },
    Rule {
        ids: &["ThreadDivergence"],
        part: whole,
        rows: &[(
            &["threads being active per cycle"],
            Outcome::advice(
                "divergence",
                "Keep the threads of a warp together: many of them do nothing",
                Cause::Divergence,
            )
            .relieves(Unit::Compute),
        )],
    },
];

const fn full(id: &'static str, title: &'static str, unit: Unit) -> Outcome {
    Outcome::advice(id, title, Cause::BusyPipe).relieves(unit)
}
