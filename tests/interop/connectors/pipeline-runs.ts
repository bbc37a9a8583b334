import { type Log, silentLog } from '@weir/core';
import { KeptFailures } from '../../../packages/pipelines/testing/kept-failures.ts';
import { Collected, runPipeline, testServices } from '../../../packages/pipelines/testing/run-pipeline.ts';

/** An input that makes messages `{"id": 1, "name": "n"}` with metadata `kind`. */
export const numbers = (count: number, { batchSize = 1, interval = '' } = {}) => `
input:
  generate:
    mapping: |
      root = {"id": counter(), "name": "n"}
      meta kind = "test"
    interval: "${interval}"
    count: ${count}
    batch_size: ${batchSize}
`;

export const idsOf = ({ texts }: Pick<Collected, 'texts'>): number[] =>
  texts.map((text) => JSON.parse(text).id);

interface UntilOptions {
  readonly meanwhile?: () => Promise<void>;
  /** Throws for messages that shall fail. */
  readonly fail?: (text: string, attempt: number) => void;
}

/** Runs a pipeline without end, which writes to `collect`, until so many different messages were written. */
export async function until(
  count: number,
  yaml: string,
  { meanwhile = async () => {}, fail }: UntilOptions = {},
): Promise<Collected> {
  const collected = new Collected();
  const stop = new AbortController();
  const seen = new Set<string>();
  collected.fail = (batch, attempt) => {
    for (const { content } of batch) {
      fail?.(content.toString(), attempt);
      seen.add(content.toString());
    }
    if (seen.size >= count) stop.abort();
  };
  const running = runPipeline(yaml, { collected, stop: stop.signal });
  await meanwhile();
  await running;
  return collected;
}

/** Runs a pipeline whose output fails, and returns why; the messages are dropped then. */
export async function failuresOf(
  output: string,
  { input = numbers(1), services = testServices() } = {},
): Promise<string[]> {
  const failures = new KeptFailures();
  await runPipeline(`${input}\noutput: {keep_failures: {output: ${output}}}\n`, {
    specs: [failures.spec],
    services,
  });
  return failures.errors;
}

/** Runs a pipeline until its input has failed, and returns why. */
export async function inputFailure(input: string): Promise<string> {
  const stop = new AbortController();
  const reasons: string[] = [];
  const log: Log = {
    ...silentLog,
    with: () => log,
    warn(_message: string, fields?: Readonly<Record<string, unknown>>) {
      reasons.push(String(fields?.error));
      stop.abort();
    },
  };
  await runPipeline(`input: ${input}\noutput: {drop: {}}\n`, {
    services: { ...testServices(), log },
    stop: stop.signal,
  });
  return reasons[0]!;
}
