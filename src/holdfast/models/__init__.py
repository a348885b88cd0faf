"""What sentences mean, as numbers: a small open model in plain numpy, for what words do not show.

Laws: everything here is optional (the extra `semantic`), nothing is downloaded, and no hook comes
this way. What cannot be read is `tensors.Unreadable`; who asks then does without.
"""

import os

# Before any of us imports numpy: a BLAS reads them once.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
