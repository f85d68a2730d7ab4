"""Where the clients' keys and addresses come from, and where they do not."""

import asyncio
import gc
import json
import sys
from datetime import UTC, datetime, timedelta

import anthropic
import pytest

from fetcher.agent.errors import ModelRejected
from fetcher.agent.model.clients import open_api, open_bedrock
from fetcher.settings import AgentSettings
from tests.fakes.answers import answer

AWS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """An environment without AWS credentials, and a file to put some into."""
    for name in AWS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return monkeypatch


@pytest.fixture
def metadata_service(environment, running_web):
    """A metadata service that hands out a role's keys, as EC2's does."""
    home = f"http://127.0.0.1:{running_web.port}"
    roles = f"{home}/latest/meta-data/iam/security-credentials/"
    keys = {"Code": "Success", "AccessKeyId": "ASIAROLE", "SecretAccessKey": "s", "Token": "t"}
    running_web.route(f"{home}/latest/api/token", answer("token"))
    running_web.route(roles, answer("reader"))
    running_web.route(roles + "reader", answer(json.dumps(keys | {"Expiration": "2099-01-01T00:00:00Z"})))
    environment.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", home)
    yield running_web
    running_web.reset()


def settings(**more):
    return AgentSettings(**more)


def signed_in(client):
    """The keys with which a client signs."""

    async def sign_in():
        if client.sign_in:
            await client.sign_in()
        await client.close()

    asyncio.run(sign_in())
    return client.secrets


def test_the_api_has_what_the_settings_say(monkeypatch):
    """Key, address, time and tries are ours; what the SDK would find in the environment is not asked."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-theirs")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-theirs")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://theirs.example/")
    client = open_api(settings(anthropic_api_key="sk-ours", model_timeout_seconds=30, model_max_retries=4))
    assert signed_in(client) == ("sk-ours",)
    assert str(client.sdk.base_url) == "https://api.anthropic.com"
    assert (client.sdk.timeout, client.sdk.max_retries) == (anthropic.Timeout(30, connect=5), 4)


def test_a_short_time_is_short_for_connecting_too():
    """No phase gets more than the setting."""
    client = open_api(settings(anthropic_api_key="k", model_timeout_seconds=2))
    signed_in(client)
    assert client.sdk.timeout == anthropic.Timeout(2)


def test_without_a_key_there_is_no_client(monkeypatch):
    """Naming the Claude API does not make a key, and the SDK's own search for one is not begun."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-theirs")
    with pytest.raises(ModelRejected, match="no key"):
        open_api(settings(model_provider="anthropic"))


@pytest.mark.parametrize("url", ["http://[::1", "https://a.example:port/"])
def test_an_address_that_is_none_is_told(environment, url):
    """A slip in the settings is the operator's to mend."""
    with pytest.raises(ModelRejected, match="no URL"):
        open_api(settings(anthropic_api_key="k", anthropic_base_url=url))
    with pytest.raises(ModelRejected, match="no URL"):
        open_bedrock(settings(), url)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:1080", "SOCKS is not supported"),
        ("HTTPS_PROXY", "gopher://proxy.example", "http://host:port"),
        ("HTTPS_PROXY", "http://taro:s3/cret@proxy.example:8080", "http://host:port"),
        ("SSL_CERT_FILE", "/nowhere/ca.pem", "SSL_CERT_FILE"),
    ],
)
def test_a_proxy_and_certificates_that_cannot_be_used_are_told(environment, variable, value, said, recwarn):
    """In a sentence, and without a password."""
    environment.setitem(sys.modules, "socksio", None)  # the packages of `make bench` bring it
    environment.setenv(variable, value)
    for opened in (open_api, open_bedrock):
        with pytest.raises(ModelRejected) as told:
            opened(settings(anthropic_api_key="k"))
        assert said in told.value.message
        assert "s3" not in told.value.message
    gc.collect()
    assert [str(each.message) for each in recwarn] == []


def test_a_broken_file_of_aws_is_told(environment, tmp_path):
    (tmp_path / "config").write_text("hello")
    with pytest.raises(ModelRejected, match="not a file of AWS's settings"):
        open_bedrock(settings())


