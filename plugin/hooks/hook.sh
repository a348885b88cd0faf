#!/bin/sh
# One event of the agent. Always exits with 0: a hook never stands in the way.
# Where `holdfast init` has put its hooks into the settings, those speak and this one is silent.
grep -qs 'holdfast/hook\.py' "$CLAUDE_PROJECT_DIR/.claude/settings.local.json" \
    "$CLAUDE_PROJECT_DIR/.claude/settings.json" "$HOME/.claude/settings.json" && exit 0
state=${HOLDFAST_STATE_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/holdfast}
[ -r "$state/hook.sh" ] || {
    [ "$1" = SessionStart ] || exit 0
    sh "$CLAUDE_PLUGIN_ROOT/bin/holdfast" init --plugin >/dev/null 2>&1
    [ -r "$state/hook.sh" ] || {
        echo '{"systemMessage": "The Holdfast plugin needs the program holdfast, which is not installed. In a clone of Holdfast: uv tool install \".[mcp]\" or pipx install \".[mcp]\"; then start a new session."}'
        exit 0
    }
}
exec sh "$state/hook.sh"
