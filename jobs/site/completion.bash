# Completion of spmv_dist in bash: commands, options, files, and the words that options take, as --help and --list have them.
_spmv_dist() {
  local line=${COMP_LINE:0:COMP_POINT} current previous='' command='' help names title='' kind words='' list='' offered word
  local -a typed
  read -r -a typed < <(printf '%s\n' "$line")
  # What is being typed, with colons, equal signs and commas, at which bash itself cuts words.
  if [[ $line == *[[:space:]] ]]; then current=; else current=${typed[-1]}; unset 'typed[-1]'; fi
  [ "${#typed[@]}" -lt 2 ] || previous=${typed[-1]}
  [[ ! ${typed[1]:-} =~ ^[a-z]+$ ]] || command=${typed[1]}
  help=$("${typed[0]}" ${command:+"$command"} --help 2>/dev/null)
  case $previous in
    --format | --nonlocal-format) title=formats ;;
    --value) title='value types' ;;
    --vectors) words='device host' ;;
    --generate | --mode | --transport | --layout | --partition | --order | --backend | --hint | --solver | --preconditioner) title=${previous#--} ;;
    -*)
      kind=$(grep -oE -- "(^|[ ,])$previous [A-Z]+" <<<"$help" | head -n 1)
      case ${kind##* } in
        INT | FLOAT) COMPREPLY=() && return ;;
        TEXT) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
      esac
      ;;
  esac
  # In --list a title has an s, or says it otherwise, and every name two blanks before it.
  if [ -n "$title" ]; then
    words=$("${typed[0]}" --list | sed -nE "/^(${title/partition/partitioner}s?|${title/generate/generator}s)\$/,/^[a-z]/s/^  ([a-z0-9_-]+:?).*/\1/p")
    case $previous in --mode | --transport) list=${current%"${current##*,}"} ;; esac
  elif [[ -z $words && ($current == -* || ${#typed[@]} == 1) ]]; then
    names=$(sed -nE 's/^  (-[-a-z,]+).*/\1/p' <<<"$help" | tr , ' ')
    words="$names $(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+)  .*/\1/p' <<<"$help")"
    [[ $current == -* ]] || compgen -W "$words" -- "$current" >/dev/null || words=
  fi
  if [ -z "$words" ]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${current#"$list"}")
  # bash puts what is offered in the place of the part behind the last character at which it cuts.
  offered=$list
  for word in ':' '='; do
    [[ $COMP_WORDBREAKS != *"$word"* || $offered != *"$word"* ]] || offered=${offered##*"$word"}
  done
  COMPREPLY=("${COMPREPLY[@]/#/$offered}")
  if [ "${#COMPREPLY[@]}" = 1 ] && [[ ${COMPREPLY[0]} == *: ]]; then compopt -o nospace; fi
}
complete -F _spmv_dist spmv_dist
