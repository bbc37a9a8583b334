import type { CounterRow, Database, DatabaseTransaction } from './schema.ts';

/** Increments a counter in a transaction. Other transactions that increment it wait until this one ends. */
export async function countUp(transaction: DatabaseTransaction, name: CounterRow['name']): Promise<void> {
  await transaction
    .updateTable('weir_counters')
    .set((row) => ({ value: row('value', '+', 1) }))
    .where('name', '=', name)
    .execute();
}

export async function readCounter(database: Database, name: CounterRow['name']): Promise<number> {
  const row = await database
    .selectFrom('weir_counters')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
