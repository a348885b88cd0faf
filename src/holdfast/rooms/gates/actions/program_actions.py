"""What programs besides git do: a table of their words, and a few that need a closer look.

A row names an action and the words that a command begins with, without the options between them.
`a|b` is either of them. `+` after the words: only with an operand, a package by its name. What is
only rehearsed, listed or asked for help does not count.
"""

from __future__ import annotations

from holdfast.rooms.gates.actions.git_verbs import CONFIG_CAP_BYTES, patched
from holdfast.rooms.gates.actions.options import Options
from holdfast.rooms.gates.actions.vocabulary import Action
from holdfast.shell.check_tools import CHECKS, NOT_A_RUN, UNDERSTOOD, checks
from holdfast.shell.program import Word, after_flags, name, normalised
from holdfast.shell.shell_state import joined
from holdfast.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.shell.simple_commands import SimpleCommand

TABLE = {
    "publish_package": (
        "npm|pnpm|yarn|bun publish, npm|pnpm|yarn|bun run publish, yarn npm publish, make "
        "publish, lerna publish, changeset publish, cargo|poetry|uv|flit|hatch|pdm|rye publish, "
        "twine upload, gem push, mix hex.publish, mvn deploy, gradle|gradlew publish, sbt "
        "publish, dotnet nuget push, nuget push, docker|podman push, docker image push, "
        "goreleaser release, semantic-release, release-it, np, vsce|ovsx publish, dart|flutter "
        "pub publish, pod trunk push, cabal|luarocks|conan upload, jsr|deno|wasm-pack publish, "
        "helm push"
    ),
    "install_dependency": (
        "npm|pnpm|bun install|i|add+, yarn|deno|cargo|uv|poetry|pdm|rye|bundle add+, yarn global "
        "add+, deno install+, "
        "pip|pipx|pipenv|conda|mamba|micromamba|gem|brew|apt|apt-get|dnf|yum|zypper|snap|flatpak "
        "install+, choco|winget|scoop|port|cabal|luarocks|cpan|expo|opam|vcpkg|conan|nuget "
        "install+, cargo install+, uv pip|tool install+, hatch dep add+, go get|install+, "
        "composer require+, composer global require+, apk add+, pacman -S|-Sy|-Syu+, nix-env "
        "-i|-iA+, nix profile install+, dotnet add package, dotnet package add+, dotnet tool "
        "install+, dart|flutter pub add+, swift package add-dependency+, cpanm+, easy_install+"
    ),
    "drop_database_object": (
        "dropdb, dropuser, heroku pg:reset, rails|rake "
        "db:drop|db:reset|db:purge|db:migrate:reset, prisma migrate reset, prisma db push "
        "--force-reset, manage.py|django-admin flush|reset_db, sequelize|sequelize-cli db:drop, "
        "typeorm schema:drop, artisan migrate:fresh|migrate:reset|db:wipe, mix "
        "ecto.drop|ecto.reset, supabase db reset, redis-cli flushall|flushdb, bq rm, dbmate drop, "
        "flyway clean, liquibase drop-all|dropAll, diesel|sqlx database reset|drop, dotnet ef "
        "database drop, aws dynamodb delete-table, aws rds delete-db-instance|delete-db-cluster, "
        "console doctrine:database:drop|doctrine:schema:drop, gcloud sql databases|instances "
        "delete, wrangler d1 delete, hasura database drop"
    ),
    "migrate_database": (
        "alembic upgrade|downgrade|stamp, manage.py|django-admin migrate, flask db "
        "upgrade|downgrade, aerich upgrade|downgrade, rails|rake "
        "db:migrate|db:rollback|db:migrate:up|db:migrate:down|db:migrate:redo|db:schema:load|db:prepare,"
        " "
        "prisma migrate deploy|dev|resolve, prisma db push, knex "
        "migrate:latest|migrate:up|migrate:down|migrate:rollback, flyway migrate|undo, liquibase "
        "update|rollback, sequelize|sequelize-cli db:migrate|db:migrate:undo, typeorm "
        "migration:run|migration:revert|schema:sync, mikro-orm migration:up|migration:down, "
        "drizzle-kit migrate|push, goose up|down, dbmate up|migrate|rollback, sqlx migrate "
        "run|revert, diesel migration run|redo|revert, mix ecto.migrate|ecto.rollback, artisan "
        "migrate|migrate:rollback|migrate:refresh, console doctrine:migrations:migrate, phinx "
        "migrate|rollback, atlas migrate|schema apply, dotnet ef database update, supabase db "
        "push, supabase migration up, sqitch deploy|revert, yoyo apply|rollback, "
        "node-pg-migrate|db-migrate|migrate up|down, wrangler d1 migrations apply, hasura migrate "
        "apply, tern migrate, npm|pnpm|yarn|bun run migrate|db:migrate, pnpm|yarn|make|just "
        "migrate|db:migrate"
    ),
    "deploy": (
        "terraform|tofu|terragrunt apply|destroy, terragrunt run-all apply, pulumi "
        "up|update|destroy, kubectl|oc apply|create|delete|replace|patch|scale|edit, kubectl|oc "
        "rollout restart|undo, kubectl|oc set image, helm "
        "install|upgrade|uninstall|delete|rollback, helmfile apply|sync, vercel, netlify deploy, "
        "fly|flyctl deploy|launch, wrangler deploy|publish, wrangler pages deploy|publish, "
        "firebase deploy, gcloud app|run|functions deploy, gcloud builds submit, aws deploy "
        "create-deployment|push, aws cloudformation deploy|create-stack|update-stack, aws ecs "
        "update-service, aws lambda update-function-code|publish-version, aws s3 sync, aws "
        "elasticbeanstalk update-environment, aws apprunner|amplify start-deployment, az webapp "
        "up|deploy, az webapp|functionapp deployment source, az containerapp up, az deployment "
        "group create, eb deploy, serverless|sls|cdk|sst deploy|remove|destroy, sam|cdktf deploy, "
        "amplify publish|push, railway up|deploy, heroku "
        "container:release|releases:rollback|pipelines:promote, ansible-playbook, cap deploy, cap "
        "production|staging deploy, kamal deploy|redeploy|rollback, docker stack deploy, skaffold "
        "run|deploy, argocd app sync, surge, gh-pages, mkdocs gh-deploy, mike deploy, eas "
        "submit|update, supabase functions deploy, convex|modal deploy, render deploys create, "
        "doctl apps create-deployment, nomad run, nomad job run, waypoint up, copilot deploy, "
        "copilot svc deploy, cf push, deployctl deploy, shopify theme push, shopify app deploy, "
        "fastlane deploy|release, zappa deploy|update, chalice deploy, npm|pnpm|yarn|bun run "
        "deploy, pnpm|yarn|make|just|task|rake deploy"
    ),
    "run_tests": (
        "cargo nextest run, "
        "bun|deno|swift|mix|rails|rake|bazel|flutter|dart|zig|ng|composer|sbt|lein|stack|cabal|hatch|dune|artisan"
        " "
        "test, rake spec, playwright test, cypress run, xcodebuild test, elm-test, react-scripts "
        "test, meson|nx|turbo|pdm|forge|hardhat|anchor test, node --test, turbo run test, nx "
        "run-many --target=test"
    ),
    "delete_recursive": "rimraf, rd /s, rmdir /s, Remove-Item -Recurse, del /s",
}
NAMES = {"pip3": "pip", "tofu": "tofu", "mariadb": "mysql", "mongo": "mongosh", "gsed": "sed"}


