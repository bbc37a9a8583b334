import type { PipelineType } from '@weir/api';
import type { Shape } from '../shape.ts';
import { bento } from './bento.ts';
import { dataLake } from './data-lake.ts';
import { orbit } from './orbit.ts';
import { schemaLinking } from './schema-linking.ts';

/** The shape of a pipeline configuration, by type. */
export const shapes = {
  bento,
  orbit,
  schema_linking: schemaLinking,
  data_lake: dataLake,
} as const satisfies Record<PipelineType, Extract<Shape, { kind: 'mapping' }>>;
