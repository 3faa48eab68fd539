"""Withholding: what an agent without affordances gets, on the way of every kind of address."""

import httpx
import pytest

from quickstarted.docs import Blocked, DocsClient, DocsRules, Page, Site, Withheld

HOST = "docs.example.org"
SITE = f"https://{HOST}"
AGENT = "text/markdown, text/html, */*"
MARKDOWN = "text/markdown; charset=utf-8"
HTML = "text/html"


def negotiating(request):
    """As Mintlify's and Cloudflare's servers do: who names Markdown first gets it."""
    if request.headers["accept"].startswith("text/markdown"):
        return httpx.Response(200, headers={"content-type": MARKDOWN}, text="# For agents")
    return httpx.Response(200, headers={"content-type": HTML}, text="<h1>For people</h1>")


class Server:
    """Answers of one host; a path without one is 404."""

    def __init__(self, **answers):
        self.answers = {f"/{name.replace('__', '/')}": what for name, what in answers.items()}
        self.asked = []

    def __call__(self, request):
        path = request.url.raw_path.decode()
        self.asked.append((path, request.headers["accept"]))
        answer = self.answers.get(path)
        if callable(answer):
            return answer(request)
        if answer is None:
            return httpx.Response(404, text="no such page")
        if answer.startswith(("/", "https:")):
            return httpx.Response(302, headers={"location": answer})
        kind = HTML if answer.startswith("<") else MARKDOWN
        return httpx.Response(200, headers={"content-type": kind}, text=answer)


def client_of(server, *, serve=False, **changes):
    rules = DocsRules(
        **{
            "allow_hosts": (HOST,),
            "respect_robots": False,
            "serve_affordances": serve,
            "route": (f"{SITE}/start",),
            **changes,
        }
    )
    return DocsClient(rules, transport=httpx.MockTransport(server))


def outcome_of(server, path, **changes):
    with client_of(server, **changes) as client:
        return client.read(f"{SITE}{path}").outcome


@pytest.mark.parametrize(
    "path", ["/llms.txt", "/en/llms-full.txt", "/start.md", "/start?format=md"]
)
def test_an_affordance_is_withheld_without_asking_for_it(path):
    server = Server(start="<h1>Start</h1>")
    server.answers[path] = "# For agents"

    assert Withheld(url=f"{SITE}{path}") == outcome_of(server, path)
    assert path not in [asked for asked, _ in server.asked]


@pytest.mark.parametrize("path", ["/llms.txt", "/start.md"])
def test_a_run_with_affordances_reads_them_as_pages(path):
    server = Server()
    server.answers[path] = "# For agents"

    page = outcome_of(server, path, serve=True)

    assert isinstance(page, Page)
    assert ("# For agents", "text/markdown") == (page.text, page.content_type)


@pytest.mark.parametrize(
    ("serve", "text", "kind"),
    [(True, "# For agents", "text/markdown"), (False, "# For people", "text/html")],
)
def test_markdown_is_asked_for_only_where_affordances_are_served(serve, text, kind):
    server = Server(start=negotiating)

    page = outcome_of(server, "/start", serve=serve)

    assert (text, kind) == (page.text, page.content_type)
    ((_, accept),) = server.asked
    assert (accept == AGENT) is serve
    assert ("markdown" in accept) is serve


def test_a_redirect_to_an_affordance_is_withheld_at_its_hop():
    server = Server(start="/docs", docs="/docs.md")
    server.answers["/docs.md"] = "# For agents"

    with client_of(server) as client:
        reading = client.read(f"{SITE}/start")

    assert Withheld(url=f"{SITE}/docs.md") == reading.outcome
    assert (f"{SITE}/start", f"{SITE}/docs", f"{SITE}/docs.md") == reading.hops


def test_a_meta_refresh_to_an_affordance_is_withheld():
    server = Server(start='<meta http-equiv=refresh content="0;url=/start.md">')

    assert Withheld(url=f"{SITE}/start.md") == outcome_of(server, "/start")


def test_a_host_that_is_not_allowed_is_refused_for_that_reason():
    with client_of(Server()) as client:
        assert isinstance(client.read("https://other.example/llms.txt").outcome, Blocked)


