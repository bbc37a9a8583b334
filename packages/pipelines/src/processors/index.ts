import type { ComponentSpec } from '../component/component-spec.ts';
import { codecProcessors } from './codecs.ts';
import { databaseProcessors } from './databases.ts';
import { flowProcessors } from './flow.ts';
import { mappingProcessors } from './mapping.ts';

export const processors: readonly ComponentSpec[] = [
  ...mappingProcessors,
  ...flowProcessors,
  ...codecProcessors,
  ...databaseProcessors,
];
