import type { Clock } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import { BoundedThread } from './bounded-thread.ts';
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
  readonly #thread: BoundedThread<JqAnswer>;
  #program = '';

  constructor(clock: Clock) {
    const file = new URL(import.meta.resolve('./jq-worker.ts'));
    const data = pipelineLimits.scriptMemoryBytesMax;
    this.#thread = new BoundedThread({ file, data, clock, work: 'the query' });
  }

  /** Throws if the query has a mistake. */
  async compile(query: string): Promise<void> {
    // Without input nothing runs. A query has to be whole on its own.
    await this.#ask('', query, ['--argjson', 'metadata', '{}']);
    this.#program = programOf(query);
    await this.#ask('', this.#program, flags);
  }

  /** Lines for lines. Throws if the query does not end, or takes too much memory. */
  async run(inputs: readonly string[], stop: AbortSignal): Promise<readonly string[]> {
    const stdout = await this.#ask(inputs.join('\n'), this.#program, flags, stop);
    const lines = stdout.split('\n');
    if (lines.length !== inputs.length) throw new Error('jq did not read all messages');
    return lines;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #ask(
    input: string,
    program: string,
    options: readonly string[],
    stop?: AbortSignal,
  ): Promise<string> {
    const request: Omit<JqRequest, 'id'> = { program, flags: options, input };
    try {
      return (await this.#thread.ask(request, stop)).stdout!;
    } catch (error) {
      throw new Error(reasonOf((error as Error).message), { cause: error });
    }
  }
}

/** The first line says what is wrong; others show the program, which is more than the user wrote. */
function reasonOf(stderr: string): string {
  return stderr
    .split('\n', 1)[0]!
    .replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '')
    .replace(/ at <top-level>.*$/, '');
}
