import assert from 'node:assert/strict';
import { catalogue } from '../src/catalogue.ts';
import type { PipelineServices } from '../src/component/component-context.ts';
import type { Processor } from '../src/component/instances.ts';
import type { Batch, Message } from '../src/component/message.ts';
import type { Catalogue } from '../src/config/catalogue.ts';
import { readConfiguration } from '../src/config/read-configuration.ts';
import { Opening } from '../src/engine/open-component.ts';
import { testServices } from './run-pipeline.ts';

export interface ProcessorOptions {
  readonly services?: PipelineServices;
  readonly all?: Catalogue;
  /** More of the configuration, such as resources. */
  readonly more?: string;
}

/** Opens one processor from its configuration as JSON or YAML in one line: `{mapping: root = this}`. */
export async function openProcessor(
  config: string | object,
  { services = testServices(), all = catalogue, more = '' }: ProcessorOptions = {},
): Promise<Processor> {
  const reading = readConfiguration(configWith(config, more), {
    catalogue: all,
    isLocal: true,
    references: { variable: () => undefined, secrets: {} },
  });
  assert.ok(reading.config, JSON.stringify(reading.problems));
  const opening = new Opening(services, all, new AbortController().signal);
  for (const resource of reading.config.rate_limit_resources) await opening.openResource(resource);
  const [processor] = reading.config.pipeline.processors;
  return opening.open(processor!);
}

/** What is wrong with the configuration of a processor, in managed pipelines. */
export function problemsOfProcessor(config: string | object, isLocal = false): string[] {
  const { problems } = readConfiguration(configWith(config), { catalogue, isLocal });
  return problems.map(({ message }) => message);
}

function configWith(config: string | object, more = ''): string {
  const processor = typeof config === 'string' ? config : JSON.stringify(config);
  return `input: {generate: {mapping: 'root = {}'}}\npipeline: {processors: [${processor}]}\noutput: {drop: {}}\n${more}`;
}

/** Applies a processor to a batch, and returns all messages. */
export async function processed(processor: Processor, batch: Batch): Promise<Message[]> {
  return (await processor.process(batch, new AbortController().signal)).flat();
}

/** The content of a message, or its error behind `!`. */
export function shown({ content, error }: Message): string {
  return error === undefined ? content.toString() : `! ${error.message}`;
}
