// Searches as one types.
