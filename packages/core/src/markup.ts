const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML and XML, in elements and in attributes. Characters that XML does not allow are dropped. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (character) => entities[character]!)
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
}

/** Escapes plain text for a cell of a Markdown table. Code in backticks stays code. */
export function escapeMarkdown(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? escapePipes(part) : part.replace(/[|<*]/g, '\\$&')))
    .join('');
}

/** Escapes Markdown for a cell of a table: only the pipe would end the cell. */
export function escapePipes(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

/** A table whose cells are already Markdown. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}
