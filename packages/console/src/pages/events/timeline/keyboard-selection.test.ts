import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectionAfter } from './keyboard-selection.ts';

const buckets = { timesMs: [0, 10, 20, 30], bucketMs: 10 };

test('keys select a bucket, and with Shift several', () => {
  const cases: readonly [keys: string, selected: string][] = [
    ['ArrowLeft', '30-40'],
    ['ArrowRight', '30-40'],
    ['ArrowLeft ArrowLeft', '20-30'],
    ['Home', '0-10'],
    ['Home ArrowLeft', '0-10'],
    ['Home ArrowRight', '10-20'],
    ['Home Shift+ArrowRight', '0-20'],
    ['Home Shift+ArrowRight Shift+ArrowRight Shift+ArrowLeft', '0-20'],
    ['Home ArrowRight Shift+End', '10-40'],
    ['End Shift+ArrowRight', '30-40'],
    ['End Shift+ArrowLeft', '20-30'],
    ['Home Shift+End ArrowLeft', '20-30'],
  ];
  for (const [keys, expected] of cases) {
    let selected: { startMs: number; endMs: number } | undefined;
    for (const press of keys.split(' '))
      selected = selectionAfter(
        { key: press.replace('Shift+', ''), shiftKey: press.startsWith('Shift+') },
        selected,
        buckets,
      );
    assert.equal(`${selected?.startMs}-${selected?.endMs}`, expected, keys);
  }
});

test('other keys and a timeline without times select nothing', () => {
  assert.equal(selectionAfter({ key: 'a', shiftKey: false }, undefined, buckets), undefined);
  assert.equal(
    selectionAfter({ key: 'Home', shiftKey: false }, undefined, { timesMs: [], bucketMs: 1 }),
    undefined,
  );
});
