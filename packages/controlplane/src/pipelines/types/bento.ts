import { component, count, list, mapping, text } from '../schema.ts';

const optionalComponent = component.optional();
const optionalList = list(component).optional();
const optionalText = text.optional();

/**
 * Pipelines that read, transform and write records. The engine validates the components and their fields; this only
 * checks that they are in the right place.
 */
export const bento = mapping({
  http: optionalComponent,
  input: component,
  buffer: optionalComponent,
  pipeline: optionalComponent,
  output: component,
  error_handling: optionalComponent,
  input_resources: optionalList,
  processor_resources: optionalList,
  output_resources: optionalList,
  cache_resources: optionalList,
  rate_limit_resources: optionalList,
  logger: optionalComponent,
  metrics: optionalComponent,
  tracer: optionalComponent,
  shutdown_delay: optionalText,
  shutdown_timeout: optionalText,
  tests: optionalList,
  service: mapping({
    scheduling: mapping({ run_every: optionalText }).optional(),
    cluster_concurrency_target: count.optional(),
    pipeline_group: optionalText,
  }).optional(),
});
