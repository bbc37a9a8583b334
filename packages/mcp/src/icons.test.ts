import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iconAt, iconNames, iconUrl } from './icons.ts';

test('every icon is served at the URL that tools name', () => {
  for (const name of iconNames) {
    const { pathname, origin } = new URL(iconUrl(name, 'https://weir.example/'));
    assert.equal(origin, 'https://weir.example');
    const svg = iconAt(pathname)!;
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
    assert.doesNotMatch(svg, /script|href|url\(/, 'the image loads and runs nothing');
  }
});

for (const path of [
  '/icons/',
  '/icons/none.svg',
  '/icons/constructor.svg',
  '/icons/../topic.svg',
  '/icons/topic.png',
])
  test(`${path} is no icon`, () => assert.equal(iconAt(path), undefined));
