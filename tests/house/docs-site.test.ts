import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { pagesBesideDocs, readDocumentation } from '@weir/mcp';
import { headingAnchors } from '../../scripts/docs-site/anchors.ts';
import { navigation, sitePages } from '../../scripts/docs-site/pages.ts';
import { readJson, repositoryFiles, root } from './repository.ts';

// What `npm run docs:site` gives to the generator. What comes out of that is tested by `npm run test:docs-site`.

const files = repositoryFiles();
const sources = files
  .filter((path) => path in pagesBesideDocs || /^docs\/.*\.md$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const pages = sitePages(sources, (path) => files.includes(path));

test('links of the site lead to pages and headings of the site', () => {
  const anchors = new Map(pages.map(({ path, text }) => [path, headingAnchors(text)]));
  const dead = pages.flatMap(({ path, text }) =>
    [
      ...text
        .replaceAll(/^( *)```[\s\S]*?^\1```/gm, '')
        .matchAll(/(?<![!\]])\[[^\]]*\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
    ]
      .filter(([, target, anchor]) => {
        const there = target === '' ? path : posix.join(posix.dirname(path), target!);
        const found = anchors.get(there);
        return found === undefined || (anchor !== undefined && !found.has(anchor));
      })
      .map(([link]) => `${path}: ${link}`),
  );
  assert.deepEqual(dead, []);
});

test('the navigation has every page but the decisions', () => {
  const links = new Set(
    navigation(readFileSync(join(root, 'docs/README.md'), 'utf8')).flatMap(({ items = [] }) =>
      items.map(({ link }) => link),
    ),
  );
  const missing = pages
    .map(({ path }) => `/${path.replace(/(?:(?<=^|\/)index)?\.md$/, '')}`)
    .filter((link) => !/^\/(?:adr\/.+)?$/.test(link) && !links.has(link));
  assert.deepEqual(missing, []);
});

test('assistants search the pages of the site', () => {
  const searched = readDocumentation(join(root, 'docs')).map(({ path }) =>
    path.replace(/README\.md$/, 'index.md'),
  );
  assert.deepEqual(searched.toSorted(), pages.map(({ path }) => path).toSorted());
});

test('pages for the site', () => {
  // text of docs/a/b.md, text of the page
  const cases: [text: string, page: string][] = [
    ['[c](c.md) and [d](../d/c.md#e)', '[c](./c.md) and [d](../d/c.md#e)'],
    ['[tour](../../README.md#start)', '[tour](../tour.md#start)'],
    ['[index](../README.md)', '[index](../index.md)'],
    ['[`limits.ts`](../../packages/core/src/limits.ts)', '`packages/core/src/limits.ts`'],
    ['[the page](../../bench/README.md)', 'the page (`bench/README.md`)'],
    ['[`code`](c.md)', '[`code`](./c.md)'],
    ['[far](https://example.com/a.md)', '[far](https://example.com/a.md)'],
    ['`[c](../x.md)`', '`[c](../x.md)`'],
    ['```\n[c](../x.md)\n<!-- kept -->\n```', '```\n[c](../x.md)\n<!-- kept -->\n```'],
    ['a\n<!-- gone -->\nb', 'a\nb'],
    ['![shot](c.png)', '![shot](./c.png)'],
  ];
  for (const [text, expected] of cases) {
    const others = ['docs/a/c.md', 'docs/d/c.md', 'docs/README.md', 'README.md'].map((path) => ({
      path,
      text: '',
    }));
    const [page] = sitePages([{ path: 'docs/a/b.md', text }, ...others], (path) => path === 'docs/a/c.png');
    assert.equal(page!.text, expected);
  }
  assert.throws(
    () => sitePages([{ path: 'docs/a.md', text: '![x](gone.png)' }], () => false),
    /no image gone\.png/,
  );
});

test('the generator is pinned for every platform, and names no registry', () => {
  const folder = 'scripts/docs-site/generator';
  const lock = readFileSync(join(root, folder, 'package-lock.json'), 'utf8');
  assert.doesNotMatch(lock, /"resolved"/);
  const { packages } = readJson(`${folder}/package-lock.json`) as {
    packages: Record<string, { optionalDependencies?: Record<string, string>; hasInstallScript?: boolean }>;
  };
  const paths = Object.keys(packages);
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
  assert.deepEqual(missing, []);
  // It is installed with --ignore-scripts; esbuild works without its own.
  const scripted = paths.filter((path) => packages[path]!.hasInstallScript === true);
  assert.deepEqual(scripted, ['node_modules/esbuild']);
});
