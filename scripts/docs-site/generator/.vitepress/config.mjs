// How VitePress writes the site. `scripts/docs-site.ts` lays this folder, the pages and `site.json` side by side.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { navigation, outDir, release } = JSON.parse(
  readFileSync(new URL('../site.json', import.meta.url), 'utf8'),
);

/** As in `scripts/docs-site/anchors.ts`: the test of the site finds anchors that differ. */
const slugify = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Names break after their signs, and short ones nowhere: a dash at the end of a line would be no flag. */
const shortMax = 18;
function withBreaks(md) {
  const { code_inline: inline } = md.renderer.rules;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const html = inline(tokens, index, ...rest);
    if (tokens[index].content.length <= shortMax) return html.replace('<code', '<code class="short"');
    return html.replace(
      />([^<]*)</,
      (_, text) => `>${text.replaceAll(/(?<=\w)[_./=,-](?=\w)/g, '$&<wbr>')}<`,
    );
  };
}

/** Scripts within a page become files: the policy of the control plane allows no others. */
const scripts = new Map();

export default {
  srcDir: './pages',
  outDir,
  base: '/docs/',
  lang: 'en',
  title: 'Weir',
  description: 'A streaming service that speaks the Kafka protocol and keeps every record in object storage',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/logo.svg' }]],
  cleanUrls: true,
  // One page after the other: the index for searches is in the order in which pages are done.
  buildConcurrency: 1,
  metaChunk: true,
  markdown: {
    html: false,
    attrs: { disable: true },
    anchor: { slugify },
    config: withBreaks,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Without it, colours end after half a second of a busy machine, and two builds differ.
    shikiSetup(highlighter) {
      const { codeToHtml } = highlighter;
      highlighter.codeToHtml = (code, settings) => codeToHtml(code, { ...settings, tokenizeTimeLimit: 0 });
    },
    languageAlias: { env: 'properties', console: 'shellsession' },
  },
  transformHtml(html) {
    return html.replaceAll(/<script id="([\w-]+)">([\s\S]*?)<\/script>/g, (_, id, code) => {
      const name = `${id}.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
      scripts.set(name, code);
      return `<script src="/docs/assets/${name}"></script>`;
    });
  },
  buildEnd() {
    mkdirSync(join(outDir, 'assets'), { recursive: true });
    for (const [name, code] of scripts) writeFileSync(join(outDir, 'assets', name), code);
  },
  themeConfig: {
    logo: '/logo.svg',
    siteTitle: `Weir ${release}`,
    nav: [
      { text: 'Start', link: '/start/install', activeMatch: '^/start/' },
      { text: 'Guides', link: '/guides/clients', activeMatch: '^/guides/' },
      { text: 'Operate', link: '/operate/checklist', activeMatch: '^/operate/' },
      { text: 'Reference', link: '/reference/flags', activeMatch: '^/reference/' },
      { text: 'Architecture', link: '/architecture', activeMatch: '^/(?:architecture|adr/|contribut)' },
    ],
    sidebar: navigation,
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: false } },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
  },
};
