"""All kinds of sources, in the order in which they are asked: those that one record tells first."""

from quickstarted.formats.trajectory.importing.importer import Importer
from quickstarted.formats.trajectory.importing.kinds.agent_log import AgentLogImporter
from quickstarted.formats.trajectory.importing.kinds.agenterrorbench import AgentErrorBenchImporter
from quickstarted.formats.trajectory.importing.kinds.atif import AtifImporter
from quickstarted.formats.trajectory.importing.kinds.claude_code import ClaudeCodeImporter
from quickstarted.formats.trajectory.importing.kinds.codex import CodexImporter
from quickstarted.formats.trajectory.importing.kinds.conversations import ConversationsImporter
from quickstarted.formats.trajectory.importing.kinds.crewai import CrewAIImporter
from quickstarted.formats.trajectory.importing.kinds.event_list import EventListImporter
from quickstarted.formats.trajectory.importing.kinds.inspect_log import InspectImporter
from quickstarted.formats.trajectory.importing.kinds.langgraph import LangGraphImporter
from quickstarted.formats.trajectory.importing.kinds.messages import MessagesImporter
from quickstarted.formats.trajectory.importing.kinds.native import NativeImporter
from quickstarted.formats.trajectory.importing.kinds.openai_agents import OpenAIAgentsImporter
from quickstarted.formats.trajectory.importing.kinds.otlp import OtlpImporter
from quickstarted.formats.trajectory.importing.kinds.responses import ResponsesImporter
from quickstarted.formats.trajectory.importing.kinds.swe_agent import SweAgentImporter
from quickstarted.formats.trajectory.importing.kinds.trace import TraceImporter
from quickstarted.formats.trajectory.importing.kinds.webshop import WebShopImporter

IMPORTERS: tuple[Importer, ...] = (
    AtifImporter(),
    AgentErrorBenchImporter(),
    OtlpImporter(),
    InspectImporter(),
    AgentLogImporter(),
    TraceImporter(),
    OpenAIAgentsImporter(),
    LangGraphImporter(),
    CrewAIImporter(),
    WebShopImporter(),
    ClaudeCodeImporter(),
    CodexImporter(),
    SweAgentImporter(),
    NativeImporter(),
    ConversationsImporter(),
    ResponsesImporter(),
    MessagesImporter(),
    EventListImporter(),
)
