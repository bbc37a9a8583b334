import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import { coreLimits } from '@weir/core';
import fc from 'fast-check';
import { comparePlaces, cursorOf, type Place, pageOf, placeOf } from './cursors.ts';

const name = fc.string({ unit: 'binary', maxLength: 20 });
const place: fc.Arbitrary<Place> = fc.record({ number: fc.nat(5), name }, { noNullPrototype: true });

test('a cursor encodes its position', () => {
  fc.assert(fc.property(place, (one) => assert.deepEqual(placeOf(cursorOf(one)), one)));
});

test('the cursor of the longest name is within the limit', () => {
  const longest = cursorOf({ number: 1e15, name: '\uffff'.repeat(coreLimits.groupNameCharsMax) });
  assert.ok(longest.length <= apiLimits.apiCursorCharsMax);
  assert.match(longest, /^[a-zA-Z0-9_-]+$/);
});

test('pages cover the list under concurrent changes: no remaining item is missed or repeated', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(place, { maxLength: 20, selector: (one) => JSON.stringify(one) }),
      fc.uniqueArray(place, { maxLength: 20, selector: (one) => JSON.stringify(one) }),
      fc.integer({ min: 1, max: 7 }),
      (staying, others, limit) => {
        const isStaying = (one: Place) => staying.some((other) => comparePlaces(one, other) === 0);
        const seen: Place[] = [];
        let cursor: string | undefined;
        for (let page = 0; ; page++) {
          const passing = page % 2 === 0 ? others.filter((one) => !isStaying(one)) : [];
          const list = [...staying, ...passing].sort(comparePlaces);
          const { items, nextCursor } = pageOf(list, { limit, cursor }, (one) => one);
          seen.push(...items);
          if (nextCursor === null) break;
          cursor = nextCursor;
        }
        assert.deepEqual(seen.filter(isStaying), staying.toSorted(comparePlaces));
      },
    ),
  );
});
