import { type Clock, systemClock } from '@weir/core';
import type { ServerProcess } from '../kafka/server-process.ts';

/** Time for a process to open its inspector, and for an answer. */
const answerMsMax = 30_000;
const pollMs = 20;

/** A thread of an inspected process: the main thread or a worker. */
interface InspectedThread {
  readonly name: string;
  send(method: string, params?: object): Promise<Record<string, unknown>>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Waits for the answers of one thread. */
class Answers {
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #nextId = 1;

  async ask(
    write: (text: string) => void,
    method: string,
    params: object,
    clock: Clock,
  ): Promise<Record<string, unknown>> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, answer);
    write(JSON.stringify({ id, method, params }));
    const cancel = clock.after(answerMsMax, () => answer.reject(new Error(`no answer to ${method}`)));
    try {
      return await answer.promise;
    } finally {
      cancel();
      this.#waiting.delete(id);
    }
  }

  take({ id, result, error }: Message): void {
    const answer = this.#waiting.get(id ?? 0);
    if (error !== undefined) answer?.reject(new Error(error.message));
    else answer?.resolve(result ?? {});
  }
}

/**
 * The inspector of a Node process that runs. A signal opens it, so that nothing is different before: the process is
 * measured first and inspected afterwards.
 */
export class Inspector {
  readonly threads: InspectedThread[] = [];
  readonly #socket: WebSocket;
  readonly #workers = new Map<string, Answers>();

  private constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    const main = new Answers();
    const write = (text: string) => socket.send(text);
    const send = (method: string, params: object = {}) => main.ask(write, method, params, clock);
    this.threads.push({ name: 'main', send });
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.id !== undefined) main.take(message);
      const { sessionId, message: inner, workerInfo } = message.params ?? {};
      if (message.method === 'NodeWorker.receivedMessageFromWorker') {
        this.#workers.get(String(sessionId))?.take(JSON.parse(String(inner)) as Message);
      }
      if (message.method === 'NodeWorker.attachedToWorker') {
        const answers = new Answers();
        this.#workers.set(String(sessionId), answers);
        const writeToWorker = (text: string) =>
          void send('NodeWorker.sendMessageToWorker', { sessionId, message: text });
        const { workerId } = workerInfo as { workerId: string };
        this.threads.push({
          name: `worker-${workerId}`,
          send: (method, params = {}) => answers.ask(writeToWorker, method, params, clock),
        });
      }
    });
  }

  static async attach(server: ServerProcess, clock: Clock = systemClock): Promise<Inspector> {
    const socket = new WebSocket(await inspectorUrl(server, clock));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error('failed to connect to the inspector')), {
        once: true,
      });
    });
    const inspector = new Inspector(socket, clock);
    await inspector.threads[0]!.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  close(): void {
    this.#socket.close();
  }
}

async function inspectorUrl(server: ServerProcess, clock: Clock): Promise<string> {
  const urlIn = () => [...server.text.matchAll(/^Debugger listening on (ws:\S+)$/gm)].at(-1)?.[1];
  const endMs = clock.monotonicMs() + answerMsMax;
  if (urlIn() === undefined) process.kill(server.pid, 'SIGUSR1');
  for (let url = urlIn(); clock.monotonicMs() < endMs; url = urlIn()) {
    if (url !== undefined) return url;
    await new Promise<void>((resolve) => clock.after(pollMs, resolve));
  }
  throw new Error(`${server.name} did not open its inspector`);
}

/** Sums the pauses of the garbage collector that a thread sees. */
const watchGc = `{
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  const watch = { ms: 0 };
  const add = (list) => { for (const { duration } of list.getEntries()) watch.ms += duration };
  watch.observer = new PerformanceObserver(add);
  watch.observer.observe({ entryTypes: ['gc'] });
  watch.end = () => { add({ getEntries: () => watch.observer.takeRecords() }); watch.observer.disconnect(); return watch.ms };
  globalThis.weirBenchGc = watch;
}`;

/** Begins to watch the collector of a process; the returned function ends it and returns the seconds it took. */
export async function startGcWatch(server: ServerProcess): Promise<() => Promise<number>> {
  const inspector = await Inspector.attach(server);
  const evaluate = (thread: InspectedThread, expression: string) =>
    thread.send('Runtime.evaluate', { expression, returnByValue: true });
  for (const thread of inspector.threads) await evaluate(thread, watchGc);
  return async () => {
    let ms = 0;
    for (const thread of inspector.threads) {
      const { result } = await evaluate(thread, 'globalThis.weirBenchGc?.end() ?? 0');
      ms += Number((result as { value?: number }).value ?? 0);
    }
    inspector.close();
    return ms / 1000;
  };
}
