import assert from 'node:assert/strict';
import type { PipelineServices } from '../src/component/component-context.ts';
import type { ComponentSpec } from '../src/component/component-spec.ts';
import { Message, type Metadata } from '../src/component/message.ts';
import { readConfiguration } from '../src/config/read-configuration.ts';
import { Chain } from '../src/engine/chain.ts';
import { Opening } from '../src/engine/open-component.ts';
import { catalogueWith, testServices } from './run-pipeline.ts';

/** A message as tests write it: its content, and what else it has. */
export type Given =
  | string
  | {
      readonly content: string;
      readonly error?: string;
      readonly metadata?: Readonly<Record<string, string>>;
    };

function messageOf(given: Given, index: number): Message {
  const { content, error, metadata } = typeof given === 'string' ? { content: given } : given;
  const entries: Metadata = new Map(Object.entries(metadata ?? {}));
  const message = Message.of(content, entries, { index });
  return error === undefined ? message : message.withError({ message: error });
}

const indented = (yaml: string, by: number) =>
  yaml
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n');

/** A configuration with processors and resources. */
export function configurationOf(processors: string, resources = ''): string {
  return `input:
  generate:
    mapping: root = {}
pipeline:
  processors:
${indented(processors, 4)}
output:
  drop: {}
${resources}`;
}

interface Options {
  readonly resources?: string;
  readonly services?: PipelineServices;
  /** Components of the test. */
  readonly specs?: readonly ComponentSpec[];
}

/** Processors of a configuration that are ready for batches. */
export class OpenProcessors {
  readonly #opening: Opening;
  readonly #chain: Chain;
  readonly #stop: AbortController;

  private constructor(opening: Opening, chain: Chain, stop: AbortController) {
    this.#opening = opening;
    this.#chain = chain;
    this.#stop = stop;
  }

  static async open(
    processors: string,
    { resources = '', services = testServices(), specs = [] }: Options = {},
  ): Promise<OpenProcessors> {
    const all = catalogueWith(...specs);
    const { config, problems } = readConfiguration(configurationOf(processors, resources), {
      catalogue: all,
      isLocal: true,
    });
    assert.ok(config, JSON.stringify(problems));
    const stop = new AbortController();
    const opening = new Opening(services, all, stop.signal);
    for (const kind of ['cache', 'rate_limit', 'processor'] as const)
      for (const resource of config[`${kind}_resources`]) await opening.openResource(resource);
    const context = opening.contextOf({
      kind: 'processor',
      label: '',
      path: 'root.pipeline',
      name: 'pipeline',
    });
    return new OpenProcessors(opening, await Chain.open(config.pipeline.processors, context), stop);
  }

  async process(...messages: Given[]): Promise<readonly (readonly Message[])[]> {
    return this.processBatch(messages.map(messageOf));
  }

  async processBatch(batch: readonly Message[]): Promise<readonly (readonly Message[])[]> {
    return this.#chain.process(batch, this.#stop.signal);
  }

  abort(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    await this.#chain.close();
    await this.#opening.close();
  }
}

/** What became of a batch: each batch as its contents, with `!` and the error behind those that failed. */
export function shown(batches: readonly (readonly Message[])[]): string[][] {
  return batches.map((batch) =>
    batch.map(({ content, error }) => `${content}${error === undefined ? '' : ` ! ${error.message}`}`),
  );
}

/** Runs one batch through processors. */
export async function processed(
  processors: string,
  messages: readonly Given[],
  options: Options = {},
): Promise<readonly (readonly Message[])[]> {
  const open = await OpenProcessors.open(processors, options);
  try {
    return await open.process(...messages);
  } finally {
    await open.close();
  }
}
