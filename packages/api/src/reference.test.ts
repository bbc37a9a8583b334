import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operations } from './catalogue.ts';
import { apiPage } from './reference.ts';

const page = apiPage();

test('the page on disk is the one that the catalogue gives', () => {
  const url = new URL('../../../docs/reference/api.md', import.meta.url);
  assert.ok(readFileSync(url, 'utf8') === page, 'docs/reference/api.md is out of date; run npm run docs');
});

test('every link on the page leads somewhere', () => {
  const anchors = new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map((match) =>
      match[1]!
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1]!);
  assert.ok(links.length > operations.length);
  for (const link of links) assert.ok(anchors.has(link), link);
});

test('rows of a table have as many cells as its head', () => {
  let columns: number | undefined;
  for (const line of page.split('\n')) {
    if (!line.startsWith('|')) columns = undefined;
    else {
      const cells = line.split(/(?<!\\)\|/).length;
      columns ??= cells;
      assert.equal(cells, columns, line);
    }
  }
});
