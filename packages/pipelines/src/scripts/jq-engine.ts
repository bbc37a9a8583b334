import { Worker } from 'node:worker_threads';
import type { Clock } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import type { JqAnswer, JqRequest } from './jq-worker.ts';

/**
 * What comes before a query. What jq reads or writes beside its input is not there: others' messages, the environment,
 * files and the log. The query is a function, so that it sees the metadata and nothing else.
 */
const prelude =
  '{} as $ENV | def env: $ENV; def input: error("input is not available"); def inputs: input; ' +
  'def halt: error("halted"); def halt_error: error; def halt_error($code): error; def debug: .; def debug(f): .; ' +
  'def stderr: .; def input_filename: null; def input_line_number: 0; def get_search_list: []; ';

/** One line for each input, whatever the query emits: all of it, or an error. */
function programOf(query: string): string {
  return (
    `${prelude}def query_of_processor($metadata): (${query}\n); . as [$metadata, $value] | ` +
    'try ({v: [$value | query_of_processor($metadata)]} | tojson | ' +
    `if utf8bytelength > ${pipelineLimits.scriptAnswerBytesMax} then ` +
    `error("the result has more than ${pipelineLimits.scriptAnswerBytesMax} bytes") else . end) ` +
    'catch ({e: .} | tojson)'
  );
}

const flags = ['-c', '-r'];

/** Runs a query of jq on messages, in a thread that is ended if it takes too long. */
export class JqEngine {
  readonly #clock: Clock;
  #program = '';
  #worker: Worker | undefined;
  #lastId = 0;
  #answered: (answer: JqAnswer) => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws if the query has a mistake. */
  async compile(query: string): Promise<void> {
    // Without input nothing runs. A query has to be whole on its own.
    await this.#ask('', query, ['--argjson', 'metadata', '{}'], undefined);
    this.#program = programOf(query);
    await this.#ask('', this.#program, flags, undefined);
  }

  /** Lines for lines. Throws if the query does not end, or takes too much memory. */
  async run(inputs: readonly string[], stop: AbortSignal): Promise<readonly string[]> {
    const stdout = await this.#ask(inputs.join('\n'), this.#program, flags, stop);
    const lines = stdout.split('\n');
    if (lines.length !== inputs.length) throw new Error('jq did not read all messages');
    return lines;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(
    input: string,
    program: string,
    options: readonly string[],
    stop: AbortSignal | undefined,
  ): Promise<string> {
    this.#worker ??= this.#started();
    const worker = this.#worker;
    const id = ++this.#lastId;
    const answer = await new Promise<JqAnswer | undefined>((resolve) => {
      const end = () => resolve(undefined);
      const cancel = this.#clock.after(pipelineLimits.scriptMsMax, end);
      stop?.addEventListener('abort', end, { once: true });
      this.#answered = (answered) => {
        cancel();
        stop?.removeEventListener('abort', end);
        resolve(answered);
      };
      if (stop?.aborted) end();
      else worker.postMessage({ id, program, flags: options, input } satisfies JqRequest);
    });
    if (answer === undefined || answer.isBroken) await this.close();
    if (stop?.aborted) throw new Error('the pipeline is stopping');
    if (answer === undefined) throw new Error(`the query took more than ${pipelineLimits.scriptMsMax} ms`);
    if (answer.isBroken) throw new Error('the query took too much memory, or calls itself too deeply');
    if (answer.problem !== undefined) throw new Error(reasonOf(answer.problem));
    return answer.stdout!;
  }

  #started(): Worker {
    const worker = new Worker(new URL(import.meta.resolve('./jq-worker.ts')), {
      workerData: pipelineLimits.scriptMemoryBytesMax,
      resourceLimits: { maxOldGenerationSizeMb: pipelineLimits.scriptHeapMiBMax },
    });
    const answered = (answer: JqAnswer) => {
      if (this.#worker === worker) this.#answered(answer);
    };
    const broken = (problem: string) => answered({ id: this.#lastId, problem, isBroken: true });
    worker.on('message', (answer: JqAnswer) => {
      if (answer.id === this.#lastId) answered(answer);
    });
    worker.on('error', ({ message }) => broken(message));
    worker.on('exit', () => broken('the thread of jq ended'));
    return worker;
  }
}

/** The first line says what is wrong; others show the program, which is more than the user wrote. */
function reasonOf(stderr: string): string {
  return stderr
    .split('\n', 1)[0]!
    .replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '')
    .replace(/ at <top-level>.*$/, '');
}
