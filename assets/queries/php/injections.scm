; What stands outside of the code is a page.
((text) @injection.content
  (#set! injection.language "html")
  (#set! injection.combined))
