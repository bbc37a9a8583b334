/** Categories of background work, which `-jobSelector` selects. Those without work yet are accepted. */
export const jobCategories = [
  'compaction',
  'deadscanner',
  'pipelines',
  'tableflow',
  'orbit',
  'schema-linking',
  'metrics',
  'events',
] as const;

export type JobCategory = (typeof jobCategories)[number];
