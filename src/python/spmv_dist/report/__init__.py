"""A page of figures about runs and scaling studies: one HTML file that needs no network."""
