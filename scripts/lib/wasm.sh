# shellcheck shell=bash
# A Rust that compiles for WebAssembly: the one of Debian's next release, in a folder of its own. The toolchain at hand may have no such target.

setup_wasm() {
    [[ $(id -u) == 0 ]] || skip "the compiler for WebAssembly because only root makes a folder of another Debian"
    need_command debootstrap debootstrap
    install_once wasm "Rust of Debian forky" build_wasm
}

build_wasm() {
    local dir=$1/root scripts=/usr/share/debootstrap/scripts
    # Older versions of debootstrap do not know the release; all are made like sid.
    [[ -e $scripts/forky ]] || ln -s sid "$scripts/forky"
    retry new_debian "$dir"
    # It reaches packages as this machine does.
    cp -a /etc/apt/apt.conf.d/. "$dir/etc/apt/apt.conf.d/"
    cp -L /etc/resolv.conf /etc/hosts "$dir/etc/"
    cp -L /etc/ssl/certs/ca-certificates.crt "$dir/etc/ssl/certs/"
    retry chroot "$dir" sh -c '
        apt-get -qq -o Acquire::Check-Valid-Until=false update &&
        apt-get -qq install -y --no-install-recommends rustc cargo libstd-rust-dev-wasm32 >/dev/null'
    chroot "$dir" sh -c 'rm -rf /var/cache/apt/archives/*.deb; rustc --version'
}

new_debian() {
    rm -rf "$1"
    debootstrap --variant=minbase --no-check-gpg --include=ca-certificates forky "$1" >/dev/null
}

# check_for_wasm PACKAGE...: whether these compile for a machine without files, threads and clocks. The folders are mounted where nobody else sees them.
check_for_wasm() {
    local root=$TOOLS/wasm/root home=${CARGO_HOME:-$HOME/.cargo}
    mkdir -p "$root/source" "$root/registry" "$TARGET/wasm" "$root/target"
    cargo fetch --locked --quiet
    unshare --mount sh -euc '
        root=$1 source=$2 registry=$3 target=$4
        shift 4
        mount --make-rprivate /
        mount --bind "$source" "$root/source"
        mount --bind "$registry" "$root/registry"
        mount --bind "$target" "$root/target"
        exec chroot "$root" sh -euc '\''
            mkdir -p /root/.cargo
            ln -sfn /registry /root/.cargo/registry
            cd /source
            exec env HOME=/root CARGO_HOME=/root/.cargo CARGO_TARGET_DIR=/target \
                cargo check --offline --locked --target wasm32-unknown-unknown "$@"
        '\'' sh "$@"
    ' sh "$root" "$ROOT" "$home/registry" "$TARGET/wasm" "${@/#/--package=}"
}
