"""The Slippi replay format: events, reader, writer."""
