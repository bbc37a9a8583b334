import type { OutputOf } from '@weir/api/client';

export type Clients = OutputOf<'list_clients'>;
export type Software = Clients['clients'][number];

const collator = new Intl.Collator('en', { numeric: true });

/** A row has no other key: software and version are unique in the list. */
export const keyOf = ({ software_name, software_version }: Software) =>
  JSON.stringify([software_name, software_version]);

export const nameOf = ({ software_name }: Software) => software_name || 'unknown software';

/**
 * The newest version of each software that is connected here. Nothing is known of versions beyond this cluster, so that
 * the newest may be old as well.
 */
export function newestVersions(clients: readonly Software[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { software_name: name, software_version: version } of clients) {
    const known = newest.get(name);
    if (name !== '' && (known === undefined || collator.compare(version, known) > 0))
      newest.set(name, version);
  }
  return newest;
}

/** Software of which several versions are connected: name, the newest, and how many connections have an older one. */
export function mixedVersions(
  clients: readonly Software[],
): readonly { readonly name: string; readonly newest: string; readonly older: number }[] {
  return [...newestVersions(clients)].flatMap(([name, newest]) => {
    const older = clients
      .filter((one) => one.software_name === name && one.software_version !== newest)
      .reduce((sum, { connections }) => sum + connections, 0);
    return older === 0 ? [] : [{ name, newest, older }];
  });
}

/** Zones of agents by id, where agents know theirs. */
export function zonesOf({ agents }: Software, zoneById: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set(agents.flatMap(({ agent_id }) => zoneById.get(agent_id) || []))].sort();
}
