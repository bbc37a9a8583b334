import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyCaps, nameOfPress, shortcutFor } from './shortcut-keys.ts';

const none = { metaKey: false, ctrlKey: false, altKey: false };

test('the names of keys', () => {
  assert.equal(nameOfPress({ ...none, key: 'K', metaKey: true }), 'mod+k');
  assert.equal(nameOfPress({ ...none, key: 'k', ctrlKey: true }), 'mod+k');
  assert.equal(nameOfPress({ ...none, key: '?' }), '?');
  assert.equal(nameOfPress({ ...none, key: 'Enter' }), 'Enter');
  assert.equal(nameOfPress({ ...none, key: 'a', altKey: true }), undefined);
  assert.deepEqual(keyCaps('mod+k'), ['⌘K']);
  assert.deepEqual(keyCaps('g t'), ['G', 'T']);
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
