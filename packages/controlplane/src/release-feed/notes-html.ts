import { escapeHtml } from '@weir/core';
/**
 * The Markdown that our changelog is written in, as HTML: paragraphs, lists, bold, code and links. Anything else stays
 * the text that it is.
 */
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

/** Code is taken first, since nothing means anything in it. */
function inlineHtml(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.length > 1 && part.startsWith('`')
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part)
            .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
            // A feed has no place that an address of the repository would be relative to.
            .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, shown: string, target: string) =>
              /^https?:/.test(target) ? `<a href="${target}">${shown}</a>` : shown,
            ),
    )
    .join('');
}
