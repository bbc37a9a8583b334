import type { ComponentSpec } from '../component/component-spec.ts';
import { connectorCaches } from './connectors.ts';
import { file } from './file.ts';
import { limitedCaches } from './lru.ts';
import { memory } from './memory.ts';
import { multilevel } from './multilevel.ts';
import { noop } from './noop.ts';

export const caches: readonly ComponentSpec[] = [
  memory,
  ...limitedCaches,
  multilevel,
  noop,
  file,
  ...connectorCaches,
];
