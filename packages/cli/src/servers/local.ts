import type { Handler } from '../handler.ts';
import { placeInMemory } from './cluster-place.ts';
import { runSelfContained } from './self-contained.ts';

/**
 * A whole cluster in memory, for tests and CI. All data is lost when it stops, including data that did not fit into
 * memory and was spilled to temporary files.
 */
export const local: Handler<'local'> = (values, deps) => {
  const place = placeInMemory();
  return runSelfContained(
    {
      ...place,
      name: 'local',
      zone: 'local',
      notes: [`API key        ${place.identity.applicationKey}`, 'data is lost when it stops'],
    },
    values,
    deps,
  );
};
