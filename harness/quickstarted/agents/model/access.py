"""With what a vendor's service is asked, and what is said where it does not take it."""

from __future__ import annotations

from dataclasses import dataclass

from quickstarted.agents.keys import ApiKey
from quickstarted.agents.model.answers import one_line, rejected
from quickstarted.errors import ModelRejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Credentials, address and model of one conversation; refusals, each with what to do."""

    agent: str
    """As on the command line, without a model."""
    model: str
    credentials: str
    """In words: "the key in ANTHROPIC_API_KEY"."""
    address_variable: str
    key: ApiKey | None = None
    """Where a key is used; it is kept out of all that is said."""

    def clean(self, text: str) -> str:
        """*text* on one line, without the key."""
        return one_line(self.key.scrubbed(text) if self.key else text)

    def not_there(self, words: str) -> ModelRejected:
        """The address answers, and not as the service does."""
        return rejected(words, f"Is {self.address_variable} the address of the service's API?")

    def no_credentials(self, words: str) -> ModelRejected:
        """Who asks is not known, or may not."""
        return rejected(words, f"Look at {self.credentials}, and at what they may be used for.")

    def no_means(self, words: str) -> ModelRejected:
        """Whose account it is has used up what it may use."""
        return rejected(
            words,
            f"The account behind {self.credentials} has no means left, or has used up its quota.",
        )

    def no_model(self, words: str) -> ModelRejected:
        """There is no such model, or not for this account."""
        return rejected(
            words, f"Is there a model {self.model!r}? Name one: --agent {self.agent}:MODEL."
        )

    def refused(self, words: str) -> ModelRejected:
        """The request is not taken for another reason."""
        return rejected(
            words, f"Does the model {self.model!r} take tools, and does the account work?"
        )
