import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.hosted_tools import hosted_in
from quickstarted_proxy.model_apis import VENDORS

URL = "https://docs.example.org/"


def said(*content):
    return {"messages": [{"role": "user", "content": list(content)}]}


def asked(*content):
    return {"input": [{"type": "message", "role": "user", "content": list(content)}]}


def parts(*given):
    return {"contents": [{"role": "user", "parts": list(given)}]}


CLEAN = [
    ("anthropic", {}),
    ("anthropic", {"model": "m", "messages": [{"role": "user", "content": "web_search"}]}),
    ("anthropic", {"tools": [{"name": "bash", "input_schema": {}}]}),
    ("anthropic", {"tools": [{"type": "custom", "name": "web_search"}]}),
    ("anthropic", {"tools": [{"type": "bash_20250124", "name": "bash"}]}),
    ("anthropic", {"tools": [{"type": "text_editor_20250728", "name": "e"}]}),
    ("anthropic", {"tools": [{"type": "memory_20250818", "name": "memory"}]}),
    ("anthropic", {"tools": [{"type": "tool_search_tool_regex_20251119", "name": "s"}]}),
    ("anthropic", {"mcp_servers": [], "container": None}),
    ("anthropic", said({"type": "image", "source": {"type": "base64", "data": ""}})),
    ("anthropic", said({"type": "document", "source": {"type": "text", "data": ""}})),
    (
        "anthropic",
        said({"type": "tool_use", "input": {"type": "image", "source": {"type": "url"}}}),
    ),
    ("openai", {}),
    ("openai", {"input": "search the web", "tools": []}),
    ("openai", {"tools": [{"type": "function", "name": "web_search"}]}),
    ("openai", {"tools": [{"type": "custom", "name": "apply"}, {"type": "local_shell"}]}),
    ("openai", {"tools": [{"type": "shell", "environment": {"type": "local"}}]}),
    ("openai", {"tools": [{"type": "tool_search", "execution": "client"}]}),
    ("openai", {"tools": [{"type": "namespace", "tools": [{"type": "function"}]}]}),
    ("openai", asked({"type": "input_image", "image_url": "data:image/png;base64,"})),
    ("openai", asked({"type": "input_file", "file_data": "data:"})),
    ("openai", {"background": False, "prompt": None}),
    ("openai", said({"type": "image_url", "image_url": {"url": "data:image/png;base64,"}})),
    ("gemini", {}),
    ("gemini", {"tools": [{"functionDeclarations": [{"name": "googleSearch"}]}]}),
    ("gemini", parts({"text": "x"}, {"inlineData": {"data": ""}})),
    ("gemini", {"contents": {"parts": [{"text": "x"}]}}),
]
HOSTED = [
    ("anthropic", {"tools": [{"type": "web_search_20250305"}]}, "web_search_20250305"),
    ("anthropic", {"tools": [{"type": "web_fetch_20250910"}]}, "web_fetch_20250910"),
    ("anthropic", {"tools": [{"type": "code_execution_20250825"}]}, "code_execution_20250825"),
    ("anthropic", {"tools": [{"type": "mcp_toolset"}]}, "mcp_toolset"),
    ("anthropic", {"tools": [{"type": "something_new_20270101"}]}, "something_new_20270101"),
    ("anthropic", {"tools": [{"type": "bash_20250124_and_web"}]}, "bash_20250124_and_web"),
    ("anthropic", {"tools": [{"type": ["custom"]}]}, "['custom']"),
    ("anthropic", {"tools": ["web_search"]}, "?"),
    ("anthropic", {"mcp_servers": [{"url": URL}]}, "mcp_servers"),
    ("anthropic", {"container": {"skills": []}, "mcp_servers": []}, "container"),
    (
        "anthropic",
        said({"type": "image", "source": {"type": "url", "url": URL}}),
        "image by url",
    ),
    (
        "anthropic",
        said({"type": "document", "source": {"type": "file", "file_id": "f"}}),
        "document by file",
    ),
    (
        "anthropic",
        said(
            {
                "type": "tool_result",
                "content": [{"type": "image", "source": {"type": "url", "url": URL}}],
            }
        ),
        "image by url",
    ),
    (
        "anthropic",
        said(
            {
                "type": "document",
                "source": {
                    "type": "content",
                    "content": [{"type": "image", "source": {"type": "url"}}],
                },
            }
        ),
        "image by url",
    ),
    (
        "anthropic",
        {"system": [{"type": "document", "source": {"type": "url"}}]},
        "document by url",
    ),
    ("anthropic", said({"type": "container_upload", "file_id": "f"}), "container_upload"),
    ("openai", {"tools": [{"type": "web_search"}]}, "web_search"),
    ("openai", {"tools": [{"type": "web_search_preview_2025_03_11"}]}, "web_search_preview_2025_"),
    ("openai", {"tools": [{"type": "mcp", "server_url": URL}]}, "mcp"),
    ("openai", {"tools": [{"type": "code_interpreter"}]}, "code_interpreter"),
    ("openai", {"tools": [{"type": "file_search"}]}, "file_search"),
    ("openai", {"tools": [{"type": "image_generation"}]}, "image_generation"),
    ("openai", {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]}, "shell"),
    ("openai", {"tools": [{"type": "shell"}]}, "shell"),
    ("openai", {"tools": [{"type": "tool_search"}]}, "tool_search"),
    ("openai", {"tools": [{"type": "namespace", "tools": [{"type": "mcp"}]}]}, "mcp"),
    ("openai", {"prompt": {"id": "pmpt_1"}}, "prompt"),
    ("openai", {"background": True}, "background"),
    ("openai", {"conversation": "conv_1"}, "conversation"),
    ("openai", {"web_search_options": {"user_location": 1}}, "web_search_options"),
    ("openai", {"model": "gpt-4o-search-preview"}, "the model gpt-4o-search-preview"),
    ("openai", {"model": "o3-deep-research"}, "the model o3-deep-research"),
    ("openai", asked({"type": "input_image", "image_url": URL}), "image by url"),
    ("openai", asked({"type": "input_image", "file_id": "file-1"}), "file by file_id"),
    ("openai", asked({"type": "input_file", "file_url": URL}), "file by file_url"),
    (
        "openai",
        {
            "input": [
                {
                    "type": "function_call_output",
                    "output": [{"type": "input_image", "image_url": URL}],
                }
            ]
        },
        "image by url",
    ),
    ("openai", said({"type": "image_url", "image_url": {"url": URL}}), "image by url"),
    ("openai", said({"type": "file", "file": {"file_id": "f"}}), "file by file_id"),
    ("gemini", {"tools": [{"googleSearch": {}}]}, "googleSearch"),
    ("gemini", {"tools": [{"google_search": {}}]}, "google_search"),
    ("gemini", {"tools": [{"urlContext": {}}]}, "urlContext"),
    ("gemini", {"tools": [{"codeExecution": {}}]}, "codeExecution"),
    ("gemini", {"tools": [{"functionDeclarations": [], "googleMaps": {}}]}, "googleMaps"),
    ("gemini", {"cachedContent": "cachedContents/1"}, "cachedContent"),
    ("gemini", parts({"fileData": {"fileUri": URL}}), "fileData"),
    ("gemini", {"contents": {"parts": [{"file_data": {"file_uri": URL}}]}}, "file_data"),
    ("gemini", {"systemInstruction": {"parts": [{"fileData": {"fileUri": URL}}]}}, "fileData"),
]