ROWS = [(action, row) for action, rows in TABLE.items() for row in rows.split(", ")]
_headings_of: dict[str, dict[str, tuple[str, bool]]] = {}


def headings(program: str) -> dict[str, tuple[str, bool]]:
    """The rows that begin with a program: their words, the action, and whether `+` follows."""
    if program not in _headings_of:
        made: dict[str, tuple[str, bool]] = {}
        _headings_of[program] = made
        for action, row in ROWS:
            first, *words = row.removesuffix("+").split()
            starts = [program] if program in first.split("|") else []
            for word in words if starts else ():
                starts = [f"{start} {each}" for start in starts for each in word.split("|")]
            made |= dict.fromkeys(starts, (action, row.endswith("+")))
    return _headings_of[program]


LONGEST = 4
WORDY = frozenset(" ".join(["git|gh|glab", *(row.split()[0] for _, row in ROWS if " " in row)])
                  .replace("|", " ").split())  # fmt: skip
# With one of these nothing is done.
NEVER = frozenset(
    "--help --dry-run --dryrun --noop --just-print --simulate --plan --check --sql --list --version"
    " --dry-run=client --dry-run=server --dry-run=true --syntax-check --list-tasks --list-hosts"
    " --preview --show-only --print-config --no-execute --snapshot".split()
)
NONE: frozenset[str] = frozenset()
ANYWHERE = {  # their verb stands behind options with values
    "migrate": ("migrate_database", "up down"),
    "goose": ("migrate_database", "up down"),
    "mysqladmin": ("drop_database_object", "drop"),
}
BY_BARE_NAME = frozenset({"yarn", "pnpm", "bun"})  # they run installed programs
NEVER_OF = {
    "apt-get": "-s", "apt": "-s", "brew": "-n", "ansible-playbook": "-C", "make": "-n",
    "just": "-n",
    "vercel": "ls list env link login logout whoami pull dev build inspect logs domains init alias"
    " certs projects teams switch bisect git dns secrets rm remove", "surge": "list",
}  # fmt: skip
OPERAND_VALUES = (
    "-r --requirement -c --constraint -t --target -e --editable -i --index-url --extra-index-url"
    " --prefix -C --registry --workspace --filter -p --python -G --extra --root --path"
    " --cask-opts"
    " --find-links -f --channel --name --version --tag --loglevel --cwd"
).split()

