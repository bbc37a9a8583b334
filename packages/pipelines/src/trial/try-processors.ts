import { textOf } from '@weir/bloblang';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import { catalogue } from '../catalogue.ts';
import type { ComponentConfig } from '../component/component-config.ts';
import type { PipelineServices } from '../component/component-context.ts';
import { type Batch, Message } from '../component/message.ts';
import { noMetrics } from '../component/pipeline-metrics.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { Chain } from '../engine/chain.ts';
import { Opening } from '../engine/open-component.ts';
import { pipelineLimits } from '../limits.ts';
import type { TrialAnswer, TrialRequest, TrialStep, TriedResult } from './trial-messages.ts';

/** A trial connects to nothing. */
const nowhere = () => {
  throw new Error('a trial connects to nothing; run the pipeline to see what this step does');
};

function services(): PipelineServices {
  return {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noMetrics,
    mappingPorts: { clock: systemClock, random: systemRandom, counters: new Map() },
    outbound: { lookupFor: nowhere, check: async () => nowhere() },
  };
}

/**
 * Sends messages as one batch through the processors of a configuration, those of its input and its output too, and
 * returns what each of them made of it. Input and output themselves are not opened.
 */
export async function tryProcessors({ yaml, messages }: TrialRequest): Promise<TrialAnswer> {
  // Variables and secrets have no values here; where one is needed, its name is as good as any.
  const references = { variable: (name: string) => name, secrets: anyName };
  const { config, problems } = readConfiguration(yaml, { catalogue, isLocal: false, references });
  if (config === undefined) {
    const { place, message } = problems[0]!;
    return { refused: `line ${place.line}, column ${place.column}: ${message}` };
  }
  const stop = new AbortController();
  const opening = new Opening(services(), catalogue, stop.signal);
  try {
    for (const resource of [
      ...config.cache_resources,
      ...config.rate_limit_resources,
      ...config.processor_resources,
    ])
      await opening.openResource(resource);
    const processors = [
      ...config.input.processors,
      ...config.pipeline.processors,
      ...config.output.processors,
    ];
    return { steps: await stepsOf(processors, opening, batchOf(messages), stop.signal) };
  } finally {
    stop.abort();
    await opening.close();
  }
}

async function stepsOf(
  processors: readonly ComponentConfig<'processor'>[],
  opening: Opening,
  batch: Batch,
  stop: AbortSignal,
): Promise<TrialStep[]> {
  const steps: TrialStep[] = [];
  let batches: readonly Batch[] = [batch];
  for (const config of processors) {
    const chain = await Chain.open([config], opening.contextOf(config));
    const results = await Promise.all(batches.map((one) => chain.process(one, stop)));
    batches = results.flat();
    await chain.close();
    steps.push({ ...shownNames(config), batches: batches.map((one) => one.map(shownMessage)) });
  }
  return steps;
}

function shownNames({ path, name, label }: ComponentConfig): Omit<TrialStep, 'batches'> {
  return { path: path.replace(/^root\./, ''), name, label };
}

function batchOf(messages: TrialRequest['messages']): Batch {
  return messages.map(({ content, metadata }) => Message.of(content, new Map(Object.entries(metadata))));
}

function shownMessage({ content, metadata, error }: Message): TriedResult {
  return {
    content: content.toString('utf8', 0, pipelineLimits.triedContentBytesMax),
    metadata: Object.fromEntries([...metadata].map(([key, value]) => [key, textOf(value)])),
    ...(error && { error: error.message }),
  };
}

/** Has a value for every name. */
const anyName = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, name) => String(name),
    getOwnPropertyDescriptor: (_, name) => ({ value: String(name), configurable: true, enumerable: true }),
  },
);
