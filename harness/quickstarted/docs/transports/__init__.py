"""
The layers through which every request of the documentation client goes, one a file.

Each is an `httpx.BaseTransport` around the next, so that each sees every hop of a redirect. From
the outside in:

- of one attempt: allowlist, affordances, cache, sites;
- of one run (`quickstarted.docs.library`): once, stored, robots, headers, retry, throttle, bounded,
  network. Previews skip robots. Offline, nothing lies below once but the store.

What lies above a cache is asked for every read; what lies below only for what the cache does not
have.
"""
