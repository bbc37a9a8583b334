import { escapeHtml } from '@weir/core';
/** Renders the Markdown of our changelog as HTML: paragraphs, lists, bold, code and links. Anything else stays text. */
export function notesHtml(markdown: string): string {
  return markdown
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map(blockHtml)
    .join('\n');
}

function blockHtml(block: string): string {
  if (!block.startsWith('- ')) return `<p>${inlineHtml(block.replaceAll(/\s*\n\s*/g, ' '))}</p>`;
  const items = block.split(/\n(?=- )/).map((item) => item.slice(2).replaceAll(/\s*\n\s*/g, ' '));
  return `<ul>${items.map((item) => `<li>${inlineHtml(item)}</li>`).join('')}</ul>`;
}

/** Code first, since markup in it is literal. */
function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.length > 1 && part.startsWith('`')
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part)
            .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
            // Relative links of the repository do not resolve in a feed.
            .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, shown: string, target: string) =>
              /^https?:/.test(target) ? `<a href="${target}">${shown}</a>` : shown,
            ),
    )
    .join('');
}
