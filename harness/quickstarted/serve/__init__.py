"""
`quickstarted serve`: takes trajectories over HTTP, stores them, gives them back.

Everything that comes in is a stranger's: bodies are counted and decoded on their way to disk, one
is converted at a time, and what a client names never becomes a path. starlette and uvicorn are
known here only.
"""
