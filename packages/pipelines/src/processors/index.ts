import type { ComponentSpec } from '../component/component-spec.ts';
import { codecProcessors } from './codecs.ts';
import { flowProcessors } from './flow.ts';
import { mappingProcessors } from './mapping.ts';
import { databaseProcessors } from './sql.ts';

export const processors: readonly ComponentSpec[] = [
  ...mappingProcessors,
  ...flowProcessors,
  ...codecProcessors,
  ...databaseProcessors,
];
