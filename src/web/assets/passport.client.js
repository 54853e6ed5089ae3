// Copies, sorts, and looks again while a score is worked out.
