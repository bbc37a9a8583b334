import { component, count, list, mapping, required, text } from '../shape.ts';

/**
 * Pipelines that read, transform and write records. The engine validates the components and their fields; this only
 * checks that they are in the right place.
 */
export const bento = mapping({
  http: component,
  input: required(component),
  buffer: component,
  pipeline: component,
  output: required(component),
  error_handling: component,
  input_resources: list(component),
  processor_resources: list(component),
  output_resources: list(component),
  cache_resources: list(component),
  rate_limit_resources: list(component),
  logger: component,
  metrics: component,
  tracer: component,
  shutdown_delay: text,
  shutdown_timeout: text,
  tests: list(component),
  service: mapping({
    scheduling: mapping({ run_every: text }),
    cluster_concurrency_target: count,
    pipeline_group: text,
  }),
});
