"""Redirect pages as site generators write them; `{url}` is where they lead."""

_DUCKDB = """\
<!DOCTYPE html>
<html lang="en-US">
  <head>
    <meta charset="utf-8">
    <title>Redirecting...</title>
    <link rel="canonical" href="{url}">
    <script>location="{url}"</script>
    <meta http-equiv="refresh" content="0; url={url}">
    <meta name="robots" content="noindex">
    <style>
      body { font-family: sans-serif; margin: 4rem auto; max-width: 32rem; color: #1a1a1a; }
      @media (prefers-color-scheme: dark) { body { background: #0d0d0d; color: #f2f2f2; } }
    </style>
  </head>
  <body>
    <h1>Redirecting...</h1>
    <a href="{url}">Click here to go on.</a>
%s
  </body>
</html>
"""
_FILLER = "    <!-- %s -->"

STUBS = {
    "jekyll-redirect-from": """\
<!DOCTYPE html>
<html lang="en-US">
  <meta charset="utf-8">
  <title>Redirecting&hellip;</title>
  <link rel="canonical" href="{url}">
  <script>location="{url}"</script>
  <meta http-equiv="refresh" content="0; url={url}">
  <meta name="robots" content="noindex">
  <h1>Redirecting&hellip;</h1>
  <a href="{url}">Click here if you are not redirected.</a>
</html>
""",
    "mkdocs-redirects": """\
<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <title>Redirecting...</title>
    <link rel="canonical" href="{url}">
    <script>
    var anchor=window.location.hash.substr(1);location.href="{url}"+(anchor?"#"+anchor:"")
    </script>
    <meta http-equiv="refresh" content="0; url={url}">
</head>
<body>
You're being redirected to a <a href="{url}">new destination</a>.
</body>
</html>
""",
    "docusaurus-plugin-client-redirects": """\
<!DOCTYPE html>
<html>
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="refresh" content="0; url={url}">
    <link rel="canonical" href="{url}" />
  </head>
  <script>
    window.location.href = '{url}' + window.location.search + window.location.hash;
  </script>
</html>
""",
    "hugo": """\
<!DOCTYPE html>
<html lang="en">
  <head>
    <title>{url}</title>
    <link rel="canonical" href="{url}">
    <meta name="robots" content="noindex">
    <meta charset="utf-8">
    <meta http-equiv="refresh" content="0; url={url}">
  </head>
</html>
""",
    "sphinxext-rediraffe": """\
<html>
    <head>
        <meta http-equiv="refresh" content="0; url={url}"/>
        <script>
            window.location.href = "{url}" + (window.location.search || "")
                + (window.location.hash || "");
        </script>
    </head>
</html>
""",
    "sphinx-reredirects": """\
<html>
  <head>
    <noscript>
      <meta http-equiv="refresh" content="0; url={url}" />
    </noscript>
    <script>
      var target = "{url}";
      // If there's a URL hash, append it to the target URL
      if (window.location.hash) {
        window.location.replace(target + window.location.hash);
      } else {
        window.location.replace(target);
      }
    </script>
  </head>
</html>
""",
    "astro": """\
<!doctype html><title>Redirecting to: {url}</title><meta http-equiv="refresh" \
content="0;url={url}"><meta name="robots" content="noindex"><link rel="canonical" href="{url}">\
<body>\t<a href="{url}">Redirecting from <code>/old/start</code> to <code>{url}</code></a></body>
""",
    "mdbook": """\
<!DOCTYPE html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <title>Redirecting...</title>
    <meta http-equiv="refresh" content="0; URL={url}">
    <link rel="canonical" href="{url}">
</head>
<body>
    <p>Redirecting to... <a href="{url}">{url}</a>.</p>
</body>
</html>
""",
    "rustdoc": """\
<!DOCTYPE html><html lang="en"><head><meta http-equiv="refresh" content="0;URL={url}">\
<title>Redirection</title></head><body><p>Redirecting to <a href="{url}">{url}</a>...</p>\
<script>location.replace("{url}" + location.search + location.hash);</script></body></html>
""",
    "antora": """\
<!DOCTYPE html>
<meta charset="utf-8">
<link rel="canonical" href="{url}">
<script>location="{url}"</script>
<meta http-equiv="refresh" content="0; url={url}">
<meta name="robots" content="noindex">
<title>Redirect Notice</title>
<h1>Redirect Notice</h1>
<p>The page you requested has been relocated to <a href="{url}">{url}</a>.</p>
""",
    "eleventy by hand": """\
<!doctype html><head><meta http-equiv=refresh content="3;url={url}"></head><body>
<p>This page has moved. If you are not redirected within 3 seconds,
<a href="{url}">follow this link</a>.</p></body>
""",
    "duckdb": "",
}
_BARE = _DUCKDB.replace("{url}", "https://docs.example/new/start/") % (_FILLER % "")
STUBS["duckdb"] = _DUCKDB % (_FILLER % ("-" * (938 - len(_BARE))))

SCRIPT_ONLY = {
    "assignment": '<!doctype html><script>location = "{url}"</script>',
    "href": "<html><head><script>window.location.href='{url}';</script></head><body></body></html>",
    "replace": "<title>Moved</title><body><script>window.location.replace(`{url}`)</script>",
    "with a text": (
        "<body><h1>Redirecting…</h1><p><a href='{url}'>Click here</a></p>"
        "<script>document.location.assign('{url}' + location.hash)</script>"
    ),
    "canonical": (
        "<link rel=canonical href='{url}'><p>Redirecting...</p>"
        "<script>const to = find(); if (to) { location.replace(to) }</script>"
    ),
}
