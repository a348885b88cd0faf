"""What sentences mean, as numbers: a small open model in plain numpy, for what words do not show.

Laws: everything here is optional (the extra `semantic`), nothing is downloaded, and no hook comes
this way. What cannot be read is `tensors.Unreadable`; who asks then does without.
"""
