import { apiLimits } from '@weir/api/limits';
import type { ComponentConfig, ComponentKind } from '../component/component-config.ts';
import { type Field, object, type Values } from '../component/field.ts';
import {
  any,
  bool,
  child,
  children,
  durationMs,
  float,
  int,
  list,
  oneOf,
  string,
} from '../component/field-types.ts';

function resources<Kind extends ComponentKind>(kind: Kind): Field<readonly ComponentConfig<Kind>[]> {
  return children(kind, `Components of the kind ${kind}, used by their labels.`).or([]);
}

/** How the service runs a pipeline. */
export const serviceFields = {
  scheduling: object('When it runs.', {
    run_every: durationMs(
      'Starts the pipeline again that long after its input ended. If absent, it has done its work then.',
    ).optional(),
  }),
  cluster_concurrency_target: int(
    'Instances in the cluster; each runs on an agent of its own while there are enough.',
  )
    .check((target) =>
      target >= 1 && target <= apiLimits.pipelineInstancesMax
        ? undefined
        : `has to be from 1 to ${apiLimits.pipelineInstancesMax}`,
    )
    .or(1),
  pipeline_group: string('Only agents of this group run it; those of all groups if absent.').optional(),
};

/** The outermost fields of a configuration. */
export const streamFields = {
  http: any('The HTTP server of the process.').optional().advanced().withoutEffect('the operator sets it'),
  input: child('input', 'Where messages come from.'),
  buffer: child('buffer', 'Holds messages between the input and the processors.').or({ none: {} }),
  pipeline: object('What is done with messages.', {
    threads: int(
      'Batches that are processed at a time; -1 is 8. One thread runs all of them, so that more help where processors wait for others.',
    ).or(-1),
    processors: children('processor', 'Applied to every batch in this order.').or([]),
  }),
  output: child('output', 'Where messages go to.'),
  error_handling: object('The outcome of messages on which a processor failed.', {
    strategy: oneOf(
      '`none` lets them flow on, `reject` rejects their batch, `retry` processes it again until it succeeds.',
      ['none', 'reject', 'retry'],
    ).or('none'),
    log: object('Logs failed messages.', {
      enabled: bool('Whether failures are logged.').or(false),
      add_payload: bool('Whether the content is logged too.').or(false),
      sampling_ratio: float('The part of failures that is logged.').or(1),
    }),
  }),
  input_resources: resources('input'),
  processor_resources: resources('processor'),
  output_resources: resources('output'),
  cache_resources: resources('cache'),
  rate_limit_resources: resources('rate_limit'),
  logger: any('How logs are written.')
    .optional()
    .advanced()
    .withoutEffect('logs go where the operator sends them'),
  metrics: any('Where metrics go.').optional().advanced().withoutEffect('the process publishes metrics'),
  tracer: any('Where traces go.').optional().advanced().withoutEffect('there is no tracing in this release'),
  shutdown_delay: durationMs('How long the input is read after the pipeline was stopped.').or('0s'),
  shutdown_timeout: durationMs('How long messages in flight may take to be written when it stops.').or('20s'),
  tests: list('Tests of the configuration; ignored when it runs.', any('A test.')).optional().advanced(),
  service: object('How the service runs the pipeline.', serviceFields),
};

export type StreamConfig = Values<typeof streamFields>;
