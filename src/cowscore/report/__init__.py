"""What came out, for people and for CI: terminal, HTML, Markdown, JUnit. Nothing here prints."""
