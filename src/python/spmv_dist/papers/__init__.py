"""Tables and figures of the papers about storage formats, measured here."""
