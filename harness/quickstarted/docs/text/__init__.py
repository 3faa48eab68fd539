"""
Text out of pages: what a reader without JavaScript sees, as Markdown.

Pure functions of bytes and strings; nothing here knows of the network. The way in is
`html.convert`.
"""
