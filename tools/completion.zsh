#compdef coulis
# Zsh completion for coulis: commands, options, gallery scenes, methods, materials, words of help. `make install` puts it where zsh
# finds it by itself; otherwise: copy it as _coulis into a folder of $fpath.

# Names from the program itself, so that they are never out of date.
_coulis_list() { "${words[1]}" list "$1" --names 2>/dev/null }

_coulis_add() { compadd -- ${(f)1} }

_coulis()
{
    local command=${words[2]} previous=${words[CURRENT-1]}
    if (( CURRENT == 2 )); then
        _coulis_add "$("${words[1]}" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')"
        compadd -- --help --version
        return
    fi
    case $previous in
        --method) _coulis_add "$(_coulis_list methods)"; return ;;
        --material) _coulis_add "$(_coulis_list materials)"; return ;;
        --out | --resume | --record | --foam) _files -/; return ;;
        --quality) compadd preview splats final; return ;;
        --export) compadd vtk ply obj samples none; return ;;
        --columns) compadd all none velocity density material pressure; return ;;
    esac
    if [[ ${words[CURRENT]} == -* ]]; then
        local -a options
        options=(${(f)"$("${words[1]}" "$command" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')"})
        compadd -- $options
        return
    fi
    case $command in
        run | check | view) _coulis_add "$(_coulis_list scenes)"; _files -g '*.(lua|json)' ;;
        list) compadd scenes materials methods cases ;;
        help) _coulis_add "$("${words[1]}" help --words 2>/dev/null)" ;;
        validate) _coulis_add "$(_coulis_list cases)" ;;
        *) _files ;;
    esac
}

_coulis "$@"
