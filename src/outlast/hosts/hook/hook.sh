# A hook of a coding agent: sh hook.sh MOMENT HOST PYTHON [KIND]
#
# The agent runs this at every tool call, so it does as little as it can: it shows the texts that the
# full program has left for the session, and starts that program only to decide something. Unless it
# has something to show, it needs no other program. hosts/sessions.py tells what is in
# a session's directory. It never fails: an agent takes a failure for a refusal. What fails is shown
# with OUTLAST_DEBUG=1 only. Other programs are found where the system has them (`command -p`), for the
# agent's PATH may begin with a directory of the project.

[ "${OUTLAST_OFF:-0}" = 0 ] || exit 0
[ "${OUTLAST_DEBUG:-0}" != 0 ] || exec 2>/dev/null
moment=$1 host=$2 python=$3 kind=${4:-} payload=
program=${0%/*}/main.py

# decide: let the full program answer. It finds the payload on its standard input.
decide() {
    [ -x "$python" ] && [ -f "$program" ] || exit 0 # it was uninstalled
    if [ -z "$payload" ]; then
        exec "$python" -I -S "$program" "$moment" "$host"
    fi
    printf '%s\n' "$payload" | "$python" -I -S "$program" "$moment" "$host"
    exit 0
}

# run PROGRAM: some systems, such as NixOS, have it on the PATH only.
run() { command -p "$@" || { [ $? -eq 127 ] && "$@"; }; }

read_payload() { [ -n "$payload" ] || payload=$(run cat); }

case $host in
claude-code) session=${CLAUDE_CODE_SESSION_ID:-} ;;
gemini) session=${GEMINI_SESSION_ID:-} ;;
*) session= ;;
esac
if [ -z "$session" ]; then
    read_payload
    case $payload in *'"session_id":'*) ;; *) exit 0 ;; esac # a search for what is not there is slow
    session=${payload#*\"session_id\":}
    session=${session#*\"}
    session=${session%%\"*}
fi
case $session in '' | *[!A-Za-z0-9_-]*) exit 0 ;; esac
case ${XDG_STATE_HOME:-} in
/*) directory=$XDG_STATE_HOME ;;
*)
    [ -n "${HOME:-}" ] || decide # it knows where else to look
    directory=$HOME/.local/state
    ;;
esac
directory=$directory/outlast/hosts/$host/$session

# Only its user attaches a session: by a command, or by accepting a plan.
if [ ! -f "$directory/session.json" ]; then
    case $moment$kind in
    session-start) decide ;;
    prompt)
        read_payload
        case $payload in *[/\$]outlast*) decide ;; esac
        ;;
    post-toolplan)
        read_payload
        case $payload in *'"ExitPlanMode"'*) decide ;; esac
        ;;
    esac
    exit 0
fi

# is_outdated: whether the plan has changed since the full program looked at it.
is_outdated() {
    while IFS= read -r file; do
        [ "$file" -nt "$directory/base" ] && return 0
    done <"$directory/paths"
    return 1
}

# show NAME: print a text, once however many hooks look for it at the same moment. What happens in a
# subagent is not told: the text is for the main agent.
show() {
    [ -f "$directory/$1" ] || return 0
    read_payload
    case $payload in *'"agent_id":"'*) return 0 ;; esac
    run mv "$directory/$1" "$directory/$1.shown" 2>/dev/null || return 0
    while IFS= read -r line; do text=$line; done <"$directory/$1.shown"
    printf '%s\n' "$text"
    exit 0
}

show_step() {
    is_outdated && decide
    show next
}

# remind: show the reminder if the agent has looked at enough since the last one.
remind() {
    if [ -f "$directory/remind" ] && [ -f "$directory/views" ]; then
        IFS= read -r needed <"$directory/remind"
        IFS= read -r views <"$directory/views"
        [ ${#views} -lt "$needed" ] || show remind
    fi
}

# note_failure: keep the payload for the full program, which looks at the second failure in a row.
note_failure() {
    moment=tool-failure
    read_payload
    [ ! -f "$directory/failing" ] || decide
    for noted in "$directory"/spool/*; do
        [ ! -e "$noted" ] || decide
    done
    umask 077
    printf '%s\n' "$payload" >"$directory/spool/.$$" &&
        run mv "$directory/spool/.$$" "$directory/spool/$$"
    exit 0
}

# note_result: after a tool that changes something. A host without an event for failures tells them
# in the result, which the full program reads closely, or, as Codex does, only in the last line of
# its record.
note_result() {
    case $host in
    claude-code) ;;
    codex)
        read_payload
        case $payload in *'"transcript_path":"'*)
            record=${payload#*\"transcript_path\":\"}
            record=${record%%\"*}
            [ ! -f "$record" ] || case $(run tail -n 1 -- "$record") in
            *'"exit_code":0'[,}]*) ;;
            *'"exit_code":'*) note_failure ;;
            esac
            ;;
        esac
        ;;
    *)
        read_payload
        case $payload in *'Exit Code: '[!0\(]* | *'"error":{'*) note_failure ;; esac
        ;;
    esac
    [ ! -f "$directory/decide" ] || decide
}

case $moment$kind in
status-line)
    is_outdated && decide
    IFS= read -r text <"$directory/status" && printf '%s\n' "$text"
    ;;
pre-tool)
    [ ! -f "$directory/decide" ] || decide
    [ "$host" = gemini ] || show_step # it passes nothing on
    ;;
post-toolview)
    printf . >>"$directory/views"
    [ "$host" = claude-code ] || remind # it has batches
    [ "$host" != gemini ] || show_step
    ;;
post-toolwork)
    note_result
    [ "$host" != gemini ] || show_step
    ;;
tool-failure) note_failure ;;
batch) remind ;;
subagent-stop) printf .. >>"$directory/views" ;; # it has looked at something that may be worth a note
*) decide ;;
esac
exit 0