# Programs that read SQL, or a language of that kind; a file of it after one of these options.
DATABASES = frozenset(
    "psql mysql sqlite3 heroku sqlcmd mongosh duckdb clickhouse-client cqlsh bq cockroach pgcli"
    " mycli usql isql snowsql trino presto hive influx tsql sqlplus litecli turso".split()
)
SQL_FILES = frozenset({"-f", "--file", "-i"})
OBJECTS = frozenset(
    "table database schema index view materialized sequence type function procedure trigger role"
    " user"
    " column constraint extension domain keyspace collection policy tablespace event foreign"
    " temporary"
    " unique publication subscription owned aggregate cast operator server".split()
)
DROPPING_CALLS = (".drop(", "dropdatabase(", "dropindex", "dropcollection(", "remove({})")
REMOTES = {
    "ssh": "-b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
    "autossh": "-M -D -F -i -J -L -l -o -p -R",
    "mosh": "-p --port --ssh",
    "sftp": "-b -B -c -D -F -i -J -l -o -P -R -S -s",
}
COPIES = {
    "scp": "-c -D -F -i -J -l -o -P -S -X",
    "rsync": "-e --rsh -f --filter --exclude --include --exclude-from --include-from --port",
}
PULL_REQUESTS = {
    "gh pr create": "create", "gh pr new": "create", "gh pr merge": "merge",
    "gh pr comment": "comment", "gh pr review": "comment", "glab mr create": "create",
    "glab mr new": "create", "glab mr merge": "merge", "glab mr accept": "merge",
    "glab mr note": "comment", "glab mr comment": "comment", "hub pull-request": "create",
    "tea pr create": "create", "tea pulls create": "create", "tea pr merge": "merge",
    "az repos pr create": "create",
}  # fmt: skip
PR = (
    "d|draft B|base= b= t|title= target-branch= T|template= l|label= a|assignee= r|reviewer="
    " H|head="
    " R|repo= m|milestone= F|body-file= f|fill w|web p|project= body= source-branch= description="
)
SED = "i~ in-place~ e|expression= f|file= n|quiet E r s z l= u"
PERL = "i~ e= E= p n l a F= M= I= w"
CURL = "o|output= X|request= H|header= d|data= u|user= A= b= c= e= F= T= x= O L s S f k"
# A program that writes to all its operands, to the last, or to what an option names.
ALL_OPERANDS = {
    "tee": "a i append", "touch": "a c m d= t= r=", "truncate": "s|size= c r|reference=",
    "rm": "r|R|recursive f|force i I v d", "mv": "f i n v t|target-directory= T u b S=",
    "unlink": "", "shred": "u n= z v", "sponge": "a",
}  # fmt: skip
LAST_OPERAND = {
    "cp": "r R a f i n v p t|target-directory= u l s x b S= T", "install": "m= o= g= d D v t=",
    "ln": "s f n v r t= T",
}  # fmt: skip
# What says and looks, or only changes the shell: no program of its own to a person.
UNTOLD = frozenset(
    "cd pushd popd echo printf true false : test [ [[ export set unset local declare readonly"
    " typeset"
    " alias unalias read exit return shift trap wait sleep source . eval exec env time command"
    " builtin"
    " nohup nice timeout sudo doas xargs grep egrep fgrep cat head tail ls less more wc sort uniq"
    " cut"
    " tr awk sed find which type date pwd basename dirname realpath stat diff tee rm mv cp mkdir"
    " rmdir"
    " touch chmod ln git gh glab ssh scp rsync hash umask ulimit jobs fg bg kill let shopt setsid"
    " stdbuf break continue break seq yes base64 dd patch install".split()
)


