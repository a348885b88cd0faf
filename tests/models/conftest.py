"""The model's package comes before numpy here too: it says how many threads a BLAS may have."""

import holdfast.models  # noqa: F401
