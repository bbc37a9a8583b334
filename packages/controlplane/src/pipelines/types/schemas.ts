import type { PipelineType } from '@weir/api';
import type * as z from 'zod';
import { bento } from './bento.ts';
import { dataLake } from './data-lake.ts';
import { orbit } from './orbit.ts';
import { schemaLinking } from './schema-linking.ts';

/** The schema of a pipeline configuration, by type. */
export const schemas = {
  bento,
  orbit,
  schema_linking: schemaLinking,
  data_lake: dataLake,
} as const satisfies Record<PipelineType, z.ZodObject>;
