import type { Clock } from '@weir/core';
import type {
  QuickJSAsyncContext,
  QuickJSContext,
  QuickJSHandle,
  VmCallResult,
} from 'quickjs-emscripten-core';
import { pipelineLimits } from '../limits.ts';

/**
 * What a script may call: each takes texts and returns JSON, or nothing. What one throws is thrown in the script.
 * `fetch` takes time.
 */
export interface ScriptHost {
  readonly call: Readonly<Record<string, (...args: readonly string[]) => string | undefined>>;
  readonly fetch: (...args: readonly string[]) => Promise<string>;
}

type Context = QuickJSContext | QuickJSAsyncContext;

/** A script failed. Its engine cannot be used any more if it exceeded a limit. */
export class ScriptFailure extends Error {
  readonly isOverLimit: boolean;
  constructor(message: string, isOverLimit: boolean) {
    super(message);
    this.isOverLimit = isOverLimit;
  }
}

/** Makes the functions of Bento out of the host's. Scripts can change what is global, so it takes that first. */
const prelude = `(function (host, fetch) {
  const { parse, stringify } = JSON;
  const read = (text) => (text === undefined ? undefined : parse(text));
  const text = (value, at) => {
    if (value === undefined) throw new Error('argument at position ' + at + ' is undefined');
    return String(value);
  };
  const json = (value, at) => {
    const printed = stringify(value);
    if (printed === undefined) throw new Error('argument at position ' + at + ' is undefined or no JSON');
    return printed;
  };
  const line = (values) => values.map((value) => (typeof value === 'string' ? value : stringify(value))).join(' ');
  const log = (level) => (...values) => void host('log', level, line(values));
  globalThis.console = { debug: log('debug'), log: log('info'), info: log('info'), warn: log('warn'), error: log('error') };
  globalThis.bento = {
    v0_fetch: (url, headers, method, body) =>
      parse(fetch(text(url, 0), json(headers ?? {}, 1), text(method ?? 'GET', 2), text(body ?? '', 3))),
    v0_msg_as_string: () => read(host('as_string')),
    v0_msg_as_structured: () => read(host('as_structured')),
    v0_msg_exists_meta: (name) => read(host('exists_meta', text(name, 0))),
    v0_msg_get_meta: (name) => read(host('get_meta', text(name, 0))),
    v0_msg_set_meta: (name, value) => void host('set_meta', text(name, 0), json(value, 1)),
    v0_msg_set_string: (value) => void host('set_string', text(value, 0)),
    v0_msg_set_structured: (value) => void host('set_structured', json(value, 0)),
  };
})`;

/** A program in an engine of its own, whose global values outlive a run. What it holds is freed with it. */
export class Script {
  readonly #context: Context;
  readonly #code: string;
  readonly #clock: Clock;
  #deadlineMs = Number.POSITIVE_INFINITY;

  constructor(context: Context, code: string, host: ScriptHost, clock: Clock) {
    this.#context = context;
    this.#code = code;
    this.#clock = clock;
    context.runtime.setInterruptHandler(() => clock.monotonicMs() > this.#deadlineMs);
    this.#install(host);
  }

  /** Runs it once, in a context in which functions answer at once. Throws `ScriptFailure`. */
  run(): void {
    this.#begin();
    this.#end(this.#context.evalCode(this.#code, 'main.js'));
  }

  /** The same in a context in which functions may take time, which counts. */
  async runLater(): Promise<void> {
    this.#begin();
    this.#end(await (this.#context as QuickJSAsyncContext).evalCodeAsync(this.#code, 'main.js'));
  }

  #begin(): void {
    this.#deadlineMs = this.#clock.monotonicMs() + pipelineLimits.scriptMsMax;
  }

  #end(result: VmCallResult<QuickJSHandle>): void {
    this.#deadlineMs = Number.POSITIVE_INFINITY;
    if (result.error === undefined) {
      result.value.dispose();
      return;
    }
    const thrown: unknown = this.#context.dump(result.error);
    result.error.dispose();
    throw failureOf(thrown);
  }

  #install(host: ScriptHost): void {
    const context = this.#context;
    const texts = (handles: readonly QuickJSHandle[]) => handles.map((handle) => context.getString(handle));
    const call = context.newFunction('host', (name, ...args) => {
      const found = host.call[context.getString(name)]!(...texts(args));
      return found === undefined ? context.undefined : context.newString(found);
    });
    const fetch =
      'newAsyncifiedFunction' in context
        ? context.newAsyncifiedFunction('fetch', async (...args) =>
            context.newString(await host.fetch(...texts(args))),
          )
        : context.newFunction('fetch', () => {
            throw new Error('v0_fetch has to be called by its name');
          });
    const make = context.unwrapResult(context.evalCode(prelude, 'prelude.js'));
    context.unwrapResult(context.callFunction(make, context.undefined, call, fetch)).dispose();
    for (const handle of [make, call, fetch]) handle.dispose();
  }
}

function failureOf(thrown: unknown): ScriptFailure {
  const { name, message } = Object(thrown) as { readonly name?: unknown; readonly message?: unknown };
  const isOverLimit = name === 'InternalError';
  if (isOverLimit && message === 'interrupted')
    return new ScriptFailure(`the script took longer than ${pipelineLimits.scriptMsMax} ms`, true);
  if (isOverLimit && message === 'out of memory')
    return new ScriptFailure(`the script needs more than ${pipelineLimits.scriptMemoryBytesMax} bytes`, true);
  const text = typeof thrown === 'object' ? `${String(name)}: ${String(message)}` : String(thrown);
  return new ScriptFailure(text, isOverLimit);
}
