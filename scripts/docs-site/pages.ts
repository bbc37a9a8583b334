import { posix } from 'node:path';
import { pagesBesideDocs } from '@weir/mcp';
import { headingAnchors } from './anchors.ts';

/** A Markdown page of the repository. */
interface Source {
  /** Relative to the root of the repository, such as `docs/start/install.md`. */
  readonly path: string;
  readonly text: string;
}

interface SitePage {
  /** Relative to the root of the site, such as `start/install.md`. */
  readonly path: string;
  readonly text: string;
}

/** The path on the site of a page of the repository; `undefined` for what is no page. */
function sitePath(path: string): string | undefined {
  if (path in pagesBesideDocs) return pagesBesideDocs[path];
  if (!path.startsWith('docs/') || !path.endsWith('.md')) return undefined;
  return path.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md');
}

/** What the first page shows before the lists of `docs/README.md`. */
const home = `---
layout: home
hero:
  name: Weir
  text: Kafka on object storage
  tagline: Agents hold no state, a control plane orders every write, and every record is in your bucket
  actions:
    - { theme: brand, text: Install, link: /start/install }
    - { theme: alt, text: A tour of five minutes, link: /tour }
    - { theme: alt, text: Architecture, link: /architecture }
features:
  - title: The clients you have
    details: What is tested with each library, and where Weir differs from Apache Kafka
    link: /reference/compatibility
  - title: A cluster for each test
    details: In memory, on free ports, from JavaScript, Python, Go or Java
    link: /guides/testing
  - title: Ask what is wrong
    details: Checks once a minute, each with its reason and what to do
    link: /reference/diagnostics
  - title: Topics become tables
    details: Apache Iceberg tables, each record once, read by other engines
    link: /guides/tables
  - title: Move with your offsets
    details: Topics of another Kafka cluster, while clients write
    link: /guides/migration
  - title: Know what it costs
    details: What an object store bills, and how to lower it
    link: /operate/costs
---

`;

/** More headings than this make an outline of the first level only. */
const outlineHeadingsMax = 40;

/**
 * The pages of the site: without comments, with links among themselves. A link to another file of the repository
 * becomes its path, because a site that works offline cannot show it.
 */
export function sitePages(sources: readonly Source[], isImage: (path: string) => boolean): SitePage[] {
  const paths = new Set(sources.map(({ path }) => path));
  const siteOf = (path: string) => (paths.has(path) ? sitePath(path) : undefined);
  return sources.map((source) => {
    const path = sitePath(source.path)!;
    const body = outsideCode(source.text, (text, restore) =>
      withLinks(text.replaceAll(/<!--[\s\S]*?-->\n?/g, ''), (target, label, isShown) => {
        const [file = '', anchor] = target.split('#', 2);
        const there =
          file === '' ? source.path : posix.normalize(posix.join(posix.dirname(source.path), file));
        if (isShown) {
          if (!isImage(there)) throw new Error(`${source.path}: no image ${target}`);
          return `![${label}](${relativeTo(path, there.slice('docs/'.length))})`;
        }
        const page = siteOf(there.endsWith('/') ? `${there}README.md` : there);
        if (page === undefined) return sourceName(restore(label), there);
        const suffix = anchor === undefined ? '' : `#${anchor}`;
        return `[${label}](${file === '' ? '' : relativeTo(path, page)}${suffix})`;
      }),
    );
    if (path === 'index.md') return { path, text: home + body.replace(/^# .*\n[\s\S]*?(?=^## )/m, '') };
    const settings = headingAnchors(source.text).size > outlineHeadingsMax ? '---\noutline: 2\n---\n\n' : '';
    return { path, text: settings + body };
  });
}

/** A file of the sources, by its path; a label that says something else stays before it. */
function sourceName(label: string, path: string): string {
  const plain = label.replaceAll('`', '');
  return path === plain || path.endsWith(`/${plain}`) ? `\`${path}\`` : `${label} (\`${path}\`)`;
}

function relativeTo(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Applies a change to what is neither a block of code nor code within a line. */
function outsideCode(
  text: string,
  change: (text: string, restore: (part: string) => string) => string,
): string {
  const kept: string[] = [];
  const keep = (code: string) => `\u0000${kept.push(code) - 1}\u0000`;
  const blocks = text.replaceAll(/^( *)(`{3,})[\s\S]*?^\1\2 *$/gm, keep);
  const restore = (part: string) => part.replaceAll(/\0(\d+)\0/g, (_, index) => kept[Number(index)]!);
  return restore(change(blocks.replaceAll(/(?<!`)(`+)(?!`)[^\0]*?(?<!`)\1(?!`)/g, keep), restore));
}

function withLinks(text: string, write: (target: string, label: string, isImage: boolean) => string): string {
  return text.replaceAll(
    /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g,
    (whole, mark: string, label: string, target: string) =>
      /^[a-z]+:/.test(target) ? whole : write(target, label, mark === '!'),
  );
}

interface NavigationItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly NavigationItem[];
}

/**
 * The navigation: the chapters and lists of `docs/README.md`, and the pages beside the folder. Chapters do not fold:
 * the generator puts a button into a button for that, which breaks WCAG.
 */
export function navigation(index: string): NavigationItem[] {
  const chapters = index.split(/^## /m).slice(1);
  const listed = chapters.map((chapter) => ({
    text: chapter.slice(0, chapter.indexOf('\n')),
    items: [...chapter.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, text, target]) => ({
      text: text!,
      link: linkOf(posix.normalize(posix.join('docs', target!))),
    })),
  }));
  return [
    ...listed,
    {
      text: 'About',
      items: [
        ['A tour of five minutes', 'README.md'],
        ['Architecture', 'DESIGN.md'],
        ['Security', 'SECURITY.md'],
        ['Contributing', 'CONTRIBUTING.md'],
        ['Release notes', 'CHANGELOG.md'],
      ].map(([text, path]) => ({ text: text!, link: linkOf(path!) })),
    },
  ];
}

function linkOf(path: string): string {
  return `/${sitePath(path)!.replace(/(?:(?<=^|\/)index)?\.md$/, '')}`;
}
