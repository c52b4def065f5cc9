# Fish completion for coulis: commands, options, gallery scenes, methods, materials, words of help. `make install` puts it where
# fish finds it by itself; otherwise: copy it to ~/.config/fish/completions/coulis.fish.

function __coulis_commands
    coulis --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

# Options of the command on the line, from its own help.
function __coulis_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return
    coulis $words[2] --help 2>/dev/null | string replace -rf '^  (--[a-z-]+) ?\S* +(.*)' '$1\t$2'
end

function __coulis_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

# Whether the word before the cursor is one of these options.
function __coulis_after
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

complete -c coulis -f -n 'test (count (commandline -opc)) -eq 1' -a '(__coulis_commands)'
complete -c coulis -n 'string match -q -- "-*" (commandline -ct)' -a '(__coulis_options)'
complete -c coulis -n '__coulis_is run check view' -a '(coulis list scenes --names 2>/dev/null)'
complete -c coulis -f -n '__coulis_is list' -a 'scenes materials methods cases'
complete -c coulis -f -n '__coulis_is help' -a '(coulis help --words 2>/dev/null)'
complete -c coulis -f -n '__coulis_is validate' -a '(coulis list cases --names 2>/dev/null)'
complete -c coulis -f -n '__coulis_after --method' -a '(coulis list methods --names 2>/dev/null)'
complete -c coulis -f -n '__coulis_after --material' -a '(coulis list materials --names 2>/dev/null)'
complete -c coulis -f -n '__coulis_after --quality' -a 'preview splats final'