@pytest.mark.parametrize(("vendor", "body"), CLEAN)
def test_what_the_program_does_itself_passes(vendor, body):
    assert hosted_in(vendor, body, "/v1/x") == ""


@pytest.mark.parametrize(("vendor", "body", "named"), HOSTED)
def test_what_the_vendor_would_do_elsewhere_is_named(vendor, body, named):
    assert hosted_in(vendor, body, "/v1/x").startswith(named)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("name", ["Tools", "TOOLS", "Mcp_Servers", "CachedContent"])
def test_a_member_that_some_parsers_would_take_for_another_is_named(vendor, name):
    assert hosted_in(vendor, {name: []}) == name


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("body", [[], "x", None, 5])
def test_what_is_no_object_does_not_pass(vendor, body):
    assert hosted_in(vendor, body)


def test_a_model_that_searches_by_itself_is_named_by_the_path():
    path = "/v1beta/models/gemini-deep-research:generateContent"

    assert hosted_in("gemini", {}, path) == "a searching model"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "tools", "type", "messages", "content", "source", "input", "output", "contents",
                    "parts", "image_url", "file", "model", "system", "environment", "url",
                ]
            ),
            inner | st.sampled_from(["image", "document", "namespace", "tool_result", "url"]),
            max_size=6,
        )
    ),
    max_leaves=16,
)  # fmt: skip


@pytest.mark.parametrize("vendor", VENDORS)
@given(body=JSON)
def test_no_body_raises(vendor, body):
    assert isinstance(hosted_in(vendor, body), str)


@pytest.mark.parametrize("vendor", ["anthropic", "openai"])
@given(body=JSON, kind=st.sampled_from(["web_search", "mcp", "x"]))
def test_a_tool_that_is_not_on_the_list_never_passes(vendor, body, kind):
    rest = body if isinstance(body, dict) else {}

    assert hosted_in(vendor, {**rest, "tools": [{"type": kind}]})
