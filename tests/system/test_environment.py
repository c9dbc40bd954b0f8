"""A5, A17: programs that we start for an agent get no secrets."""

from __future__ import annotations

from outlast.system.environment import remove_secrets

SECRETS = {
    "ANTHROPIC_API_KEY": "x",
    "GITHUB_TOKEN": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "DB_PASSWORD": "x",
    "MY_CREDENTIALS": "x",
    "MY_PAT": "x",
    "AZURE_DEVOPS_EXT_PAT": "x",
    "SENTRY_DSN": "x",
    "KUBECONFIG": "/home/me/.kube/config",
    "DOCKER_HOST": "tcp://10.0.0.1:2375",
    "DOCKER_CONFIG": "/home/me/.docker",
    "AZURE_STORAGE_CONNECTION_STRING": "x",
    "SSH_AUTH_SOCK": "/run/agent.1",
    "NETRC": "/home/me/.netrc",
    "SERVICE_JWT": "x",
    "BLOB_SAS": "x",
    "BASIC_AUTH": "x",
    "REGISTRY_CREDS": "x",
    "DATABASE_URL": "postgres://me:hunter2hunter2@db/x",
    "HARMLESS": "sk-ant-api03-" + "a1" * 20,
}
KEPT = {
    "PATH": "/bin",
    "HOME": "/root",
    "LANG": "C",
    "PWD": "/x",
    "OLDPWD": "/y",
    "TERM": "xterm",
    "COMPAT": "1",
    "AUTHOR": "ann",
    "REDIS_URL": "redis://localhost/0",
    "VIRTUAL_ENV": "/x/.venv",
}


def test_a17_variables_that_look_like_secrets_are_removed_and_no_others() -> None:
    assert remove_secrets({**SECRETS, **KEPT}) == KEPT


def test_a17_only_the_variables_that_a_person_named_may_pass() -> None:
    assert remove_secrets({**SECRETS, **KEPT}, ("MY_PAT",)) == {**KEPT, "MY_PAT": "x"}
