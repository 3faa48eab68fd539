"""
The layers through which every request of the documentation client goes, one a file.

Each is an `httpx.BaseTransport` around the next, so that each sees every hop of a redirect. From
the outside in: allowlist, affordances, cache, sites, robots, retry, throttle, bounded, network.
What lies above the cache is asked for every read; what lies below only for what the cache does not
have.
"""
