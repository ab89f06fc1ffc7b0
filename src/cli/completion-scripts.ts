/**
 * The scripts that a shell loads to complete `annals`. Each asks `annals complete -- WORDS` for lines of a value and, behind a tab, what it
 * is. They need no other package, may be loaded twice, print nothing, and never evaluate what was typed.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = {
  bash: `# bash completion for annals
_annals() {
    local cur=\${COMP_WORDS[COMP_CWORD]} line value label widest=0 at
    local -a values=() labels=()
    COMPREPLY=()
    while IFS= read -r line; do
        value=\${line%%$'\\t'*}
        [[ $line == :[0-9]* || $value != "$cur"* ]] && continue
        label=''
        [[ $line == *$'\\t'* ]] && label=\${line#*$'\\t'}
        values+=("$value")
        labels+=("$label")
        (( \${#value} > widest )) && widest=\${#value}
    done < <("$1" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if (( \${#values[@]} == 1 )); then
        COMPREPLY=("\${values[0]}")
        return
    fi
    for at in "\${!values[@]}"; do
        if [[ -n \${labels[at]} ]]; then
            printf -v line "%-\${widest}s  (%s)" "\${values[at]}" "\${labels[at]:0:60}"
        else
            line=\${values[at]}
        fi
        COMPREPLY+=("$line")
    done
}
complete -o default -F _annals annals
`,
  zsh: `#compdef annals
# zsh completion for annals
_annals() {
    local line
    local -a values
    for line in "\${(@f)$("$words[1]" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z $line || $line == :<-> ]] && continue
        if [[ $line == *$'\\t'* ]]; then
            values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
        else
            values+=("\${line//:/\\\\:}")
        fi
    done
    if (( \${#values} )); then
        _describe -V annals values
    else
        _files
    fi
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
    _annals "$@"
elif (( \${+functions[compdef]} )); then
    compdef _annals annals
fi
`,
  fish: `# fish completion for annals
function __annals_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    test -n "$current"; or set current ''
    set -l found ($words[1] complete -- $words[2..-1] $current 2>/dev/null | string match -rv '^:[0-9]+$')
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path $current
    end
end
complete -c annals -e
complete -c annals -k -f -a '(__annals_complete)'
`,
}
