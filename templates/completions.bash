    words=("${COMP_WORDS[@]:0:COMP_CWORD}")
    [[ ${COMP_WORDS[COMP_CWORD]} == "=" ]] && words+=("=")
    words+=("$2")
    local before=() word key= prefix= last=-1
    for word in "${words[@]}"; do
        if [[ $word != "=" ]]; then
            before+=("$key$word")
            prefix=$key key=
            last=$((last + 1))
        elif [[ ${before[last]} != -* ]]; then
            key="${before[last]}="
            unset "before[last]"
            last=$((last - 1))
        fi
    done
    words=("${before[@]}")
    _CLAP_COMPLETE_INDEX=$last
