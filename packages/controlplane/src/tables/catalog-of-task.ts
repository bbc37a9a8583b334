import type { AskedTable } from '@weir/cluster';
import { secretNamesIn } from '@weir/core';
import type { Secrets } from '../accounts/workspaces/secrets.ts';
import type { TablesPlace } from '../accounts/workspaces/tables.ts';

/** The catalog of a table for an agent, with the secrets that it refers to. One that is gone is missing there. */
export async function catalogOfTask(
  catalog: string | undefined,
  place: TablesPlace,
  secrets: Pick<Secrets, 'open'>,
): Promise<Pick<AskedTable, 'catalog' | 'secrets'>> {
  if (catalog === undefined) return {};
  const names = secretNamesIn(Object.values(JSON.parse(catalog) as Readonly<Record<string, string>>));
  return { catalog, ...(names.length === 0 ? {} : { secrets: await secrets.open(place, names) }) };
}
