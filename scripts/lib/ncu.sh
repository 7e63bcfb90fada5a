# shellcheck shell=bash
# NVIDIA's ncu from Debian's non-free archive: downloaded and unpacked below $TOOLS, never
# installed. Needs neither root nor a GPU; apt's own configuration stays as it is.

NCU_PACKAGES=(nsight-compute nsight-compute-target libcuda1)

setup_ncu_2022_3() { setup_ncu 2022.3 bookworm; }
setup_ncu_2024_1() { setup_ncu 2024.1 trixie; }

setup_ncu() {
    NCU_VERSION=$1 NCU_SUITE=$2
    install_once "ncu-$1" "$1 of $2, layout 1" build_ncu
    link_tool "ncu-$1" "ncu-$1"
}

# The newest ncu there is becomes `ncu`; tests find both by environment variables.
export_ncu() {
    local version
    for version in 2022.3 2024.1; do
        if [[ -e $TOOLS/ncu-$version/.stamp ]]; then ln -sfn "ncu-$version" "$TOOLS/bin/ncu"; fi
    done
    if [[ -e $TOOLS/bin/ncu ]]; then export RANGESCOPE_NCU=$TOOLS/bin/ncu; fi
    if [[ -e $TOOLS/ncu-2022.3/.stamp ]]; then export RANGESCOPE_NCU_OLD=$TOOLS/bin/ncu-2022.3; fi
}

build_ncu() {
    local dir=$1 deb
    download_packages "$dir/apt" "$NCU_SUITE" "${NCU_PACKAGES[@]}"
    for deb in "$dir"/apt/*.deb; do
        # The graphical half is large and of no use here.
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" \
            --exclude=./usr/share --exclude=./usr/bin --exclude=./usr/lib/python3 \
            --exclude=./usr/lib/nsight-compute
    done
    rm -rf "$dir/apt"

    cat >"$dir/ncu-$NCU_VERSION" <<'WRAPPER'
#!/bin/sh
# libcuda lets ncu start a program without a GPU. The first variable keeps ncu from copying its
# section files into the home folder; the locale from grouping digits.
lib=$(echo "$(dirname "$(readlink -f "$0")")"/usr/lib/*-linux-gnu)
export NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT=1
export LC_ALL=C
export LD_LIBRARY_PATH="$lib/nvidia/current${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$lib"/nsight-compute/target/*/ncu "$@"
WRAPPER
    chmod +x "$dir/ncu-$NCU_VERSION"
    "$dir/ncu-$NCU_VERSION" --version | grep -F "Version $NCU_VERSION."
}

# download_packages DIR SUITE PACKAGE...: with a private configuration of apt in DIR, from
# $APT_COMPONENTS (default: non-free).
download_packages() {
    local dir=$1 suite=$2
    shift 2
    mkdir -p "$dir"/{sources,lists/partial,cache/archives/partial}
    "$PYTHON" "$ROOT/scripts/lib/apt_source.py" "$suite" "${APT_COMPONENTS:-non-free}" >"$dir/sources/debian.sources"
    : >"$dir/status"
    local -a apt=(
        apt-get -qq
        -o "Dir::Etc::SourceList=/dev/null"
        -o "Dir::Etc::SourceParts=$dir/sources"
        -o "Dir::Etc::Preferences=/dev/null"
        -o "Dir::Etc::PreferencesParts=/dev/null"
        -o "Dir::State::Lists=$dir/lists"
        -o "Dir::State::status=$dir/status"
        -o "Dir::Cache=$dir/cache"
        -o "Acquire::Languages=none"
        -o "APT::Sandbox::User=root"
        -o "Debug::NoLocking=true"
    )
    retry "${apt[@]}" -o "APT::Update::Error-Mode=any" update
    (cd "$dir" && retry "${apt[@]}" download "$@")
}
