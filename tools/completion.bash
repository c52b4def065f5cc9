# Bash completion for coulis: commands, options, gallery scenes, methods, files.
# Use:  source tools/completion.bash
# `make install` puts it where bash finds it by itself.

# Names from the program itself, so that they are never out of date.
_coulis_list()
{
    local program=${COMP_WORDS[0]}
    program=${program/#\~/$HOME}
    "$program" list "$1" --names 2>/dev/null
}

# Options of a command, from its own help.
_coulis_options()
{
    local program=${COMP_WORDS[0]}
    program=${program/#\~/$HOME}
    "$program" "$1" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p'
}

_coulis_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

# Folders, and files with one of the given endings.
_coulis_files()
{
    local ending
    mapfile -t COMPREPLY < <(
        compgen -d -- "$current"
        for ending; do compgen -f -X "!*.$ending" -- "$current"; done
    )
    compopt -o filenames 2>/dev/null
}

# The value of an option; false when the word before is none that takes one.
_coulis_value()
{
    case $previous in
        --method) _coulis_words "$(_coulis_list methods)" ;;
        --out | --resume | --record | --foam) _coulis_files ;;
        --snapshot) _coulis_files png ;;
        --json) _coulis_files json ;;
        --export) _coulis_words "vtk ply obj vtk,ply none" ;;
        --columns) _coulis_words "all none velocity density material pressure" ;;
        --on) _coulis_words "slurm" ;;
        --to) [ "$command" != export ] || _coulis_words "usda pvd vtp ply obj" ;;
        --format) _coulis_words "$([ "$command" = foam ] && echo vtp vtp,ply || echo obj ply vtp svg)" ;;
        --field) _coulis_words "anisotropic clavet color" ;;
        --quality) _coulis_words "preview splats final" ;;
        --material) _coulis_words "$(_coulis_list materials)" ;;
        --film) _coulis_files mp4 gif webp ;;
        --scene) _coulis_scenes ;;
        --size) _coulis_words "640x360 1280x720 1920x1080" ;;
        --threads | --jobs) _coulis_words "$(seq 1 "$(nproc 2>/dev/null || echo 4)")" ;;
        --frames) [ "$command" != render ] || _coulis_words "last" ;;
        --seconds | --fps | --set | --checkpoint-every | --samples | --shutter | --from | --fov) COMPREPLY=() ;;
        --cell | --radius | --level) _coulis_words "auto" ;;
        --spacing | --smoothing | --max-memory | --max-gib | --gauge | --section | --density | --measure | --over) COMPREPLY=() ;;
        --slurm | --max-runs | --part | --parts) COMPREPLY=() ;;
        --air-* | --crest-* | --speed-* | --life-* | --buoyancy | --drag | --seed | --most) COMPREPLY=() ;;
        *) return 1 ;;
    esac
}

_coulis_scenes()
{
    _coulis_files lua
    local scenes
    mapfile -t scenes < <(compgen -W "$(_coulis_list scenes)" -- "$current")
    COMPREPLY+=("${scenes[@]}")
}

_coulis()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _coulis_words "run view surface foam render measure check sweep compare export help list info bench validate --help --version"
        return
    fi
    _coulis_value && return
    if [[ $current == -* ]]; then
        _coulis_words "$(_coulis_options "$command")"
        return
    fi
    case $command in
        run | check | view | sweep) _coulis_scenes ;;
        list) _coulis_words "scenes materials methods cases" ;;
        help) _coulis_words "$("${COMP_WORDS[0]/#\~/$HOME}" help --words 2>/dev/null)" ;;
        export | compare) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
        surface | foam | render | measure) _coulis_files vtp vtu vtk ply ;;
        info) _coulis_files vtp vtu vtk ply h5 json csv ;;
        validate) _coulis_words "$(_coulis_list cases)" ;;
    esac
}

complete -F _coulis coulis
