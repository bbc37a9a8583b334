import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ConfigUnit, configUnits, formatAmount, parseAmount } from './config-units.ts';

const parsed: [text: string, unit: ConfigUnit, stored: string | undefined][] = [
  ['604800000', 'ms', '604800000'],
  ['-1', 'ms', '-1'],
  ['unlimited', 'bytes', '-1'],
  ['7d', 'ms', '604800000'],
  ['7 days', 'ms', '604800000'],
  ['1h', 'ms', '3600000'],
  ['1h 30min', 'ms', '5400000'],
  ['1.5 h', 'ms', '5400000'],
  ['2w', 'minutes', '20160'],
  ['90 s', 'minutes', undefined],
  ['1.0005 s', 'ms', undefined],
  ['36 hours', 'nanoseconds', '129600000000000'],
  ['9 s', 'seconds', '9'],
  ['7 fortnights', 'ms', undefined],
  ['soon', 'ms', undefined],
  ['1d soon', 'ms', undefined],
  ['', 'ms', undefined],
  ['512 MiB', 'bytes', '536870912'],
  ['1GiB', 'bytes', '1073741824'],
  ['1.5 kB', 'bytes', '1500'],
  ['1 d', 'bytes', undefined],
  ['1 MiB', 'ms', undefined],
  ['1d'.repeat(60), 'ms', undefined],
];

for (const [text, unit, stored] of parsed) {
  test(`${text.slice(0, 20)} in ${unit} is ${stored}`, () => {
    assert.equal(parseAmount(text, unit), stored);
  });
}

const printed: [stored: string, unit: ConfigUnit, text: string][] = [
  ['604800000', 'ms', '7 d'],
  ['5400000', 'ms', '1 h 30 min'],
  ['0', 'ms', '0 ms'],
  ['20160', 'minutes', '14 d'],
  ['604800000000000', 'nanoseconds', '7 d'],
  ['-1', 'ms', 'unlimited'],
  ['-2', 'ms', '-2'],
  ['9223372036854775807', 'ms', 'unlimited'],
  ['1073741824', 'bytes', '1 GiB'],
  ['1610612736', 'bytes', '1.5 GiB'],
  ['1048588', 'bytes', '1048588 B'],
  ['0', 'bytes', '0 B'],
  ['set by agents', 'bytes', 'set by agents'],
];

for (const [stored, unit, text] of printed) {
  test(`${stored} in ${unit} is shown as ${text}`, () => {
    assert.equal(formatAmount(stored, unit), text);
  });
}

test('what is shown is read back as the same number', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.constantFrom(...configUnits), (amount, unit) => {
      assert.equal(parseAmount(formatAmount(String(amount), unit), unit), String(amount));
    }),
  );
});
