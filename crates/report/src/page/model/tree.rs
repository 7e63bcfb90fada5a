//! What a tree of the page shows of a region: the names that its parent does not have.

use rangescope_model::document::Region;

/// The names below the parent; mostly one. A selection can leave out a region and keep what is below it: then the names between belong to the child.
pub(crate) fn own_names<'d>(region: &'d Region, regions: &[Region]) -> &'d [String] {
    let parent = region.parent.and_then(|parent| regions.get(parent as usize));
    let above = parent.map_or(0, |parent| parent.path.len());
    region.path.get(above..).unwrap_or(&region.path)
}
