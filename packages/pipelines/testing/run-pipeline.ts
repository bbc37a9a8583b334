import assert from 'node:assert/strict';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import { catalogue } from '../src/catalogue.ts';
import type { PipelineServices } from '../src/component/component-context.ts';
import { type ComponentSpec, componentOf } from '../src/component/component-spec.ts';
import type { Batch } from '../src/component/message.ts';
import { unlimitedAccess } from '../src/component/outbound-access.ts';
import { noMetrics } from '../src/component/pipeline-metrics.ts';
import { Catalogue } from '../src/config/catalogue.ts';
import { readConfiguration } from '../src/config/read-configuration.ts';
import type { StreamConfig } from '../src/config/stream-fields.ts';
import { Stream } from '../src/engine/stream.ts';

export function testServices(): PipelineServices {
  return {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noMetrics,
    mappingPorts: { clock: systemClock, random: systemRandom, counters: new Map() },
    outbound: unlimitedAccess,
  };
}

/** An output `collect` that keeps batches; `fail` may throw for one before it is kept. */
export class Collected {
  readonly #name: string;
  readonly batches: Batch[] = [];
  fail: ((batch: Batch, attempt: number) => void | Promise<void>) | undefined;
  #attempts = 0;

  constructor(name = 'collect') {
    this.#name = name;
  }

  get spec(): ComponentSpec {
    return componentOf('output', {
      name: this.#name,
      about: 'Keeps what it gets, for tests.',
      fields: {},
      open: () => ({
        write: async (batch: Batch) => {
          await this.fail?.(batch, ++this.#attempts);
          this.batches.push(batch);
        },
        close: async () => {},
      }),
    });
  }

  /** The contents of all messages, in the order in which they were written. */
  get texts(): string[] {
    return this.batches.flat().map(({ content }) => content.toString());
  }
}

/** The catalogue and the components of a test. */
export function catalogueWith(...specs: ConstructorParameters<typeof Catalogue>[0][number][]): Catalogue {
  return new Catalogue([...catalogue.all(), ...specs]);
}

/** Reads a configuration that has no problems. */
export function readWith(yaml: string, all: Catalogue): StreamConfig {
  const reading = readConfiguration(yaml, {
    catalogue: all,
    isLocal: true,
    references: { variable: () => undefined, secrets: {} },
  });
  assert.ok(reading.config, JSON.stringify(reading.problems));
  return reading.config;
}

/** Runs a configuration that writes to the output `collect`, until its input ends. */
export async function runPipeline(
  yaml: string,
  {
    collected = new Collected(),
    specs = [] as readonly ComponentSpec[],
    services = testServices(),
    stop = new AbortController().signal,
  } = {},
): Promise<Collected> {
  const all = catalogueWith(collected.spec, ...specs);
  await new Stream(readWith(yaml, all), services, all).run(stop);
  return collected;
}
