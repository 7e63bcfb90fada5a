# shellcheck shell=bash
# shellcheck disable=SC2034 # most of these are for the scripts that include this file
# Places, messages, retries, tools that are installed once.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TOOLS=${RANGESCOPE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/rangescope-tools}
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
# Tests and lanes share one build; benchmarks make and measure the release.
RANGESCOPE=$TARGET/debug/rangescope
RELEASED=$TARGET/release/rangescope
LANES=$ROOT/tests/lanes
SKIP=99 # what a step returns when it was left out

mkdir -p "$TOOLS/bin" "$TARGET"
TOOLS=$(cd "$TOOLS" && pwd)
TARGET=$(cd "$TARGET" && pwd)

export PYTHONDONTWRITEBYTECODE=1

if [[ -z ${RANGESCOPE_SHARED:-} && -d $ROOT/../shared ]]; then
    RANGESCOPE_SHARED=$(cd "$ROOT/../shared" && pwd)
fi
[[ -z ${RANGESCOPE_SHARED:-} ]] || export RANGESCOPE_SHARED

on_ci() { [[ ${CI:-} == true ]]; }

heading() { printf '\n==> %s\n' "$*"; }

fail() {
    printf 'FAILED: %s\n' "$*"
    exit 1
}

# skip WHAT because WHY: says so and ends the step. On CI nothing may be left out.
skip() {
    printf 'SKIPPED: %s\n' "$*"
    if on_ci; then exit 1; else exit "$SKIP"; fi
}

need_shared() {
    [[ -n ${RANGESCOPE_SHARED:-} ]] || skip "$1 because ../shared is absent"
}

need_tool() {
    [[ -e $TOOLS/$1/.stamp ]] || skip "$2 because $1 could not be installed"
}

# retry COMMAND...: three tries with a pause between them.
retry() {
    local try
    for try in 1 2 3; do
        if "$@"; then return 0; fi
        if ((try < 3)); then
            printf 'try %d of 3 failed: %s\n' "$try" "$*" >&2
            sleep $((try * 5))
        fi
    done
    return 1
}

# isolated COMMAND...: runs it in a child that stops at the first error, its code in $CODE.
# Not for use in conditions: there bash would ignore `set -e` in the child too.
isolated() {
    set +e
    (
        set -e
        "$@"
    )
    CODE=$?
    set -e
}

# install_once NAME VERSION FUNCTION: calls `FUNCTION DIR` to fill a new folder, then moves it to
# $TOOLS/NAME in one step. Nothing is done when that folder is of the same version already.
install_once() {
    local name=$1 version=$2 dir=$TOOLS/$1 start=$SECONDS fresh
    if [[ -f $dir/.stamp && $(<"$dir/.stamp") == "$version" ]]; then
        echo "$name: there already ($version)"
        return
    fi
    echo "$name: installing ($version)"
    fresh=$(mktemp -d "$TOOLS/.new.XXXXXX")
    chmod 755 "$fresh"
    isolated "$3" "$fresh"
    if ((CODE != 0)); then
        rm -rf "$fresh"
        return "$CODE"
    fi
    echo "$version" >"$fresh/.stamp"
    rm -rf "$dir"
    mv "$fresh" "$dir"
    echo "$name: installed in $((SECONDS - start)) s"
}

# need_command COMMAND PACKAGE: installs a Debian package where its command is absent.
need_command() {
    command -v "$1" >/dev/null || apt_install "$2"
}

apt_install() {
    local -a as_root=()
    [[ $(id -u) == 0 ]] || as_root=(sudo -n)
    retry "${as_root[@]}" apt-get -qq update
    retry "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "$@"
}
