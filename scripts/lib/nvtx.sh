# shellcheck shell=bash
# Programs that use NVTX, for the tests of the recorder: NVIDIA's headers of two generations and the
# Python package of two generations (PyPI); and launchers, Open MPI, MPICH and Slurm (Debian).

NVTX_HEADERS=(nvidia-nvtx==13.4.92 nvidia-nvtx-cu12==12.9.79)
NVTX_PYTHONS=(0.2.8 0.2.16)

setup_nvtx() {
    need_command cc gcc
    need_command c++ g++
    need_command valgrind valgrind
    python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3 python3-venv
    install_once nvtx "$(python3 -V), ${NVTX_HEADERS[*]}, nvtx ${NVTX_PYTHONS[*]}" build_nvtx
}

build_nvtx() {
    local package version
    for version in "${NVTX_PYTHONS[@]}"; do
        python3 -m venv "$1/python-$version"
        retry "$1/python-$version/bin/python" -m pip install --quiet --disable-pip-version-check \
            --no-deps "nvtx==$version"
    done
    # The wheels hold headers and no Python at all.
    for package in "${NVTX_HEADERS[@]}"; do
        retry "$1/python-$version/bin/python" -m pip install --quiet --disable-pip-version-check \
            --no-deps --only-binary :all: --target "$1/${package%%==*}" "$package"
    done
    "$1/python-$version/bin/python" -c 'import nvtx'
}

setup_openmpi() {
    need_command mpirun openmpi-bin
    install_once openmpi "$(mpirun --version | head -n 1)" true
}

# MPICH's launcher beside that of Open MPI: unpacked, because a system has one `mpirun`.
setup_mpich() {
    install_once mpich "of bookworm, layout 1" build_mpich
    link_tool mpich mpiexec.mpich
}

build_mpich() {
    local dir=$1 deb
    APT_COMPONENTS=main download_packages "$dir/apt" bookworm mpich libslurm38 libhwloc15
    for deb in "$dir"/apt/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --exclude=./usr/share
    done
    rm -rf "$dir/apt"
    cat >"$dir/mpiexec.mpich" <<'WRAPPER'
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$(echo "$root"/usr/lib/*-linux-gnu)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$root/usr/bin/mpiexec.hydra" "$@"
WRAPPER
    chmod +x "$dir/mpiexec.mpich"
    "$dir/mpiexec.mpich" -n 1 true
}

# Slurm's daemons, for a cluster of one machine. Debian starts none that is not configured.
setup_slurm() {
    need_command srun slurm-client
    PATH=$PATH:/usr/sbin need_command slurmctld slurmctld
    PATH=$PATH:/usr/sbin need_command slurmd slurmd
    PATH=$PATH:/usr/sbin need_command munged munge
    install_once slurm "$(dpkg-query -W -f '${Version}' slurmd)" true
}

# What the lane and the benchmark look for.
export_nvtx() {
    local package version
    RANGESCOPE_NVTX_HEADERS= RANGESCOPE_NVTX_PYTHONS=
    for package in "${NVTX_HEADERS[@]}"; do
        RANGESCOPE_NVTX_HEADERS+=:$(dirname "$(echo "$TOOLS/nvtx/${package%%==*}"/nvidia/*/include/nvtx3)")
    done
    for version in "${NVTX_PYTHONS[@]}"; do
        RANGESCOPE_NVTX_PYTHONS+=:$TOOLS/nvtx/python-$version/bin/python
    done
    export RANGESCOPE_NVTX_HEADERS=${RANGESCOPE_NVTX_HEADERS#:}
    export RANGESCOPE_NVTX_PYTHONS=${RANGESCOPE_NVTX_PYTHONS#:}
}
