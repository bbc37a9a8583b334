import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingColumns } from './phone-columns.ts';

const columns = [
  { id: 'name', width: 'minmax(14rem, 3fr)' },
  { id: 'size', width: 'minmax(7rem, 1fr)' },
  { id: 'created', width: '12rem' },
  { id: 'acts', width: '6rem', priority: 5 },
];
const phone = { widthPx: 360, remPx: 16, hasSelection: false };
const ids = (room: Partial<typeof phone>) =>
  fittingColumns(columns, { ...phone, ...room })?.map(({ id }) => id);

test('a narrow table shows the columns that fit, the most important first and in their order', () => {
  const cases: readonly [room: Partial<typeof phone>, shown: readonly string[] | undefined][] = [
    [{}, ['name', 'size', 'acts']],
    [{ hasSelection: true }, ['name', 'acts']],
    [{ widthPx: 320 }, ['name', 'acts']],
    [{ remPx: 24 }, ['name', 'acts']],
    [{ widthPx: 100 }, ['name']],
    [{ widthPx: 0 }, undefined],
    [{ widthPx: 639, remPx: 10 }, undefined],
    [{ widthPx: 1200, remPx: 100 }, undefined],
  ];
  for (const [room, shown] of cases) assert.deepEqual(ids(room), shown, JSON.stringify(room));
});

test('the most important column gives up its width, others keep theirs', () => {
  const widths = fittingColumns(columns, phone)!.map(({ width }) => width);
  assert.deepEqual(widths, ['minmax(8rem, 1fr)', 'minmax(7rem, 1fr)', '6rem']);
});
