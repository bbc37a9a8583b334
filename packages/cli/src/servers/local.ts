import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { placeInMemory } from './cluster-place.ts';
import { runSelfContained } from './self-contained.ts';

/**
 * A whole cluster in memory, for tests and CI. All data is lost when it stops, including data that did not fit into
 * memory and was spilled to temporary files.
 */
export const local: Handler<'local'> = (values, deps) => runLocal(values, deps);

/** `onReady` is called when the cluster serves clients. */
export function runLocal(values: CommandValues<'local'>, deps: Deps, onReady?: () => void): Promise<number> {
  const place = placeInMemory();
  return runSelfContained(
    {
      ...place,
      name: 'local',
      zone: 'local',
      notes: [`API key        ${place.identity.applicationKey}`, 'data is lost when it stops'],
      async accompany() {
        onReady?.();
        return { lines: [], stop: async () => {} };
      },
    },
    values,
    deps,
  );
}
