"""How programs are started: what is in their arguments, variables, files and standard input."""

import json
import shlex
import tomllib

import pytest

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.programs.claude_code import ClaudeCode
from quickstarted.agents.programs.codex import Codex
from quickstarted.agents.programs.exec_command import ExecCommand
from quickstarted.agents.programs.program import Place
from quickstarted.agents.programs.services import access_to

KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-0123456789",
    "OPENAI_API_KEY": "sk-0123456789",
    "GOOGLE_API_KEY": "AIza0123456789",
}
PROMPT = Prompt(system="Be brief.", task='Say "hi"; $HOME \u00e9 \x7f')


def place(*vendors, **environ):
    access = {vendor: access_to(vendor, KEYS | environ) for vendor in vendors}
    return Place(command="/opt/p/run", home="/.q/agent", access=access)


def launch(program, at):
    made = program.launch(PROMPT, at)
    everything = json.dumps([made.shell, *made.files.values(), made.stdin, *made.env.values()])
    assert not any(value in everything for value in KEYS.values())
    return made


PROGRAMS = [
    (ClaudeCode(model=None), "anthropic"),
    (Codex(model="m"), "openai"),
    (ExecCommand(command="run me"), "gemini"),
]


@pytest.mark.parametrize(("program", "vendor"), PROGRAMS)
def test_the_task_is_on_standard_input_and_in_no_argument(program, vendor):
    made = launch(program, place(vendor))

    assert made.stdin.endswith(PROMPT.task) or made.stdin == f"{PROMPT.system}\n\n{PROMPT.task}\n"
    assert "hi" not in made.shell


def test_claude_code_gets_its_instructions_documentation_and_no_tools_of_its_vendors():
    made = launch(ClaudeCode(model="m x"), place("anthropic"))
    argv = shlex.split(made.shell)

    assert ["/opt/p/run", "-p"] == argv[:2]
    assert "m x" == argv[argv.index("--model") + 1]
    assert ["--disallowedTools", "WebFetch", "WebSearch"] == argv[-3:]
    assert PROMPT.system == made.files["system.txt"]
    assert "/.q/agent/system.txt" in argv
    server = json.loads(made.files["mcp.json"])["mcpServers"]["docs"]
    assert ("http://read-docs.quickstarted.internal/mcp", True) == (
        server["url"],
        server["alwaysLoad"],
    )
    assert "ANTHROPIC_BASE_URL" not in made.env


def test_without_a_model_claude_code_takes_its_own():
    assert "--model" not in launch(ClaudeCode(model=None), place("anthropic")).shell


def test_an_address_of_the_callers_own_is_passed_on():
    at = place("anthropic", ANTHROPIC_BASE_URL="https://gw.example/a")

    assert "https://gw.example/a" == launch(ClaudeCode(model=None), at).env["ANTHROPIC_BASE_URL"]


def test_codex_is_configured_by_a_file_that_is_toml_whatever_is_in_it():
    prompt = Prompt(system='A "b"\n\\ \x00 \x7f \U0001f600', task="x")
    made = Codex(model='m"').launch(prompt, place("openai"))
    config = tomllib.loads(made.files["config.toml"])

    assert ('m"', prompt.system) == (config["model"], config["developer_instructions"])
    provider = config["model_providers"][config["model_provider"]]
    assert ("https://api.openai.com/v1", "OPENAI_API_KEY", False) == (
        provider["base_url"],
        provider["env_key"],
        provider["supports_websockets"],
    )
    assert "disabled" == config["web_search"]
    assert config["mcp_servers"]["docs"]["required"]
    assert "/.q/agent" == made.env["CODEX_HOME"]


def test_a_command_gets_a_placeholder_for_each_vendor_whose_key_is_set():
    program = ExecCommand(command="run me | tee log")
    at = place("anthropic", "gemini", GOOGLE_GEMINI_BASE_URL="https://gw.example")
    made = launch(program, at)

    assert ("anthropic", "openai", "gemini") == program.vendors(KEYS)
    assert () == program.vendors({"OPENAI_API_KEY": " "})
    assert ["sh", "-c", "run me | tee log"] == shlex.split(made.shell)
    assert made.env["GEMINI_API_KEY"] == made.env["GOOGLE_API_KEY"]
    assert made.env["ANTHROPIC_API_KEY"] == at.access["anthropic"].secret.placeholder
    assert "https://gw.example" == made.env["GOOGLE_GEMINI_BASE_URL"]
    assert "/.q/agent/prompt.txt" == made.env["QS_PROMPT_FILE"]
    assert made.files["prompt.txt"] == made.stdin