def actions(command: SimpleCommand) -> list[Action]:
    """What a command does that is not git's."""
    words = command.words
    program = _program(words[0])
    if not program:
        return []
    plain = [words[0], *normalised(words)[1:]]
    texts = [program, *(word.text for word in plain[1:])]
    bare = [plain[0], *plain[after_flags(plain, 1, NONE) :]]  # `flyway -url=x migrate`
    made = _by_table(texts, plain)
    if not made and len(bare) < len(plain) and not NEVER & set(texts):
        made = _by_table([program, *(word.text for word in bare[1:])], bare)
    if not made and program in BY_BARE_NAME and len(texts) > 1:
        made = _by_table(texts[1:], plain[1:])
    made += _pull_requests(texts, plain) + _tests(program, words)
    reader = READERS.get(program)
    return made + reader(command, plain) if reader else made


def _program(word: Word) -> str:
    program = name(word)
    if program.startswith("pip") and program[3:].replace(".", "").isdigit():
        return "pip"
    return NAMES.get(program, program)


def is_hidden(words: list[Word]) -> bool:
    """Whether the word that says what a known program shall do cannot be told."""
    plain = normalised(words)
    return _program(words[0]) in WORDY and len(plain) > 1 and not plain[1].is_known


def _is_rehearsed(texts: list[str], heading: str) -> bool:
    rest = texts[heading.count(" ") + 1 :]
    own = NEVER_OF.get(texts[0], "").split()
    is_help = rest[:1] in (["-h"], ["help"]) and len(rest) == 1
    return is_help or any(text in NEVER or text in own for text in rest)


def _by_table(texts: list[str], plain: list[Word]) -> list[Action]:
    if texts[0] == "redis-cli":
        texts = [text.lower() for text in texts]
    known = headings(texts[0])
    for length in range(min(LONGEST, len(texts)) if known else 0, 0, -1):
        heading = " ".join(texts[:length])
        if heading in known:
            action, needs_operand = known[heading]
            counts = not needs_operand or _has_package(plain[length:])
            return [Action(action)] if counts and not _is_rehearsed(texts, heading) else []
    action, verbs = ANYWHERE.get(texts[0], ("", ""))
    return [Action(action)] if action and set(verbs.split()) & set(texts) else []


def _has_package(words: list[Word]) -> bool:
    """Whether something is named that is not the project itself."""
    skip = False
    for word in words:
        text = word.text
        if skip or text.startswith("-"):
            skip = not skip and text in OPERAND_VALUES
        elif not text.startswith((".[", "./")) and text not in (".", ".."):
            return True
    return False