@pytest.mark.parametrize("path", ["/llms.txt", "/README.md", "/start?format=md"])
def test_what_the_task_names_itself_is_never_withheld(path):
    server = Server()
    server.answers[path] = "# Start here"

    page = outcome_of(server, path, route=(f"http://{HOST}{path}#install",))

    assert "# Start here" == page.text


def test_markdown_is_the_documentation_where_the_route_is_markdown_by_url():
    server = Server()
    server.answers["/docs/install.md"] = "# Install"
    server.answers["/llms.txt"] = "# Index"
    route = (f"{SITE}/README.md",)

    assert "# Install" == outcome_of(server, "/docs/install.md", route=route).text
    assert isinstance(outcome_of(server, "/llms.txt", route=route), Withheld)


def test_markdown_is_the_documentation_where_a_browser_gets_it_too():
    server = Server(start="# Start")
    server.answers["/install.md"] = "# Install"

    assert "# Install" == outcome_of(server, "/install.md").text


def test_a_route_on_another_host_says_nothing_of_this_one():
    server = Server()
    server.answers["/install.md"] = "# Install"
    route = (f"https://www.{HOST}/README.md",)

    assert Withheld(url=f"{SITE}/install.md") == outcome_of(server, "/install.md", route=route)


@pytest.fixture(name="site")
def _site(tmp_path):
    """`site(files)`: rules for a local site with them."""

    def make(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return {"sites": (Site(prefix=f"{SITE}/", folder=tmp_path),)}

    return make


def test_a_local_build_withholds_as_well(site):
    rules = site(start_html="<h1>Start</h1>", start_md="# Start", llms_txt="# Index")

    assert Withheld(url=f"{SITE}/llms.txt") == outcome_of(Server(), "/llms.txt", **rules)
    assert Withheld(url=f"{SITE}/start.md") == outcome_of(Server(), "/start.md", **rules)
    assert "# Start" == outcome_of(Server(), "/start", **rules).text


def test_a_folder_of_sources_is_read_as_it_is(site):
    rules = site(start_md="# Start", install_md="# Install")

    assert "# Start" == outcome_of(Server(), "/start", **rules).text
    assert "# Install" == outcome_of(Server(), "/install.md", **rules).text


def test_a_route_with_a_redirect_to_its_slash_is_looked_at_behind_it(site, tmp_path):
    rules = site(install_md="# Install")
    (tmp_path / "start").mkdir()
    (tmp_path / "start/README.md").write_text("# Start")

    assert "# Install" == outcome_of(Server(), "/install.md", **rules).text


def test_one_client_keeps_a_page_and_its_markdown_apart():
    server = Server(start=negotiating)

    with client_of(server) as client:
        found = client.probe(f"{SITE}/start")
        page = client.read(f"{SITE}/start").outcome

    assert found["accept_markdown"].present
    assert "# For people" == page.text


@pytest.mark.parametrize("path", ["/raw?page=start", "/start.mdown", "/api/start"])
def test_markdown_is_withheld_where_only_what_comes_tells_it(path):
    server = Server(start="<h1>Start</h1>", old=path)
    server.answers[path] = "# For agents"

    assert Withheld(url=f"{SITE}{path}") == outcome_of(server, path)
    assert Withheld(url=f"{SITE}{path}") == outcome_of(server, "/old")
    assert "# For agents" == outcome_of(server, path, serve=True).text


def test_markdown_that_comes_is_the_documentation_where_the_route_comes_as_markdown():
    server = Server(start="# Start", more="# More")

    assert "# More" == outcome_of(server, "/more").text


def test_a_source_that_a_folder_has_in_the_place_of_a_page_is_no_affordance(tmp_path):
    (tmp_path / "start.html").write_text("<h1>Start</h1>")
    (tmp_path / "more.md").write_text("# More")
    sites = (Site(prefix=SITE, folder=tmp_path),)

    assert "# More" == outcome_of(Server(), "/more", sites=sites).text
    assert Withheld(url=f"{SITE}/more.md") == outcome_of(Server(), "/more.md", sites=sites)
