from ._command import main as main
from ._errors import BuildError as BuildError
from ._errors import GleanerError as GleanerError
from ._errors import IncompleteError as IncompleteError
from ._errors import InputError as InputError
from ._errors import InternalError as InternalError
from ._errors import ModelError as ModelError
from ._errors import OptionError as OptionError
from ._errors import PageError as PageError

__version__: str
