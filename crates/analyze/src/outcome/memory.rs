//! How memory is accessed, at which level, and where it is.

use super::kinds::{Cause, Outcome, Unit};
use super::recognise::{Rule, after, whole};

/// What is accessed, how, and at which level stands before the numbers.
const PATTERN: usize = 80;

pub(super) static RULES: &[Rule] = &[
    Rule {
        ids: &["MemoryCacheAccessPattern"],
        part: |text| after(text, "access pattern for ", PATTERN),
        rows: &[
            // Sectors of which little is used are moved at every level that they miss above; the message names one level.
            (&["global loads", "DRAM"], excess("excess-sectors-dram-load", "Let neighbouring threads load neighbouring addresses: little of what comes from DRAM is used")),
            (&["global stores", "DRAM"], excess("excess-sectors-dram-store", "Let neighbouring threads store to neighbouring addresses: sectors go to DRAM for little data")),
            (&["global loads", "L2"], excess("excess-sectors-l2-load", "Let neighbouring threads load neighbouring addresses: little of what comes from L2 is used")),
            (&["global stores", "L2"], excess("excess-sectors-l2-store", "Let neighbouring threads store to neighbouring addresses: sectors go to L2 for little data")),
            (&["global loads"], excess("excess-sectors-l1-load", "Let neighbouring threads load neighbouring addresses: L1 moves more sectors than are used")),
            (&["global stores"], excess("excess-sectors-l1-store", "Let neighbouring threads store to neighbouring addresses: L1 moves more sectors than are used")),
            (&["local loads", "DRAM"], spills("local-loads-dram", "Keep what single threads use in registers: local loads reach DRAM")),
            (&["local stores", "DRAM"], spills("local-stores-dram", "Keep what single threads use in registers: local stores reach DRAM")),
            (&["local loads", "L2"], spills("local-loads-l2", "Keep what single threads use in registers: local loads reach L2")),
            (&["local stores", "L2"], spills("local-stores-l2", "Keep what single threads use in registers: local stores reach L2")),
            (&["local loads"], spills("local-loads-l1", "Keep what single threads use in registers: there are local loads")),
            (&["local stores"], spills("local-stores-l1", "Keep what single threads use in registers: there are local stores")),
            // Older versions count sectors of a request from L1 to L2, which are fewer than a line has.
            (&["loads from L1TEX to L2"], excess("partial-lines-l2-load", "Let warps load whole cache lines: requests to L2 ask for few sectors of a line").relieves(Unit::L2)),
            (&["stores from L1TEX to L2"], excess("partial-lines-l2-store", "Let warps store whole cache lines: requests to L2 hold few sectors of a line").relieves(Unit::L2)),
            (&["sectors to be read from DRAM|loads from device memory"], excess("excess-dram-reads", "Use both sectors of what DRAM delivers: L2 reads 64 bytes and needs 32").relieves(Unit::Dram)),
        ],
    },
    Rule {
        ids: &["UncoalescedGlobalAccess"],
        part: whole,
        rows: &[
            (&["uncoalesced global accesses"], excess("uncoalesced-global", "Let neighbouring threads access neighbouring addresses: global memory moves excessive sectors")),
            (&["Uncoalesced global access,"], excess("uncoalesced-global-line", "Let neighbouring threads access neighbouring addresses: instructions move more sectors than they need")),
        ],
    },
    Rule {
        ids: &["LocalMemoryUsage"],
        part: whole,
        rows: &[
            (&["register spilling"], spills("register-spills", "Let registers suffice: some are spilled to local memory")),
            (&["accesses"], spills("local-memory", "Keep arrays of single threads in registers: they are in local memory")),
        ],
    },
    Rule {
        ids: &["SharedMemoryConflicts"],
        part: |text| after(text, "access pattern for ", PATTERN),
        rows: &[
            (&["shared loads"], conflicts("bank-conflicts-load", "Spread shared loads over the banks: they conflict")),
            (&["shared stores"], conflicts("bank-conflicts-store", "Spread shared stores over the banks: they conflict")),
        ],
    },
    Rule {
        ids: &["UncoalescedSharedAccess"],
        part: whole,
        rows: &[
            (&["uncoalesced shared accesses"], conflicts("uncoalesced-shared", "Spread shared accesses over the banks: they take excessive wavefronts")),
            (&["Uncoalesced shared access,"], conflicts("uncoalesced-shared-line", "Spread shared accesses over the banks: instructions take more than they need")),
        ],
    },
    Rule {
        ids: &["MemoryApertureUsage"],
        part: whole,
        rows: &[
            (&["Peer memory backs"], far("peer-memory", "Move data to the memory of the device: L2 fetches it from another GPU")),
            (&["System memory backs"], far("system-memory", "Move data to the memory of the device: L2 fetches it from the host")),
        ],
    },
    Rule {
        ids: &["MemoryL2Compression"],
        part: whole,
        rows: &[
            (&["successfully compressed"], Outcome::advice("compression-fails", "Mark only memory as compressible that compresses well: little of it did", Cause::Compression).relieves(Unit::Dram)),
            (&["not well suited for the L2 Compression"], Outcome::advice("compression-scattered", "Write compressible memory line by line: writes of few values compress lines again and again", Cause::Compression).relieves(Unit::L2)),
        ],
    },
];

const fn excess(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::ExcessSectors).relieves(Unit::Memory)
}

const fn spills(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::Spills).relieves(Unit::Memory)
}

const fn conflicts(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::BankConflicts).relieves(Unit::L1)
}

const fn far(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::FarMemory)
}