def _pull_requests(texts: list[str], plain: list[Word]) -> list[Action]:
    for length in (4, 3, 2):
        act = PULL_REQUESTS.get(" ".join(texts[:length]))
        if act and not _is_rehearsed(texts, " ".join(texts[:length])):
            options = Options(plain[length:], PR)
            base = options.value("base", "target-branch") or (
                options.value("b") if texts[0] != "gh" else ""
            )
            is_new = act == "create"
            return [
                Action(
                    "pull_request",
                    draft=is_new and "draft" in options,
                    base=base if is_new else "",
                    **{act: True},
                )
            ]
    if texts[:3] == ["gh", "pr", "checkout"] and "--help" not in texts:
        return [Action("switch_branch")]
    return _through_api(texts) if texts[:2] == ["gh", "api"] else []


def _through_api(texts: list[str]) -> list[Action]:
    address = next((text for text in texts[2:] if "repos/" in text), "").rstrip("/")
    writes = {"POST", "PUT", "-f", "-F", "--field", "--raw-field", "--input"} & set(texts)
    if not writes:
        return []
    if address.endswith("/pulls"):
        return [Action("pull_request", create=True)]
    if "/pulls/" in address and address.endswith("/merge"):
        return [Action("pull_request", merge=True)]
    return (
        [Action("pull_request", comment=True)] if address.endswith(("comments", "replies")) else []
    )


def _tests(program: str, words: list[Word]) -> list[Action]:
    texts = [word.text for word in words[1:]]
    kinds = [kind for kind, tool in checks(program, texts) if not tool.endswith("?")]
    if program not in UNDERSTOOD and not NOT_A_RUN & set(texts):
        kinds.append(CHECKS.get(program, ""))
    return [Action("run_tests")] if "tests" in kinds else []


