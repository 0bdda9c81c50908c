"""What can go wrong, as one tree. Catch `RagloopError` to catch all of it.

RagloopError
├── SettingsError        a setting, flag or prompt that cannot be used
├── QuestionError        a question that cannot be asked (blank, too long)
├── ReplyNeeded          a run waits for a person's reply, and the caller expects an answer
├── StoreError           a store that cannot be opened, read or written
│   ├── StoreMissing     there is no store at that path
│   ├── StoreEmpty       the store holds no passages
│   └── EmbeddingMismatch  the store was made with another embedding
├── LoadError            a file or folder that cannot be read
├── ModelError           a model that does not answer, and why
│   ├── ModelAuthError   the key is missing or refused (401, 403)
│   ├── ModelQuotaError  out of quota or billing; not tried again
│   ├── ModelUnreachable nobody listens at the address
│   └── ModelTimeout     no answer in time
└── EvaluationError      a data set or record file that cannot be used

Each message says what is wrong with the value and what to do about it.
"""

from __future__ import annotations


class RagloopWarning(UserWarning):
    """Something was left out or mended; the run goes on."""


class RagloopError(Exception):
    """The root of all errors that ragloop raises on purpose."""


class SettingsError(RagloopError):
    """A setting, flag or prompt cannot be used as given."""


class QuestionError(RagloopError):
    """The question cannot be asked."""


class ReplyNeeded(RagloopError):
    """A run waits for a person: resume it with `Command(resume=...)` in the same thread."""


class StoreError(RagloopError):
    """A store cannot be opened, read or written."""


class StoreMissing(StoreError):
    """There is no store at that path."""


class StoreEmpty(StoreError):
    """The store holds no passages."""


class EmbeddingMismatch(StoreError):
    """The store was made with another embedding."""


class LoadError(RagloopError):
    """A file or folder cannot be read."""


class ModelError(RagloopError):
    """A model does not answer as asked."""


class ModelAuthError(ModelError):
    """The key is missing or refused."""


class ModelQuotaError(ModelError):
    """Out of quota or billing: trying again would not help."""


class ModelUnreachable(ModelError):
    """Nobody listens at the address."""


class ModelTimeout(ModelError):
    """No answer came in time."""


class EvaluationError(RagloopError):
    """A data set or a file of records cannot be used."""
