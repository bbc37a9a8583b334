import assert from 'node:assert/strict';
import { test } from 'node:test';
import { release } from '@weir/core';
import fc from 'fast-check';
import { readChangelog } from './changelog.ts';
import { notesHtml } from './notes-html.ts';
import { ownChangelog } from './own-changelog.ts';
import { releaseFeed } from './release-feed.ts';

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly children: Element[];
  text: string;
}

/** Parses XML strictly enough for the test: properly nested tags, and no unescaped character. */
function readXml(xml: string): Element {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  assert.ok(xml.startsWith(declaration));
  const root: Element = { name: '', attributes: '', children: [], text: '' };
  const open = [root];
  let at = declaration.length;
  const token = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z]+="[^"<&]*")*)>|([^<&]+)|&(amp|lt|gt|quot|#39);/y;
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  while (at < xml.length) {
    token.lastIndex = at;
    const match = token.exec(xml) ?? assert.fail(`not well formed: ${xml.slice(at, at + 80)}`);
    at = token.lastIndex;
    const [, slash, name, attributes = '', text, entity] = match;
    const parent = open.at(-1)!;
    if (name === undefined) {
      const added = text ?? entities[entity!]!;
      assert.doesNotMatch(added, /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
      parent.text += added;
    } else if (slash === '/') {
      assert.equal(parent.name, name, 'closes the innermost element');
      open.pop();
    } else {
      const child: Element = { name, attributes, children: [], text: '' };
      parent.children.push(child);
      open.push(child);
    }
  }
  assert.equal(open.length, 1, 'every element is closed');
  return root.children[0]!;
}

interface FeedItem {
  readonly title: string;
  readonly pubDate: string | undefined;
  readonly categories: readonly string[];
  readonly description: string;
}

/** Parses a feed and checks the rules of RSS 2.0. */
function readFeed(xml: string): FeedItem[] {
  const rss = readXml(xml);
  assert.deepEqual([rss.name, rss.attributes.trim()], ['rss', 'version="2.0"']);
  assert.equal(rss.children.length, 1);
  const [channel] = rss.children;
  const named = (element: Element, name: string) => element.children.filter((child) => child.name === name);
  for (const required of ['title', 'link', 'description']) {
    assert.equal(named(channel!, required).length, 1, required);
    assert.notEqual(named(channel!, required)[0]!.text, '');
  }
  const items = named(channel!, 'item');
  const guids = items.map((item) => named(item, 'guid')[0]!.text);
  assert.equal(new Set(guids).size, items.length, 'each has a guid of its own');
  return items.map((item) => {
    const [title, description] = [named(item, 'title'), named(item, 'description')];
    assert.deepEqual([title.length, description.length, named(item, 'link').length], [1, 1, 1]);
    assert.ok(URL.canParse(named(item, 'link')[0]!.text));
    const pubDate = named(item, 'pubDate')[0]?.text;
    if (pubDate !== undefined)
      assert.match(pubDate, /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/);
    return {
      title: title[0]!.text,
      pubDate,
      categories: named(item, 'category').map(({ text }) => text),
      description: description[0]!.text,
    };
  });
}

const baseUrl = 'http://control-plane.test:8090';

test('each release is an item, the newest first, with its warnings', () => {
  const changelog =
    '# Changelog\n\n## v831 (unreleased)\n\nSoon.\n\n## v821 (2026-07-14)\n\n- **New:** `a<b>`\n';
  const items = readFeed(releaseFeed({ changelog, baseUrl }));
  const byTitle = (title: string) => items.find((item) => item.title === title) ?? assert.fail(title);

  assert.equal(items[0]!.title, 'v831');
  assert.equal(items[0]!.pubDate, undefined, 'it is not released yet');
  const numbers = items.map(({ title }) => Number(/^v(\d+)/.exec(title)![1]));
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => b - a),
  );

  const v821 = byTitle('v821');
  assert.equal(v821.pubDate, 'Tue, 14 Jul 2026 00:00:00 GMT');
  assert.deepEqual(v821.categories, ['breaking']);
  assert.match(
    v821.description,
    /^<p><b>Breaking change\.<\/b> The command cli .*\n<ul><li><b>New:<\/b> <code>a&lt;b&gt;<\/code>/,
  );

  const v762 = byTitle('v762 (avoid this release)');
  assert.deepEqual(v762.categories, ['avoid']);
  assert.match(v762.description, /Known fault: consumers may skip records\.</);
  assert.match(byTitle('v739 (avoid this release)').description, /Use v744 or later.*Use v740 or later/s);
  assert.deepEqual(byTitle('v741 (avoid this release)').categories, ['avoid', 'breaking']);
  for (const release of [643, 644, 645, 646]) byTitle(`v${release} (avoid this release)`);
  assert.equal(
    items.some(({ title }) => title.startsWith('v647')),
    false,
  );
});

test('our own changelog becomes a feed', () => {
  const items = readFeed(releaseFeed({ changelog: ownChangelog(), baseUrl }));
  assert.equal(items[0]!.title, release);
  assert.match(items[0]!.description, /<li><b>A cluster\.<\/b>/);
});

test('the feed is well formed for any changelog', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom('`', '**', '- ', '[a](b)', ']]>'),
  );
  fc.assert(
    fc.property(fc.array(text), (parts) => {
      const items = readFeed(
        releaseFeed({ changelog: `## v900 (2027-01-01)\n\n${parts.join('')}`, baseUrl }),
      );
      assert.ok(items.some(({ title }) => title === 'v900'));
    }),
  );
});

test('headings of a changelog', () => {
  // text, and the releases with their days
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['# Changelog\nNothing yet.'],
    ['## v2 (2026-01-02)\nb\n## v1\na', '2 2026-01-02 b', '1 - a'],
    ['## v3 (unreleased)\r\n\r\nc\r\n', '3 - c'],
    ['## v4 (2026-13-99)\nd', '4 - d'],
    ['### v5\n## Notes\n## v6 beta'],
  ];
  for (const [text, ...expected] of cases) {
    const found = readChangelog(text).map(({ release: number, publishedMs, notes }) => {
      const day = publishedMs === undefined ? '-' : new Date(publishedMs).toISOString().slice(0, 10);
      return `${number} ${day} ${notes}`;
    });
    assert.deepEqual(found, expected, text);
  }
});

test('notes as HTML', () => {
  const cases = [
    ['One\nline.', '<p>One line.</p>'],
    ['- a\n  b\n- c', '<ul><li>a b</li><li>c</li></ul>'],
    ['**b** and `**c**`', '<p><b>b</b> and <code>**c**</code></p>'],
    ['[here](https://a.test/?b=1&c)', '<p><a href="https://a.test/?b=1&amp;c">here</a></p>'],
    ['[file](docs/a.md)', '<p>file</p>'],
    ['[x](javascript:alert)', '<p>x</p>'],
    ['<script>', '<p>&lt;script&gt;</p>'],
  ] as const;
  for (const [markdown, html] of cases) assert.equal(notesHtml(markdown), html);
});
