import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { apiLimits } from '@weir/api/limits';
import {
  Failure,
  formatBytes,
  type Log,
  type LogFields,
  pauseUnlessStopped,
  secretNamesIn,
  systemRandom,
} from '@weir/core';
import {
  catalogue,
  type PipelineMetrics,
  type PipelineServices,
  readConfiguration,
  Stream,
  unlimitedAccess,
} from '@weir/pipelines';
import type { Deps } from '../deps.ts';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { Progress } from '../results/progress.ts';
import { readGivenFile } from './given-file.ts';

/** The exit status if the configuration has problems, or the pipeline failed. */
const failedStatus = 1;

/**
 * Runs a pipeline in this process until its input ends, with the variables, files and network of who runs it. The first
 * Ctrl-C stops the input and waits until what was read is written.
 */
export const runPipelineTool: Handler<'cli run-pipeline'> = async (values, deps) => {
  const [path, ...others] = values.file ?? [];
  if (path === undefined || others.length > 0) throw new Failure('-file: name one file with a pipeline');
  const { environment, output, clock, stop } = deps;
  const yaml = await readGivenFile('file', path, 2 * apiLimits.pipelineConfigurationBytesMax, deps);
  const variable = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : undefined);
  const file = path === '-' ? 'standard input' : path;
  const { secrets, missing } = secretsIn(yaml, variable);
  for (const name of missing)
    output.err(
      `${escapeControls(`${file}: set the variable ${secretVariable(name)} to the value of the secret ${name}`)}\n`,
    );
  if (missing.length > 0) return failedStatus;
  const { config, problems, warnings } = readConfiguration(yaml, {
    catalogue,
    isLocal: true,
    references: { variable, secrets },
  });
  for (const [word, found] of [
    ['', problems],
    ['warning: ', warnings],
  ] as const)
    for (const { place, message } of found.toSorted(byPlace))
      output.err(`${escapeControls(`${file}:${place.line}:${place.column}: ${word}${message}`)}\n`);
  if (config === undefined) return failedStatus;
  const progress = new Progress({ output: 'table' }, deps);
  const counts = new RunCounts(progress);
  const services = servicesOf(deps, progress, counts, variable);
  const everyMs = config.service.scheduling.run_every;
  let status = 0;
  try {
    do {
      await new Stream(config, services, catalogue).run(stop);
      if (everyMs !== undefined && !stop.aborted) await pauseUnlessStopped(clock, everyMs, stop);
    } while (everyMs !== undefined && !stop.aborted);
  } catch (error) {
    progress.clear();
    output.err(`${escapeControls(`failed to run the pipeline: ${(error as Error).message}`)}\n`);
    status = failedStatus;
  }
  progress.clear();
  output.err(`${counts.summary}\n`);
  return status;
};

interface Placed {
  readonly place: { readonly line: number; readonly column: number };
}

/** As a person reads the file. */
function byPlace({ place: one }: Placed, { place: other }: Placed): number {
  return one.line - other.line || one.column - other.column;
}

/** Where the value of a secret is: `WEIR_SECRET_API_TOKEN` for `api-token`. */
function secretVariable(name: string): string {
  return `WEIR_SECRET_${name.toUpperCase().replaceAll(/[.-]/g, '_')}`;
}

/** The secrets that a configuration names: their values, and the names of those without. */
function secretsIn(yaml: string, variable: (name: string) => string | undefined) {
  const secrets: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of secretNamesIn([yaml])) {
    const value = variable(secretVariable(name));
    if (value === undefined) missing.push(name);
    else secrets[name] = value;
  }
  return { secrets, missing };
}

function servicesOf(
  { clock, environment, input, output }: Deps,
  progress: Progress,
  metrics: PipelineMetrics,
  variable: (name: string) => string | undefined,
): PipelineServices {
  return {
    clock,
    random: systemRandom,
    log: logOf((line) => {
      progress.clear();
      output.err(`${escapeControls(line)}\n`);
    }),
    metrics,
    mappingPorts: {
      clock,
      random: systemRandom,
      hostName: hostname(),
      environment: variable,
      readFile: (path) => readFileSync(path),
      counters: new Map(),
    },
    outbound: unlimitedAccess,
    environment,
    standardStreams: {
      input: chunksOf(input),
      async write(bytes) {
        progress.clear();
        if (output.outBytes === undefined) output.out(bytes.toString());
        else output.outBytes(bytes);
        await output.drained();
      },
    },
  };
}

async function* chunksOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of input) yield Buffer.from(chunk);
}

/** Lines for a person: `warn: failed to write to the output: connection refused`. */
function logOf(write: (line: string) => void, bound: LogFields = {}): Log {
  const at = (level: string) => (message: string, fields?: LogFields) => {
    const { stage: _stage, ...rest } = { ...bound, ...fields };
    const details = Object.entries(rest).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [name === 'error' ? String(value) : `${name} ${value}`],
    );
    write(`${level}: ${[message, ...details].join(': ')}`);
  };
  return {
    debug() {},
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => logOf(write, { ...bound, ...fields }),
  };
}

/** What a run counts, and shows while it goes on. */
class RunCounts implements PipelineMetrics {
  readonly #progress: Progress;
  #received = 0;
  #sent = 0;
  #sentBytes = 0;
  #failed = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  received(messages: number): void {
    this.#received += messages;
    this.#show();
  }

  sent(messages: number, bytes: number): void {
    this.#sent += messages;
    this.#sentBytes += bytes;
    this.#show();
  }

  failed(_stage: string, messages: number): void {
    this.#failed += messages;
    this.#show();
  }

  settled(): void {}
  gathered(): void {}
  processed(): void {}
  notSent(): void {}
  connection(): void {}
  limited(): void {}
  custom(): void {}

  get summary(): string {
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`;
    return `${this.#received} messages read, ${this.#sent} written (${sizeText(this.#sentBytes)})${failed}`;
  }

  #show(): void {
    const failed = this.#failed === 0 ? '' : `  ${this.#failed} failed`;
    this.#progress.show({
      done: this.#sent,
      unit: 'messages written',
      detail: `${sizeText(this.#sentBytes)}${failed}`,
    });
  }
}

function sizeText(bytes: number): string {
  const text = formatBytes(bytes);
  return /\d$/.test(text) ? `${text} bytes` : text;
}
