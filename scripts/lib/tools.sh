# shellcheck shell=bash
# The tools of the tests. `setup_NAME` installs one into $TOOLS; ncu has its own file.

CARGO_DENY=0.20.2
CARGO_FUZZ=0.13.2
CARGO_MACHETE=0.9.2
TYPOS=1.42.3
PYSPARK=4.3.0
DASK=2026.8.0
RAY=2.60.0
SPEEDSCOPE=1.25.0
CUDA_NVRTC=12.9.86
CUDA_NVTX=12.9.79
# shellcheck disable=SC2034
PYTHON=$TOOLS/python/bin/python

setup_python() {
    local list=$ROOT/scripts/lib/requirements.txt
    python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3 python3-venv
    install_once python "$(python3 -V), list $(cksum <"$list")" build_python
}

build_python() {
    python3 -m venv "$1"
    retry "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --only-binary :all: --no-binary antlr4-python3-runtime -r "$ROOT/scripts/lib/requirements.txt"
    "$1/bin/python" -c 'import jsonschema, ncu_report'
}

# NVIDIA's run-time compiler and the headers of NVTX, as PyPI has them.
setup_cuda() {
    need_command c++ g++ # for the stand-in for libcuda
    install_once cuda "$CUDA_NVRTC, $CUDA_NVTX" build_cuda
}

build_cuda() {
    retry "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --target "$1" "nvidia-cuda-nvrtc-cu12==$CUDA_NVRTC" "nvidia-nvtx-cu12==$CUDA_NVTX"
    ls "$1"/nvidia/cuda_nvrtc/lib/libnvrtc.so.* "$1/nvidia/nvtx/include/nvtx3/nvToolsExt.h" >/dev/null
}

# Spark, Dask and Ray on one machine; only for the step `engines`.
setup_engines() {
    need_command java openjdk-17-jre-headless
    install_once engines "pyspark $PYSPARK, dask $DASK, ray $RAY" build_engines
}

build_engines() {
    # PyPI has Spark as a source archive only.
    retry "$PYTHON" -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-binary pyspark \
        --target "$1" "pyspark==$PYSPARK" "dask==$DASK" "distributed==$DASK" "ray==$RAY"
}

setup_cargo_deny() {
    install_once cargo-deny "$CARGO_DENY" build_cargo_deny
    link_tool cargo-deny bin/cargo-deny
}

setup_cargo_fuzz() {
    need_command c++ g++ # libFuzzer is C++
    install_once cargo-fuzz "$CARGO_FUZZ" build_cargo_fuzz
    link_tool cargo-fuzz bin/cargo-fuzz
}

setup_cargo_machete() {
    install_once cargo-machete "$CARGO_MACHETE" build_cargo_machete
    link_tool cargo-machete bin/cargo-machete
}

setup_typos() {
    install_once typos "$TYPOS" build_typos
    link_tool typos bin/typos
}

build_cargo_deny() { cargo_install "$1" "cargo-deny@$CARGO_DENY"; }
build_cargo_fuzz() { cargo_install "$1" "cargo-fuzz@$CARGO_FUZZ"; }
build_cargo_machete() { cargo_install "$1" "cargo-machete@$CARGO_MACHETE"; }
build_typos() { cargo_install "$1" "typos-cli@$TYPOS"; }

# Without optimisation: these tools are built more often than their speed matters.
cargo_install() {
    (
        cd / # not under the settings of this workspace
        unset CARGO_TARGET_DIR RUSTFLAGS
        export CARGO_PROFILE_DEV_DEBUG=0
        retry cargo install --quiet --locked --debug --root "$1" --target-dir "$1/build" "$2"
    )
    rm -rf "$1/build"
}

# link_tool TOOL FILE: makes $TOOLS/TOOL/FILE a command.
link_tool() {
    ln -sfn "../$1/$2" "$TOOLS/bin/$(basename "$2")"
}

# A browser, from Debian's packages.
setup_chromium() {
    need_command chromium chromium
    need_command chromedriver chromium-driver
    mkdir -p "$TOOLS/chromium"
    chromium --version >"$TOOLS/chromium/.stamp"
}

# Programs that show profiles: pprof, of which Debian's Go has the binary, and speedscope from npm.
setup_viewers() {
    need_command npm npm
    install_once viewers "Go of bookworm, speedscope $SPEEDSCOPE" build_viewers
}

build_viewers() {
    local dir=$1
    APT_COMPONENTS=main download_packages "$dir/apt" bookworm golang-1.19-go
    dpkg-deb --fsys-tarfile "$dir"/apt/*.deb | tar -x -C "$dir" --wildcards --strip-components=7 '*/pkg/tool/*/pprof'
    rm -rf "$dir/apt"
    (cd "$dir" && retry npm pack --silent "speedscope@$SPEEDSCOPE")
    mkdir "$dir/speedscope"
    tar -xf "$dir"/speedscope-*.tgz -C "$dir/speedscope" --strip-components=1
    ls "$dir/pprof" "$dir/speedscope/dist/release/file-format-schema.json"
}
