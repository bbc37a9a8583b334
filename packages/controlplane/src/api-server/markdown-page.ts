import { escapeHtml } from '@weir/core';
/**
 * Renders the subset of Markdown of the generated reference pages: headings, paragraphs, lists, tables, code, links.
 * HTML in it is escaped.
 */
export function htmlOfMarkdown(
  markdown: string,
  { title, style }: { readonly title: string; readonly style: string },
): string {
  const body = blocksOf(markdown).map(htmlOfBlock).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Empty lines separate blocks, except within a fence. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  const parts = markdown.split(/^(```\w*\n[\s\S]*?\n```)$/m);
  for (const part of parts) {
    if (part.startsWith('```')) blocks.push(part);
    else blocks.push(...part.split(/\n{2,}/).map((block) => block.trim()));
  }
  return blocks.filter((block) => block !== '' && !block.startsWith('<!--'));
}

function htmlOfBlock(block: string): string {
  const heading = /^(#{1,4}) (.+)$/.exec(block);
  if (heading !== null) {
    const level = heading[1]!.length;
    return `<h${level} id="${anchorOf(heading[2]!)}">${inline(heading[2]!)}</h${level}>`;
  }
  if (block.startsWith('```')) {
    return `<pre><code>${escapeHtml(block.replace(/^```\w*\n/, '').replace(/\n```$/, ''))}</code></pre>`;
  }
  if (block.startsWith('| ')) return tableOf(block.split('\n'));
  if (block.startsWith('- ')) {
    const items = block.split(/\n(?=- )/).map((item) => `<li>${inline(item.slice(2))}</li>`);
    return `<ul>${items.join('\n')}</ul>`;
  }
  return `<p>${inline(block)}</p>`;
}

/** As renderers of Markdown make it of the heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function tableOf([header, _line, ...rows]: readonly string[]): string {
  const row = (line: string, cell: 'th' | 'td') => {
    const cells = line.slice(2, -2).split(/ (?<!\\)\| /);
    return `<tr>${cells.map((text) => `<${cell}>${inline(text)}</${cell}>`).join('')}</tr>`;
  };
  return `<table>\n${[row(header ?? '', 'th'), ...rows.map((line) => row(line, 'td'))].join('\n')}\n</table>`;
}

/** Code first: nothing in it is a link. */
function inline(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`')
        ? `<code>${escapeHtml(unescaped(part.slice(1, -1)))}</code>`
        : escapeHtml(unescaped(part)),
    )
    .join('')
    .replace(/\[((?:[^\]<]|<code>[^<]*<\/code>)+)\]\((#[\w-]+)\)/g, '<a href="$2">$1</a>');
}

function unescaped(text: string): string {
  return text.replace(/\\([|<*])/g, '$1');
}
