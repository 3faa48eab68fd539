"""
Logs of many programs into AgentTrajectory, by what is in them.

`import_file` and `import_stream` are the door: a file, a `Sink` that takes the runs, options. One
file of `kinds/` is one kind of source, in the order of `kinds.IMPORTERS`. What has no place in the
format stays in metadata, and no time is made up.
"""

from quickstarted.formats.trajectory.importing.files import (
    ImportOptions,
    import_file,
    import_stream,
)
from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    Importer,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds import IMPORTERS
from quickstarted.formats.trajectory.importing.llm import Ask, LlmConverter
from quickstarted.formats.trajectory.importing.report import (
    FileReport,
    Imported,
    ImportNote,
    ImportProblem,
)
from quickstarted.formats.trajectory.importing.sinks import (
    FolderSink,
    LinesSink,
    ModelSink,
    Sink,
)

__all__ = [
    "IMPORTERS",
    "Ask",
    "Claim",
    "Context",
    "FileReport",
    "FolderSink",
    "ImportNote",
    "ImportOptions",
    "ImportProblem",
    "Imported",
    "Importer",
    "LinesSink",
    "LlmConverter",
    "ModelSink",
    "NotConvertible",
    "Record",
    "Sink",
    "import_file",
    "import_stream",
]
