"""A word of a command, the name of its program, and its flags before the subcommand."""

from __future__ import annotations

from holdfast.system.value import Value


class Word(Value):
    """A word as the program gets it; an expansion in it stands as it was written."""

    text: str
    is_quoted: bool = False  # some of it stood in quotes
    is_known: bool = True  # no variable and no substitution in it

    def __repr__(self) -> str:
        return f"Word({self.text!r})"


# Flags that stand before the subcommand and take a value of their own.
GLOBALS: dict[str, frozenset[str]] = {
    name: frozenset(flags.split())
    for name, flags in {
        "git": "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source"
        " --exec-path",
        "gh": "-R --repo --hostname",
        "glab": "-R --repo",
        "hub": "-C -c",
        "hg": "-R --repository --cwd --config --encoding --pager --color",
        "jj": "-R --repository --config --config-file --at-operation --color",
        "svn": "--username --password --config-dir --config-option",
        "npm": "--prefix -C -w --workspace --registry --userconfig --loglevel --cache --tag --otp",
        "pnpm": "-C --dir --filter -F --workspace-concurrency --registry --reporter --loglevel",
        "yarn": "--cwd --registry --modules-folder --cache-folder --mutex",
        "bun": "--cwd --config -c --filter",
        "deno": "--config -c",
        "cargo": "-C -Z --config --color --manifest-path",
        "go": "-C",
        "make": "-C -f -I -o -W --directory --file --makefile",
        "just": "-f --justfile -d --working-directory --set --shell",
        "task": "-d --dir -t --taskfile -o --output",
        "gradle": "-p --project-dir -b --build-file -c -I --init-script -g --console",
        "gradlew": "-p --project-dir -b --build-file -c -I --init-script -g --console",
        "mvn": "-f --file -s --settings -P -pl --projects -T --threads -gs",
        "mvnw": "-f --file -s --settings -P -pl --projects -T --threads -gs",
        "poetry": "-C --directory -P --project",
        "uv": "--directory --project --config-file --cache-dir --color --allow-insecure-host",
        "hatch": "-e --env -p --project --data-dir --cache-dir --config",
        "pdm": "-p --project -c --config",
        "pip": "--python --log --proxy --cert --cache-dir --index-url -i",
        "pip3": "--python --log --proxy --cert --cache-dir --index-url -i",
        "twine": "--config-file",
        "bundle": "--gemfile",
        "docker": "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey",
        "podman": "-c --connection --url --identity --log-level --root --runroot",
        "docker-compose": "-f --file -p --project-name --profile --env-file --project-directory"
        " -H --host -c --context",
        "kubectl": "--context -n --namespace --kubeconfig -s --server --user --cluster --token --as"
        " --as-group --request-timeout --certificate-authority --client-key --client-certificate"
        " --cache-dir -v --v",
        "oc": "--context -n --namespace --kubeconfig -s --server --user --cluster --token --as",
        "helm": "--kube-context -n --namespace --kubeconfig --registry-config --kube-apiserver"
        " --kube-token --repository-config --repository-cache",
        "terraform": "",
        "tofu": "",
        "terragrunt": "--terragrunt-working-dir --terragrunt-config --working-dir --config",
        "pulumi": "-C --cwd -s --stack --color -v --verbose",
        "aws": "--profile --region --output --endpoint-url --query --color --ca-bundle"
        " --cli-read-timeout --cli-connect-timeout",
        "gcloud": "--project --account --configuration --format --verbosity --billing-project"
        " --impersonate-service-account --region --zone",
        "az": "--subscription -o --output --query",
        "flyctl": "-a --app -c --config -t --access-token",
        "fly": "-a --app -c --config -t --access-token",
        "vercel": "--cwd -A --local-config -t --token -S --scope -Q --global-config",
        "netlify": "--auth --filter --httpProxy",
        "wrangler": "-c --config -e --env --cwd",
        "heroku": "-a --app -r --remote",
        "firebase": "-P --project -c --config --account --token",
        "systemctl": "-H --host -M --machine -t --type -p --property -s --signal --root -n",
        "service": "",
        "apt": "-o -c -t",
        "apt-get": "-o -c -t",
        "brew": "",
        "gem": "--config-file",
        "composer": "-d --working-dir",
        "dotnet": "",
        "nix": "--option --extra-experimental-features --experimental-features -f --file",
        "pre-commit": "--color -c --config",
        "alembic": "-c --config -n --name -x",
        "flask": "-A --app -e --env-file",
        "django-admin": "--settings --pythonpath",
        "rails": "",
        "serverless": "-s --stage -r --region -c --config",
        "cdk": "-a --app -c --context --profile -o --output",
        "sam": "--config-file --config-env --profile --region",
        "ansible-vault": "",
        "vault": "-address -namespace",
        "op": "--account --config --session",
        "redis-cli": "-h -p -a -n -u",
        "tmux": "-L -S -f -c",
    }.items()
}
SUFFIXES = (".exe", ".cmd", ".bat")


def name(word: Word) -> str:
    """The program's name without its folder; empty when a variable hides it."""
    text = word.text
    if not word.is_known:
        # `$HOME/bin/git` is git whatever HOME is; `$GIT` may be anything.
        head, slash, text = text.rpartition("/")
        if not slash or any(sign in text for sign in "$`)}") or not _is_closed(head):
            return ""
    text = text.rpartition("/")[2]
    if word.is_quoted:
        text = text.rpartition("\\")[2]
    for suffix in SUFFIXES if "." in text else ():
        if text.lower().endswith(suffix) and len(text) > len(suffix):
            return text[: -len(suffix)]
    return text


def normalised(words: list[Word]) -> list[Word]:
    """The command without the flags between its program and its subcommand."""
    program = name(words[0])
    valued = GLOBALS.get(program)
    if valued is None:
        return words
    at = after_flags(words, 1, valued)
    if program == "cargo" and at < len(words) and words[at].text.startswith("+"):
        at += 1
    return [words[0], *words[at:]]


def after_flags(words: list[Word], at: int, valued: frozenset[str]) -> int:
    """Where the first operand stands: past the flags, and past the values that some take."""
    while at < len(words):
        text = words[at].text
        if text == "--":
            return at + 1
        if len(text) < 2 or text[0] != "-":
            return at
        at += 1 + takes_next(text, valued)
    return at


def takes_next(flag: str, valued: frozenset[str]) -> bool:
    if flag in valued:
        return True
    if flag.startswith("--") or "=" in flag:
        return False
    for place, letter in enumerate(flag[1:], 2):
        if "-" + letter in valued:
            return place == len(flag)  # `-n 1`; in `-n1` the value is there already
    return False


def _is_closed(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("{") == text.count("}")
