import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMacPlatform, keyCaps, nameOfPress, shortcutFor } from './shortcut-keys.ts';

const none = { metaKey: false, ctrlKey: false, altKey: false };

test('the names of keys', () => {
  assert.equal(nameOfPress({ ...none, key: 'K', metaKey: true }), 'mod+k');
  assert.equal(nameOfPress({ ...none, key: 'k', ctrlKey: true }), 'mod+k');
  assert.equal(nameOfPress({ ...none, key: '?' }), '?');
  assert.equal(nameOfPress({ ...none, key: 'Enter' }), 'Enter');
  assert.equal(nameOfPress({ ...none, key: 'a', altKey: true }), undefined);
});

test('⌘ is shown on a Mac alone', () => {
  const cases: readonly (readonly [keys: string, platform: string, caps: readonly string[]])[] = [
    ['mod+k', 'macOS', ['⌘K']],
    ['mod+k', 'MacIntel', ['⌘K']],
    ['mod+k', 'iPad', ['⌘K']],
    ['mod+k', 'Linux x86_64', ['Ctrl K']],
    ['mod+k', 'Windows', ['Ctrl K']],
    ['mod+Enter', '', ['Ctrl ↵']],
    ['mod+Enter', 'macOS', ['⌘↵']],
    ['g t', 'Win32', ['G', 'T']],
  ];
  for (const [keys, platform, caps] of cases)
    assert.deepEqual(keyCaps(keys, isMacPlatform(platform)), caps, `${keys} ${platform}`);
});

test('two keys within a second, one key, and the last that was added', () => {
  const shortcuts = [
    { keys: 'g t', id: 'topics' },
    { keys: 't', id: 'first' },
    { keys: 't', id: 'second' },
  ];
  const cases: readonly (readonly [name: string, lastName: string | undefined, passedMs: number, string])[] =
    [
      ['t', undefined, 0, 'second'],
      ['t', 'g', 200, 'topics'],
      ['t', 'g', 1_001, 'second'],
      ['t', 'x', 200, 'second'],
    ];
  for (const [name, lastName, passedMs, id] of cases) {
    const last = lastName === undefined ? undefined : { name: lastName, atMs: 0 };
    assert.equal(shortcutFor(shortcuts, { name, atMs: passedMs }, last)?.id, id);
  }
  assert.equal(shortcutFor(shortcuts, { name: 'g', atMs: 0 }, undefined), undefined);
});