def _sql(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    texts = [word.text for word in plain[1:]]
    texts += [text[2:] if text[1:2] != "-" else text.partition("=")[2] for text in texts]
    texts.append(command.stdin or "")
    for flag, value in zip(texts, [*texts[1:], ""], strict=False):
        if flag in SQL_FILES:
            texts.append(_file(command, value))
    return [Action("drop_database_object")] if any(map(drops, texts)) else []


def _file(command: SimpleCommand, path: str) -> str:
    return files.read_text(joined(command.folder, path), CONFIG_CAP_BYTES) or ""


def drops(sql: str) -> bool:
    """Whether SQL drops something, outside of its own quotes and comments."""
    lowered = sql.lower()
    if any(call in lowered.replace(" ", "") for call in DROPPING_CALLS):
        return True
    bare = _without(_without(lowered, "/*", "*/"), "--", "\n")
    bare = _without(bare, "'", "'")
    letters = "".join(sign if sign.isalnum() or sign in "_;" else " " for sign in bare)
    words = letters.replace(";", " ; ").split()
    pairs = list(zip(["", *words], words, [*words[1:], ""], strict=False))
    return any(word == "drop" and after in OBJECTS for _, word, after in pairs) or any(
        word == "truncate" and after and before in ("", ";", "begin")
        for before, word, after in pairs
    )


def _without(text: str, opening: str, closing: str) -> str:
    parts, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        parts.append(text[at:start])
        end = text.find(closing, start + len(opening))
        at = end + len(closing) if end >= 0 else len(text)
    return " ".join([*parts, text[at:]])


def edits(paths: list[Word], text: str | None = None) -> list[Action]:
    """What comes of a program that writes to these files."""
    made = []
    for path in paths:
        if path.text.startswith("/dev/") or path.text in ("", "-"):
            continue
        is_known = path.is_known and path.text != "{}"  # which find and xargs fill in
        edit = Action("edit_files", path=path.text if is_known else "")
        edit.unknown = frozenset() if is_known else frozenset({"path"})
        made.append(edit)
        if text is not None and is_known:
            write = Action("write", path=path.text)
            write.text = text
            made.append(write)
    return made


def _to_all(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    program = name(plain[0])
    options = Options(plain[1:], ALL_OPERANDS[program])
    paths = [*options.operands, *options.paths]
    if {"--help", "--version"} & {word.text for word in plain} or (
        program == "mv" and len(paths) < 2 and not options.value("target-directory")
    ):
        return []
    made = edits(paths, command.stdin if program == "tee" else None)
    return (
        [*made, Action("delete_recursive")] if program == "rm" and "recursive" in options else made
    )


def _to_last(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    options = Options(plain[1:], LAST_OPERAND[name(plain[0])])
    goal = options.value("target-directory", "t")
    return edits([Word(goal)] if goal else [*options.operands, *options.paths][1:][-1:])


def _in_place(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    is_perl = name(plain[0]) == "perl"
    options = Options(plain[1:], PERL if is_perl else SED)
    if not {"i", "in-place"} & options.flags:
        return []
    has_script = bool({"e", "E" if is_perl else "f", "expression", "file"} & options.flags)
    words = [*options.operands, *options.paths]
    if not is_perl and words and words[0].text == "":
        words = words[1:]  # `sed -i '' ...`, as on a Mac
    return edits((words if has_script else words[1:]) or [Word("{}")])


def _dd(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    return edits([Word(word.text[3:]) for word in plain if word.text.startswith("of=")])


def _patch(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    options = Options(plain[1:], "p= i|input= d= R N f s dry-run b o= r= F= l")
    if "dry-run" in options:
        return []
    if options.operands:
        return edits(options.operands[:1])
    file = options.value("input")
    return patched(_file(command, file) if file else command.stdin or "")


def _fetched(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    options = Options(plain[1:], CURL if name(plain[0]) == "curl" else "O= o= q P= c N")
    goal = options.value("output") if name(plain[0]) == "curl" else options.value("O")
    return edits([Word(goal)] if goal else [])


def _find(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    return [Action("delete_recursive")] if "-delete" in [word.text for word in plain] else []


def _host(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    program = name(plain[0])
    at = after_flags(plain, 1, frozenset(REMOTES[program].split()))
    return [_remote(plain[at])] if at < len(plain) else []


def _copied(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    words = [word for word in plain[1:] if not word.text.startswith("-")]
    hosts = [
        Word(word.text.partition(":")[0] if "://" not in word.text else word.text, word.is_quoted)
        for word in words
        if ":" in word.text and "/" not in word.text.partition(":")[0]
    ]
    made = [_remote(host) for host in hosts]
    return made or edits(words[1:][-1:])


def _remote(word: Word) -> Action:
    host = word.text.partition("://")[2] or word.text
    host = host.partition("/")[0].rpartition("@")[2].partition(":")[0]
    action = Action("remote", host=host if word.is_known else "")
    action.unknown = frozenset() if word.is_known else frozenset({"host"})
    return action


def _connected(command: SimpleCommand, plain: list[Word]) -> list[Action]:
    texts = [word.text for word in plain]
    if texts[1:3] == ["compute", "ssh"] and len(plain) > 3:
        hosts = [word for word in plain[3:] if not word.text.startswith("-")]
        return [_remote(host) for host in hosts[:1]]
    at = next((at for at, text in enumerate(texts[:-1]) if text in ("-H", "--host")), 0)
    return [_remote(plain[at + 1])] if at and "://" in texts[at + 1] else []


READERS: dict[str, Callable[[SimpleCommand, list[Word]], list[Action]]] = {
    **dict.fromkeys(DATABASES, _sql),
    **dict.fromkeys(ALL_OPERANDS, _to_all),
    **dict.fromkeys(LAST_OPERAND, _to_last),
    **dict.fromkeys(("sed", "perl"), _in_place),
    **dict.fromkeys(REMOTES, _host),
    **dict.fromkeys(COPIES, _copied),
    **dict.fromkeys(("curl", "wget"), _fetched),
    **dict.fromkeys(("gcloud", "docker"), _connected),
    "dd": _dd,
    "patch": _patch,
    "find": _find,
}
