import type { PipelineType } from '@weir/api';
import { migrationConfiguration } from '@weir/migration/configuration';
import { tablesConfiguration } from '@weir/tables/definition';
import type * as z from 'zod';
import { schemaLinking } from './schema-linking.ts';

/** The schema of a pipeline configuration, by type. Those of `bento` have tables of their own, of the engine. */
export const schemas = {
  orbit: migrationConfiguration,
  schema_linking: schemaLinking,
  data_lake: tablesConfiguration,
} as const satisfies Record<Exclude<PipelineType, 'bento'>, z.ZodObject>;
