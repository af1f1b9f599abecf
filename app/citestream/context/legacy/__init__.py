"""Messages, records and drafts from before references, read in the form of new ones."""
