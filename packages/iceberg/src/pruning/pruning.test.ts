import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesRow } from '../../testing/rows.ts';
import { column, schemaOf } from '../../testing/schemas.ts';
import { primitiveTypes, valueOfType } from '../../testing/values.ts';
import type { PartitionColumn } from '../partitions/partition-spec.ts';
import { canTransform, parseTransform, resultType, transformValue } from '../partitions/transform.ts';
import type { PrimitiveType } from '../schema/types.ts';
import { valueBytes } from '../values/binary-value.ts';
import { lowerBoundOf, upperBoundOf } from '../values/bounds.ts';
import { compareValues, type Value } from '../values/value.ts';
import { type ColumnFilter, checkFilter, type Filter } from './filter.ts';
import { rangeOfMetrics, rangeOfPartition, rangeOfSummary, summaryOf } from './known-ranges.ts';
import { mayMatch, type ValueRange } from './may-match.ts';

const prunes = (filter: Filter, type: PrimitiveType, range: ValueRange | undefined) =>
  !mayMatch(filter, () => ({ type, ranges: range === undefined ? [] : [range] }));

function filterOn(type: PrimitiveType): fc.Arbitrary<ColumnFilter> {
  const value = valueOfType(type);
  const filters: fc.Arbitrary<ColumnFilter>[] = [
    fc.constantFrom('is-null', 'not-null', 'is-nan', 'not-nan').map((op) => ({ op, id: 1 }) as ColumnFilter),
    fc
      .tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>='), value)
      .map(([op, one]) => ({ op, id: 1, value: one }) as ColumnFilter),
    fc
      .tuple(fc.constantFrom('in', 'not-in'), fc.array(value, { maxLength: 3 }))
      .map(([op, values]) => ({ op, id: 1, values }) as ColumnFilter),
  ];
  if (type.kind === 'string')
    filters.push(value.map((one) => ({ op: 'starts-with', id: 1, value: one as string })));
  return fc.oneof(...filters);
}

/** A filter over values near those of the rows: some of its values are theirs. */
function rowsAndFilter(type: PrimitiveType): fc.Arbitrary<[(Value | null)[], Filter]> {
  const row = fc.option(valueOfType(type), { freq: 5 });
  return fc.array(row, { minLength: 1, maxLength: 6 }).chain((rows) => {
    const values = rows.filter((one) => one !== null);
    const one = filterOn(type);
    const borrowed = one.map(
      (filter) =>
        ('value' in filter && values.length > 0 ? { ...filter, value: values[0]! } : filter) as ColumnFilter,
    );
    const column = fc.oneof(one, borrowed);
    const nested = fc.tuple(
      fc.constantFrom('and' as const, 'or' as const),
      fc.array(column, { maxLength: 3 }),
    );
    return fc.tuple(
      fc.constant(rows),
      fc.oneof(
        column,
        nested.map(([op, filters]) => ({ op, filters })),
      ),
    );
  });
}

const isNan = (value: Value | null) => typeof value === 'number' && Number.isNaN(value);

/** The metrics that a writer would give to a file with these rows. */
function metricsOf(type: PrimitiveType, rows: readonly (Value | null)[]): ValueRange {
  const values = rows.filter((one) => one !== null && !isNan(one)) as Value[];
  values.sort((one, other) => compareValues(type, one, other));
  const lower = values.length === 0 ? undefined : lowerBoundOf(type, values[0]!, 2);
  const upper = values.length === 0 ? undefined : upperBoundOf(type, values.at(-1)!, 2);
  return rangeOfMetrics(type, {
    valueCount: BigInt(rows.length),
    nullCount: BigInt(rows.filter((one) => one === null).length),
    nanCount: BigInt(rows.filter(isNan).length),
    lower: lower === undefined ? undefined : valueBytes(type, lower),
    upper: upper === undefined ? undefined : valueBytes(type, upper),
  });
}

test('pruning by bounds never loses a row', () => {
  let pruned = 0;
  for (const type of primitiveTypes)
    fc.assert(
      fc.property(rowsAndFilter(type), ([rows, filter]) => {
        if (!prunes(filter, type, metricsOf(type, rows))) return;
        pruned++;
        for (const row of rows) assert.ok(!matchesRow(filter, type, row), `${type.kind} ${String(row)}`);
      }),
      { numRuns: 150 },
    );
  assert.ok(pruned > 300, `${pruned} of the files were pruned`);
});

