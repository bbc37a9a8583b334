import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrimitive, parseTransform, type Value } from '@weir/iceberg';
import type { Column, RowValue } from '../parquet/parquet-writer.ts';
import { type BudgetUser, RowBudget } from './row-budget.ts';
import { RowPartitions } from './row-partitions.ts';

const column = (id: number, name: string, type: string): Column => ({
  id,
  name,
  isRequired: false,
  type: parsePrimitive(type, name),
});

const field = (sourceId: number, type: string, transform: string) => ({
  sourceId,
  id: 1000 + sourceId,
  name: `p${sourceId}`,
  transform: parseTransform(transform, 'test'),
  source: parsePrimitive(type, 'test'),
  type: parsePrimitive(type, 'test'),
});

test('rows are divided by their partition, also by columns within structs', () => {
  const columns: Column[] = [
    column(1, 'n', 'int'),
    {
      id: 2,
      name: 'user',
      isRequired: false,
      type: { kind: 'struct', columns: [column(3, 'city', 'string')] },
    },
  ];
  const partitions = new RowPartitions(
    [field(1, 'int', 'truncate[10]'), field(3, 'string', 'identity')],
    columns,
  );
  const batch: RowValue[][] = [
    [1, 2, 11, null, 3],
    [['a'], ['b'], ['a'], null, ['a']],
  ];
  assert.deepEqual(
    partitions.split(batch).map(({ partition, batch: rows }) => [partition, rows[0]]),
    [
      [
        [0, 'a'],
        [1, 3],
      ],
      [[0, 'b'], [2]],
      [[10, 'a'], [11]],
      [[null, null], [null]],
    ],
  );
});

test('values that look alike are different partitions', () => {
  const keysOf = (type: string, values: readonly (Value | null)[]) =>
    new Set(
      new RowPartitions(
        [field(1, type, 'identity'), field(2, type, 'identity')],
        [column(1, 'a', type), column(2, 'b', type)],
      )
        .split([values, values.toReversed()])
        .map(({ key }) => key),
    ).size;
  assert.equal(keysOf('string', ['null', null]), 2);
  assert.equal(keysOf('string', ['a;', 'a', ';', '1:a;']), 4);
  assert.equal(keysOf('double', [0, -0]), 2);
});

test('a number that cannot be truncated is refused, and no other', () => {
  const partitions = new RowPartitions([field(1, 'int', 'truncate[10]')], [column(1, 'n', 'int')]);
  const [refused, ...others] = partitions.refused([[1, -(2 ** 31), null]]);
  assert.deepEqual([refused!.row, others.length], [1, 0]);
  assert.match(refused!.message, /^truncate\[10\] of -2147483648 is no int/);
});

class User implements BudgetUser {
  readonly files: number[] = [];
  readonly #budget: RowBudget;
  asked = 0;

  constructor(budget: RowBudget) {
    this.#budget = budget;
    budget.join(this);
  }

  async add(bytes: number): Promise<void> {
    await this.#budget.room(this);
    this.files.push(bytes);
    this.#budget.add(bytes, 1);
  }

  largestBytes(): number {
    return Math.max(0, ...this.files);
  }

  askToClose(): void {
    this.asked++;
  }

  async closeLargest(): Promise<void> {
    const [closed] = this.files.splice(this.files.indexOf(this.largestBytes()), 1);
    this.#budget.add(-closed!, -1);
  }
}

test('a budget is kept by closing the largest file, whichever table has it', async () => {
  const budget = new RowBudget({ bytesMax: 100, filesMax: 3 });
  const [one, other] = [new User(budget), new User(budget)];
  await one.add(60);
  await one.add(40);
  await one.add(10);
  assert.deepEqual(one.files, [40, 10], 'its own');
  const waiting = other.add(80).then(() => other.add(5));
  await Promise.resolve();
  await one.closeLargest();
  await waiting;
  assert.deepEqual([one.files, other.files, one.asked > 0], [[10], [80, 5], false]);
  const more = one.add(7);
  assert.equal(other.asked, 1);
  await other.closeLargest();
  await more;
  assert.deepEqual([budget.bytes, budget.files], [22, 3]);
});