def test_bedrock_has_what_the_settings_say(environment):
    """The region is ours, else AWS's own; addresses of the environment for other programs are not asked."""
    environment.setenv("AWS_ACCESS_KEY_ID", "AKIA")
    environment.setenv("AWS_SECRET_ACCESS_KEY", "s")
    environment.setenv("AWS_SESSION_TOKEN", "t")
    environment.setenv("AWS_REGION", "us-east-1")
    environment.setenv("ANTHROPIC_BEDROCK_BASE_URL", "https://theirs.example/")
    client = open_bedrock(settings(aws_region_name="ap-northeast-3"))
    assert signed_in(client) == ("AKIA", "s", "t")
    assert str(client.sdk.base_url) == "https://bedrock-runtime.ap-northeast-3.amazonaws.com"
    assert str(open_bedrock(settings()).sdk.base_url) == "https://bedrock-runtime.us-east-1.amazonaws.com"


def test_bedrock_takes_a_profile_s_keys(environment, tmp_path):
    """What AWS's own tools find in their files is found."""
    (tmp_path / "credentials").write_text("[work]\naws_access_key_id = AKIAWORK\naws_secret_access_key = s\n")
    environment.setenv("AWS_PROFILE", "work")
    assert signed_in(open_bedrock(settings())) == ("AKIAWORK", "s")


def test_bedrock_takes_a_bearer_token(environment):
    """A token stands in for keys, and comes first."""
    environment.setenv("AWS_ACCESS_KEY_ID", "AKIA")
    environment.setenv("AWS_SECRET_ACCESS_KEY", "s")
    environment.setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer")
    assert signed_in(open_bedrock(settings())) == ("bearer",)


def test_a_profile_that_is_not_there_is_told(environment):
    """A profile that does not exist is reported."""
    environment.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ModelRejected, match="AWS_PROFILE names a profile"):
        open_bedrock(settings())


def test_no_metadata_service_is_asked(metadata_service):
    """Without credentials no client is opened, though the machine may have a role."""
    with pytest.raises(ModelRejected, match=r"no AWS credentials: .* AWS_EC2_METADATA_DISABLED=false"):
        open_bedrock(settings())
    assert metadata_service.requests == []


def test_the_metadata_service_is_asked_if_that_is_wanted(environment, metadata_service):
    """EC2 and AgentCore have no other place for a role's keys: there the environment says so."""
    environment.setenv("AWS_EC2_METADATA_DISABLED", "false")
    assert signed_in(open_bedrock(settings())) == ("ASIAROLE", "s", "t")


@pytest.fixture
def program(environment, tmp_path):
    """Writes a program that hands out other keys each time, good for so many minutes."""

    def write(minutes):
        expires = datetime.now(UTC) + timedelta(minutes=minutes)
        keys = {"Version": 1, "AccessKeyId": "AKIA$$", "SecretAccessKey": "s", "SessionToken": "t"}
        printed = json.dumps(keys | {"Expiration": expires.isoformat()})
        (tmp_path / "keys.sh").write_text(f"cat <<END\n{printed}\nEND\n")
        (tmp_path / "config").write_text(f"[default]\ncredential_process = sh {tmp_path}/keys.sh\n")
        environment.setenv("AWS_PROFILE", "default")

    return write


def test_keys_are_those_of_the_hour(program):
    """Credentials that are about to expire are renewed before a call."""
    program(minutes=5)

    async def sign_in_twice(client):
        keys = []
        for _ in range(2):
            await client.sign_in()
            keys.append(client.sdk.aws_access_key)
        await client.close()
        return keys

    one, two = asyncio.run(sign_in_twice(open_bedrock(settings())))
    assert one != two


def test_keys_that_cannot_be_renewed_are_told(program):
    """A program that hands out what has expired ends in a rejection, not in a crash."""
    program(minutes=-5)
    with pytest.raises(ModelRejected, match="AWS credentials cannot be had"):
        signed_in(open_bedrock(settings()))