test('pruning by partitions and manifests never loses a row', () => {
  const transforms = [
    'identity',
    'year',
    'month',
    'day',
    'hour',
    'void',
    'bucket[2]',
    'bucket[7]',
    'truncate[1]',
    'truncate[3]',
    'truncate[10]',
  ];
  let [prunedFiles, prunedManifests] = [0, 0];
  for (const type of primitiveTypes)
    for (const text of transforms) {
      const transform = parseTransform(text, 'test');
      if (!canTransform(transform, type)) continue;
      const partition: PartitionColumn = {
        sourceId: 1,
        id: 1000,
        name: 'p',
        transform,
        source: type,
        type: resultType(transform, type),
      };
      fc.assert(
        fc.property(rowsAndFilter(type), ([rows, filter]) => {
          const partitions = rows.map((row) => transformValue(transform, type, row));
          for (const [at, row] of rows.entries()) {
            if (!prunes(filter, type, rangeOfPartition(partition, partitions[at]!))) continue;
            prunedFiles++;
            assert.ok(!matchesRow(filter, type, row), `file: ${text} ${type.kind} ${String(row)}`);
          }
          if (!prunes(filter, type, rangeOfSummary(partition, summaryOf(partition.type, partitions)))) return;
          prunedManifests++;
          for (const row of rows)
            assert.ok(!matchesRow(filter, type, row), `manifest: ${text} ${type.kind} ${String(row)}`);
        }),
        { numRuns: 60 },
      );
    }
  assert.ok(
    prunedFiles > 2000 && prunedManifests > 200,
    `${prunedFiles} files, ${prunedManifests} manifests were pruned`,
  );
});

test('what is pruned', () => {
  const day = 86_400_000_000n;
  const int: PrimitiveType = { kind: 'int' };
  const bounds = (least: number, greatest: number): ValueRange => ({
    mayHaveNulls: false,
    mayHaveNans: false,
    mayHaveValues: true,
    least,
    greatest,
  });
  const partition = (text: string, source: PrimitiveType, value: Value | null): ValueRange => {
    const transform = parseTransform(text, 'test');
    return rangeOfPartition(
      { sourceId: 1, id: 1000, name: 'p', transform, source, type: resultType(transform, source) },
      value,
    )!;
  };
  const time: PrimitiveType = { kind: 'timestamptz' };
  const string: PrimitiveType = { kind: 'string' };
  // what is known, filter, whether the rows are left out
  const cases: [ValueRange, PrimitiveType, ColumnFilter, boolean][] = [
    [bounds(5, 9), int, { op: '=', id: 1, value: 4 }, true],
    [bounds(5, 9), int, { op: '=', id: 1, value: 5 }, false],
    [bounds(5, 9), int, { op: '<', id: 1, value: 5 }, true],
    [bounds(5, 9), int, { op: '<=', id: 1, value: 5 }, false],
    [bounds(5, 9), int, { op: '>', id: 1, value: 9 }, true],
    [bounds(5, 5), int, { op: '!=', id: 1, value: 5 }, true],
    [bounds(5, 9), int, { op: 'in', id: 1, values: [1, 2, 10] }, true],
    [bounds(5, 9), int, { op: 'is-null', id: 1 }, true],
    [partition('day', time, 10), time, { op: '>=', id: 1, value: 11n * day }, true],
    [partition('day', time, 10), time, { op: '>=', id: 1, value: 11n * day - 1n }, false],
    [partition('month', time, 0), time, { op: '>=', id: 1, value: 31n * day }, true],
    [partition('bucket[16]', int, 3), int, { op: '=', id: 1, value: 34 }, false],
    [partition('bucket[16]', int, 4), int, { op: '=', id: 1, value: 34 }, true],
    [partition('bucket[16]', int, 4), int, { op: '<', id: 1, value: 34 }, false],
    [partition('truncate[3]', string, 'abc'), string, { op: 'starts-with', id: 1, value: 'abd' }, false],
    [partition('truncate[3]', string, 'abc'), string, { op: 'starts-with', id: 1, value: 'abe' }, true],
    [partition('identity', string, null), string, { op: '=', id: 1, value: 'x' }, true],
    [partition('identity', string, null), string, { op: 'is-null', id: 1 }, false],
  ];
  for (const [range, type, filter, isPruned] of cases)
    assert.equal(
      prunes(filter, type, range),
      isPruned,
      JSON.stringify(filter, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
    );
});

test('filters are checked against the schema', () => {
  const schema = schemaOf(column(1, 'a', 'int'));
  checkFilter({ op: 'or', filters: [{ op: '=', id: 1, value: 5 }] }, schema);
  assert.throws(() => checkFilter({ op: '=', id: 2, value: 5 }, schema), /no column with the id 2/);
  assert.throws(
    () => checkFilter({ op: 'and', filters: [{ op: '=', id: 1, value: 5n }] }, schema),
    /a is int and cannot be compared so/,
  );
  assert.throws(() => checkFilter({ op: 'starts-with', id: 1, value: '5' }, schema), /cannot be compared so/);
});
