# shellcheck shell=bash
# NVIDIA's nsys from Debian's non-free archive: downloaded and unpacked below $TOOLS, never
# installed. Needs neither root nor a GPU. Uses `download_packages` of ncu.sh.

NSYS_PACKAGES=(nsight-systems nsight-systems-target libssh-4)

setup_nsys_2022_4() { setup_nsys 2022.4 bookworm; }
setup_nsys_2023_4() { setup_nsys 2023.4 trixie; }

setup_nsys() {
    NSYS_VERSION=$1 NSYS_SUITE=$2
    install_once "nsys-$1" "$1 of $2, layout 1" build_nsys
    link_tool "nsys-$1" "nsys-$1"
}

# The newest nsys there is becomes `nsys`; tests find both by environment variables.
export_nsys() {
    local version
    for version in 2022.4 2023.4; do
        if [[ -e $TOOLS/nsys-$version/.stamp ]]; then ln -sfn "nsys-$version" "$TOOLS/bin/nsys"; fi
    done
    if [[ -e $TOOLS/bin/nsys ]]; then export RANGESCOPE_NSYS=$TOOLS/bin/nsys; fi
    if [[ -e $TOOLS/nsys-2022.4/.stamp ]]; then export RANGESCOPE_NSYS_OLD=$TOOLS/bin/nsys-2022.4; fi
}

build_nsys() {
    local dir=$1 deb target host
    # libssh is no part of the non-free component.
    APT_COMPONENTS="main non-free" download_packages "$dir/apt" "$NSYS_SUITE" "${NSYS_PACKAGES[@]}"
    for deb in "$dir"/apt/*.deb; do
        # The browser of the graphical half alone is two hundred megabytes.
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" \
            --exclude=./usr/share --exclude=./usr/bin --exclude=./usr/lib/python3 \
            --exclude='libQt6WebEngine*' --exclude='./usr/lib/nsight-systems/*/resources' \
            --exclude='./usr/lib/nsight-systems/*/translations'
    done
    rm -rf "$dir/apt"

    # nsys looks for its importer beside the folder it is really in; Debian has split the two.
    target=$(echo "$dir"/usr/lib/*-linux-gnu/nsight-systems/target-*)
    host=$(basename "$dir"/usr/lib/nsight-systems/host-*)
    ln -s "../../nsight-systems/$host" "$(dirname "$target")/$host"
    # The reports of `nsys stats` run in Python inside nsys, which takes modules from here alone.
    if [[ -d $target/../$host/python/lib ]]; then
        ln -s "$(realpath --relative-to="$dir/usr/lib/nsight-systems/$host/python/lib" "$target")"/python/lib/nsysstats.py \
            "$dir/usr/lib/nsight-systems/$host/python/lib/"
    fi
    # nsys finds its own folder through links.
    ln -s "${target#"$dir/"}/nsys" "$dir/nsys-$NSYS_VERSION"
    "$dir/nsys-$NSYS_VERSION" --version | grep -F "version $NSYS_VERSION."
}
